/* Plans at which stops lanes may wait, and which lanes wait where; exec_mask.h says what stops are for. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/exec_mask/exec_mask.h"
#include "passes/analysis/uniformity.h"

/* ---- before the plan ---- */

/* May the call end lanes? */
static bool call_ends(const MaskPlan *p, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	return o->kind == OPD_FUNC ? p->l->ends[o->id] : p->l->ends[p->l->module->func.n];
}

bool mask_is_waterfall(const Block *b) { return is_own(&b->ins.v[0], OWN_XFIRST); }

/* Has the function warp-level operations whose result is uniform only for the lanes that take part? In other
   lanes the register keeps its old value. */
static bool lanes_may_abstain(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			OpKind kind = op_info[f->block.v[b]->ins.v[k].op].kind;
			if (kind == K_VOTE || kind == K_MATCH || kind == K_REDUX || kind == K_ELECT)
				return true;
		}
	return false;
}

/* Gives an indirect call that may diverge a block of its own that begins with xfirst: the block runs again
   and again until all lanes have called. */
static void split_indirect(MaskPlan *p, const Uniformity *u)
{
	Function *f = p->f;
	Edit *e = &p->l->edit;
	bool trust = !lanes_may_abstain(f);
	for (int b = 0; b < f->block.n; b++) {
		Block *a = f->block.v[b];
		for (int k = 0; k < a->ins.n; k++) {
			const Ins *i = &a->ins.v[k];
			if (i->op != OP_CALL || ins_src(i, 0)->kind != OPD_REG ||
				(trust && !bs_has(u->regs, ins_src(i, 0)->id)))
				continue;
			Block *call = lower_block(p->l, b + 1), *rest = lower_block(p->l, b + 2);
			call->loc = rest->loc = a->loc;
			edit_append(e, call, lower_own(p->l, OWN_XFIRST, 0, 1))->opd[0] = *ins_src(i, 0);
			edit_move_rest(e, a, k + 1, rest);
			edit_move_rest(e, a, k, call);
			edit_jump(e, a, NULL, call);
			edit_jump(e, call, NULL, rest);
			b++; /* block `rest` comes next */
			break;
		}
	}
	function_number(f);
}

/* Makes all lanes return together, from the last block. */
static void unify_returns(MaskPlan *p)
{
	Function *f = p->f;
	Edit *e = &p->l->edit;
	Block *last = lower_new_block(p->l);
	for (int b = 0; b < f->block.n - 1; b++) {
		Block *k = f->block.v[b];
		if (block_term(k)->op != OP_RET)
			continue;
		Ins ret = edit_cut_term(e, k);
		if (!last->ins.n)
			edit_append(e, last, ret);
		edit_jump(e, k, NULL, last);
	}
	if (!last->ins.n)
		edit_append(e, last, edit_ret(e, NULL));
	function_number(f);
}

static bool one_return(const MaskPlan *p, const Cfg *cfg)
{
	int n = 0;
	for (int b = 0; b < p->f->block.n; b++)
		n += block_term(p->f->block.v[b])->op == OP_RET;
	return n == 1 && block_term(cfg->rpo[cfg->nreach - 1])->op == OP_RET && !p->function_may_end;
}

void mask_prepare(MaskPlan *p)
{
	for (int b = 0; b < p->f->block.n; b++) /* .uni is a promise that need not hold */
		block_term(p->f->block.v[b])->flags &= (uint8_t)~INSF_UNI;
	p->function_may_end = p->f->kind == FN_DEVICE && p->l->ends[p->f->id];
	Cfg *cfg = cfg_build(p->arena, p->f);
	split_indirect(p, uniformity_build(p->arena, cfg, p->l->config->warp_size));
	cfg = cfg_build(p->arena, p->f);
	if (p->f->kind == FN_DEVICE && !one_return(p, cfg))
		unify_returns(p);
}

/* ---- stops ---- */

bool mask_targets_equal(const Block *b)
{
	for (int k = 1; k < b->nsucc; k++)
		if (b->succ[k] != b->succ[0])
			return false;
	return true;
}

int mask_stop_of(const MaskPlan *p, int from, const Block *to)
{
	int t = p->pos[to->id];
	if (t > from)
		return p->front[t];
	int l = p->loops->of[to->id];
	must(l >= 0 && p->loops->loop[l].header == to->id);
	return p->back[l];
}

static void order_plan_blocks(MaskPlan *p)
{
	p->cfg = cfg_build(p->arena, p->f);
	p->loops = loops_build(p->arena, p->cfg);
	Block *last = vec_last(&p->f->block);
	bool moved = p->f->kind == FN_DEVICE && last->origin == ORIGIN_LOWER &&
		block_term(last)->op == OP_RET;
	p->order = arena_array(p->arena, Block *, p->cfg->nreach + 1);
	p->pos = arena_array(p->arena, int, p->cfg->n);
	for (int i = 0; i < p->cfg->nreach; i++)
		if (!moved || p->cfg->rpo[i] != last)
			p->order[p->n++] = p->cfg->rpo[i];
	if (moved) /* the block in which all lanes return stands last, reached or not */
		p->order[p->n++] = last;
	for (int b = 0; b < p->cfg->n; b++)
		p->pos[b] = -1;
	for (int k = 0; k < p->n; k++)
		p->pos[p->order[k]->id] = k;
}

/* Stops are numbered in the order in which control comes to them. */
static void number_stops(MaskPlan *p)
{
	int *end = arena_array(p->arena, int, p->loops->n + 1);
	for (int i = 0; i < p->loops->n; i++)
		loop_each(p->cfg, &p->loops->loop[i], b)
			if (p->pos[b->id] > end[i])
				end[i] = p->pos[b->id];
	int most = p->n + p->loops->n;
	p->front = arena_array(p->arena, int, p->n + 1);
	p->back = arena_array(p->arena, int, p->loops->n + 1);
	p->stop_pos = arena_array(p->arena, int, most + 1);
	p->stop_loop = arena_array(p->arena, int, most + 1);
	for (int k = 0; k < p->n; k++) {
		p->front[k] = p->nstop;
		p->stop_loop[p->nstop] = -1;
		p->stop_pos[p->nstop++] = k;
		for (int i = p->loops->n - 1; i >= 0; i--) /* inner loops first */
			if (end[i] == k) {
				p->back[i] = p->nstop;
				p->stop_loop[p->nstop] = i;
				p->stop_pos[p->nstop++] = k;
			}
	}
}

/* ---- who waits where ---- */

static bool keeps_lanes(const Block *b)
{
	Op op = block_term(b)->op;
	return op == OP_BRA || op == OP_BRX;
}

/* The stop for which lanes stay in EXEC behind block k: the nearest one to which the block's branch sends
   lanes, if lanes wait at no stop before that; -1: none. s: the stops at which lanes wait. */
static int choose_stay(const MaskPlan *p, int k, Chain s)
{
	const Block *b = p->order[k];
	int nearest = -1;
	if (block_term(b)->op != OP_BRA || (b->nsucc > 1 && mask_targets_equal(b)))
		return -1;
	for (int i = 0; i < b->nsucc; i++) {
		int e = mask_stop_of(p, k, b->succ[i]);
		if (nearest < 0 || e < nearest)
			nearest = e;
	}
	int first = mask_rest(p, k, s);
	return first < 0 || first >= nearest ? nearest : -1;
}

typedef struct StopFlow { MaskPlan *p; Chain s; bool changed; } StopFlow;

static void join_stops(StopFlow *x, Chain *to)
{
	Chain was = *to;
	*to = chain_union(&x->p->stops, was, x->s);
	x->changed |= *to != was;
}

static void to_stop(StopFlow *x, int stop) { join_stops(x, &x->p->arrive[stop]); }

static void block_end(StopFlow *x, int k)
{
	MaskPlan *p = x->p;
	const Block *b = p->order[k];
	x->s = p->at[k];
	int rest = mask_rest(p, k, x->s);
	if (p->may_end[k] && rest >= 0)
		to_stop(x, rest);
	p->stay[k] = -1;
	if (p->scalar[k]) {
		for (int i = 0; i < b->nsucc; i++) {
			int e = mask_stop_of(p, k, b->succ[i]);
			if (p->stop_loop[e] < 0)
				to_stop(x, e);
			else
				join_stops(x, &p->at[p->pos[b->succ[i]->id]]);
		}
		return;
	}
	if (keeps_lanes(b)) {
		p->stay[k] = choose_stay(p, k, x->s);
		for (int i = 0; i < b->nsucc; i++) {
			int e = mask_stop_of(p, k, b->succ[i]);
			if (e != p->stay[k])
				x->s = chain_add(&p->stops, x->s, e);
		}
		if (p->stay[k] >= 0)
			to_stop(x, p->stay[k]);
	} else if (block_term(b)->op == OP_RET && p->f->kind == FN_DEVICE) {
		return;
	}
	rest = mask_rest(p, k, x->s);
	if (rest >= 0)
		to_stop(x, rest);
}

static void flow_back_stop(StopFlow *x, int e)
{
	MaskPlan *p = x->p;
	int header = p->pos[p->loops->loop[p->stop_loop[e]].header];
	x->s = chain_remove(&p->stops, p->arrive[e], e);
	join_stops(x, &p->at[header]);
	int rest = mask_next(x->s, e + 1);
	if (rest >= 0)
		to_stop(x, rest);
}

static void flow_front_stop(StopFlow *x, int k)
{
	MaskPlan *p = x->p;
	int e = p->front[k];
	bool waits = chain_has(p->arrive[e], e);
	x->s = chain_remove(&p->stops, p->arrive[e], e);
	join_stops(x, &p->at[k]);
	int rest = mask_next(x->s, e + 1);
	if (waits && rest >= 0)
		to_stop(x, rest);
}

static void solve_stops(MaskPlan *p)
{
	StopFlow x = { .p = p };
	for (int k = 0; k < p->n; k++)
		p->at[k] = NULL;
	for (int e = 0; e < p->nstop; e++)
		p->arrive[e] = NULL;
	if (p->function_may_end) /* control goes on at the return when no lane is left */
		p->at[0] = chain_add(&p->stops, NULL, p->front[p->n - 1]);
	do {
		x.changed = false;
		for (int e = 0; e < p->nstop; e++)
			if (p->stop_loop[e] >= 0) {
				flow_back_stop(&x, e);
			} else {
				flow_front_stop(&x, p->stop_pos[e]);
				block_end(&x, p->stop_pos[e]);
			}
	} while (x.changed);
}

/* A branch that all lanes decide alike stays scalar only if it jumps over no stop at which lanes wait.
   Returns true if a branch has ceased to be scalar. */
static bool demote(MaskPlan *p)
{
	bool any = false;
	for (int k = 0; k < p->n; k++) {
		const Block *b = p->order[k];
		int first = mask_rest(p, k, p->at[k]);
		if (!p->scalar[k] || first < 0)
			continue;
		for (int i = 0; i < b->nsucc; i++) {
			int e = mask_stop_of(p, k, b->succ[i]);
			if (first < e || (first == e && p->stop_loop[e] >= 0)) {
				p->scalar[k] = false;
				any = true;
			}
		}
	}
	return any;
}

/* ---- what follows from it ---- */

/* Counts that block k adds lanes to the stop's mask. Each loop that k is in and the stop is not counts once
   more, since block k there adds lanes several times before the mask is taken. */
static void count_add(MaskPlan *p, int k, int stop)
{
	int at = p->stop_loop[stop] < 0 ? p->stop_pos[stop]
		: p->pos[p->loops->loop[p->stop_loop[stop]].header];
	p->adds[stop]++;
	for (int i = p->loops->of[p->order[k]->id]; i >= 0; i = p->loops->loop[i].parent)
		if (!loop_has(p->cfg, &p->loops->loop[i], p->order[at]->id))
			p->adds[stop]++;
}

static void edge_to(MaskPlan *p, int from, int stop, bool lanes)
{
	graph_edge(p->flow, from, p->n + stop);
	p->carried[stop] |= lanes;
}

static void edges_of_block(MaskPlan *p, int k)
{
	const Block *b = p->order[k];
	Chain s = p->at[k];
	int rest = mask_rest(p, k, s);
	if (p->may_end[k] && rest >= 0)
		edge_to(p, k, rest, false);
	for (int i = 0; keeps_lanes(b) && i < b->nsucc; i++) {
		int e = mask_stop_of(p, k, b->succ[i]);
		if (p->scalar[k]) {
			if (p->stop_loop[e] < 0)
				edge_to(p, k, e, true);
			else
				graph_edge(p->flow, k, p->pos[b->succ[i]->id]);
		} else if (e == p->stay[k]) {
			edge_to(p, k, e, true);
		} else {
			s = chain_add(&p->stops, s, e);
			count_add(p, k, e);
		}
	}
	rest = mask_rest(p, k, s);
	if (!p->scalar[k] && rest >= 0)
		edge_to(p, k, rest, false);
}

static void control_flow(MaskPlan *p)
{
	int n = p->n + p->nstop;
	p->flow = graph_new(p->arena, n);
	for (int k = 0; k < p->n; k++)
		edges_of_block(p, k);
	for (int e = 0; e < p->nstop; e++) {
		int l = p->stop_loop[e];
		graph_edge(p->flow, p->n + e, l < 0 ? p->stop_pos[e] : p->pos[p->loops->loop[l].header]);
		int rest = mask_next(p->arrive[e], e + 1);
		if (rest >= 0 && (l >= 0 || mask_waits(p, e)))
			edge_to(p, p->n + e, rest, false);
	}
	int *order = arena_array(p->arena, int, n), *depth = arena_array(p->arena, int, n);
	p->idom = arena_array(p->arena, int, n);
	for (int i = 0; i < n; i++)
		p->idom[i] = -1;
	int reached = graph_rpo(p->flow, false, 0, order);
	graph_idom(p->flow, false, order, reached, p->idom, depth);
}

void mask_plan(MaskPlan *p)
{
	order_plan_blocks(p);
	bool trust = !lanes_may_abstain(p->f);
	number_stops(p);
	Uniformity *u = uniformity_build(p->arena, p->cfg, p->l->config->warp_size);
	p->scalar = arena_array(p->arena, bool, p->n);
	p->may_end = arena_array(p->arena, bool, p->n);
	p->stay = arena_array(p->arena, int, p->n);
	p->stops.arena = p->arena;
	p->at = arena_array(p->arena, Chain, p->n);
	p->arrive = arena_array(p->arena, Chain, p->nstop);
	p->carried = arena_array(p->arena, bool, p->nstop);
	p->adds = arena_array(p->arena, int, p->nstop);
	for (int k = 0; k < p->n; k++) {
		const Block *b = p->order[k];
		p->scalar[k] = b->nsucc > 1 && ((trust && !u->divergent[b->id]) || mask_targets_equal(b));
		for (int i = 0; i < b->ins.n; i++)
			if (b->ins.v[i].op == OP_CALL || b->ins.v[i].op == OP_EXITIF)
				p->may_end[k] |= b->ins.v[i].op == OP_EXITIF || call_ends(p, &b->ins.v[i]);
	}
	do
		solve_stops(p);
	while (demote(p));
	control_flow(p);
}
