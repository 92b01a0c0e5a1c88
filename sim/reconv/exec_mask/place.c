/* Writes the plan into the code, as operations on masks. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/exec_mask/exec_mask.h"

typedef struct MaskCode {
	MaskPlan *p;
	Block **stop;              /* by stop: its block, NULL = no lane waits there */
	bool *full;                /* by position: EXEC is not empty when the block begins */
	int names;                 /* number of masks besides those of stops */
	Vec(Block *) order;
} MaskCode;

/* ---- making operations ---- */

static Block *new_mask_block(MaskCode *x) { return lower_new_block(x->p->l); }
static Opd mask_name(int mask) { return opd_imm(mask); }

static Ins *append_op(MaskCode *x, Block *b, int own, int nsrc)
{
	return edit_append(&x->p->l->edit, b, lower_own(x->p->l, own, 0, nsrc));
}

static void mask_op(MaskCode *x, Block *b, int own, int mask)
{
	append_op(x, b, own, 1)->opd[0] = mask_name(mask);
}

/* Appends to b an xdrop of the mask. The operation is there for a branch or a call, `branch`: lane-slots that
   it loses are charged to that. */
static void drop_lanes(MaskCode *x, Block *b, int mask, const Ins *branch)
{
	Ins like = *branch;            /* a copy: the branch may stand in the block, whose array grows */
	mask_op(x, b, OWN_XDROP, mask);
	ins_place(&vec_last(&b->ins), &like);
}

static void jump_if(MaskCode *x, Block *b, int own, Block *to, const Ins *like)
{
	Ins place = like ? *like : (Ins){ 0 }; /* a copy: `like` may stand in the block, whose array grows */
	Ins *i = append_op(x, b, own, 1);
	i->opd[0] = lower_target(to);
	if (like)
		ins_place(i, &place);
}

/* Ends block b: control goes on at `to`, its first successor. The n blocks of `lanes`, where lanes of saved
   masks go on, become successors as well, for analyses that follow registers. */
static void end_mask_block(MaskCode *x, Block *b, Block *to, Block *const *lanes, int n)
{
	Edit *e = &x->p->l->edit;
	Block **list = arena_array(x->p->arena, Block *, n + 1);
	int m = 1;
	list[0] = to;
	for (int k = 0; k < n; k++) {
		bool has = false;
		for (int i = 0; i < m; i++)
			has |= list[i] == lanes[k];
		if (!has)
			list[m++] = lanes[k];
	}
	edit_jump(e, b, NULL, to);
	edit_targets(e, b, list, m);
	b->reconverge = NULL;
}

/* The block in which lanes that wait at a stop go on. */
static Block *block_of_stop(const MaskCode *x, int stop)
{
	const MaskPlan *p = x->p;
	int l = p->stop_loop[stop];
	return p->order[l < 0 ? p->stop_pos[stop] : p->pos[p->loops->loop[l].header]];
}

/* The block to jump to where control goes to a stop. */
static Block *entry_of_stop(const MaskCode *x, int stop)
{
	return x->stop[stop] ? x->stop[stop] : block_of_stop(x, stop);
}

/* ---- is EXEC empty? ---- */

/* Do all lanes at block d come to block x, before any of them ends or goes round a loop that both blocks are
   in? */
static bool all_come(const MaskPlan *p, int d, int x)
{
	Arena tmp = { 0 };
	BitSet seen = bs_new(&tmp, x - d + 1); /* by position from d on: the search goes no further than x */
	int *list = arena_array(&tmp, int, x - d + 1), n = 0;
	bool ok = true;
	list[n++] = d;
	bs_add(seen, 0);
	while (n && ok) {
		int k = list[--n];
		const IntList *succ = &p->cfg->graph->succ[p->order[k]->id];
		ok = succ->n > 0 && !p->may_end[k];
		for (int i = 0; i < succ->n && ok; i++) {
			int t = p->pos[succ->v[i]];
			ok = t > d && t <= x;
			if (!ok || t == x || bs_has(seen, t - d))
				continue;
			bs_add(seen, t - d);
			list[n++] = t;
		}
	}
	arena_free(&tmp);
	return ok;
}

/* Is EXEC never empty behind stop F of block k? That is sure if control must have come through a block that
   had lanes in EXEC, and if all of these come to k. */
static bool surely_full(const MaskCode *x, int k)
{
	enum { TRIES = 16 };
	const MaskPlan *p = x->p;
	int loop = p->loops->of[p->order[k]->id], d = p->n + p->front[k];
	for (int i = loop; i >= 0; i = p->loops->loop[i].parent)
		if (!p->loops->loop[i].reducible)
			return false;
	for (int tries = 0; tries < TRIES && (d = p->idom[d]) >= 0; tries++)
		if (d < k && p->loops->of[p->order[d]->id] == loop && x->full[d] && all_come(p, d, k))
			return true;
	return false;
}

static bool is_harmless_block(const Block *b)
{
	for (int k = 0; k < b->ins.n - 1; k++)
		if (op_info[b->ins.v[k].op].kind != K_ALU)
			return false;
	return block_term(b)->op == OP_BRA && b->nsucc == 1;
}

static int rest_behind(const MaskPlan *p, int k)
{
	const Block *b = p->order[k];
	int rest = mask_rest(p, k, p->at[k]);
	for (int i = 0; i < b->nsucc; i++) {
		int e = mask_stop_of(p, k, b->succ[i]);
		if (e != p->stay[k] && e > p->front[k] && (rest < 0 || e < rest))
			rest = e;
	}
	return rest;
}

/* Are there few instructions from block k to the stop, and none that must not be issued with an empty
   EXEC? */
static bool is_short_way(const MaskCode *x, int k, int stop)
{
	const MaskPlan *p = x->p;
	for (int n = 0; is_harmless_block(p->order[k]); k = p->stop_pos[p->stay[k]]) {
		n += p->order[k]->ins.n - 1 + (p->stay[k] < 0);
		if (n >= p->threshold)
			return false;
		int to = p->stay[k] < 0 ? rest_behind(p, k) : p->stay[k];
		if (to == stop)
			return true;
		if (p->stay[k] < 0 || p->stop_loop[to] >= 0 || x->stop[to])
			return false;
	}
	return false;
}

/* EXEC may be empty in front of block k, and lanes wait behind k, at stop `rest`: appends to b a jump over k
   to that stop, which is taken if EXEC is empty, unless the way is short. */
static void skip_block(MaskCode *x, Block *b, int k, int rest, const Ins *like)
{
	if (is_short_way(x, k, rest)) {
		x->full[k] = false;
		return;
	}
	jump_if(x, b, OWN_XZ, entry_of_stop(x, rest), like);
}

/* ---- stops ---- */

static void take_lanes(MaskCode *x, Block *b, int stop)
{
	mask_op(x, b, x->p->carried[stop] ? OWN_XJOIN : OWN_XTAKE, stop);
	if (x->p->adds[stop] > 1)
		mask_op(x, b, OWN_XCLEAR, stop);
}

static int rest_of_stop(const MaskPlan *p, int stop)
{
	return mask_next(p->arrive[stop], stop + 1);
}

static void place_front_stop(MaskCode *x, int k)
{
	const MaskPlan *p = x->p;
	int stop = p->front[k], rest = rest_of_stop(p, stop);
	Block *b = x->stop[stop];
	take_lanes(x, b, stop);
	if (rest >= 0 && !surely_full(x, k))
		skip_block(x, b, k, rest, NULL);
	end_mask_block(x, b, p->order[k], NULL, 0);
	vec_push(&x->order, b);
}

/* The last instruction of the block that has a place in the source, so its branch, if that has one. If none
   has a place: the first instruction. */
static const Ins *source_place(const Block *b)
{
	const Ins *i = block_term(b);
	while (i > b->ins.v && !i->line)
		i--;
	return i;
}

static void place_back_stop(MaskCode *x, int stop)
{
	const MaskPlan *p = x->p;
	Block *b = x->stop[stop], *header = block_of_stop(x, stop);
	int rest = rest_of_stop(p, stop);
	take_lanes(x, b, stop);
	jump_if(x, b, OWN_XNZ, header, source_place(header));
	end_mask_block(x, b, rest < 0 ? header : entry_of_stop(x, rest), &header, 1);
	vec_push(&x->order, b);
}

/* ---- ends of blocks ---- */

static void end_scalar(MaskCode *x, int k)
{
	const MaskPlan *p = x->p;
	Block *b = p->order[k];
	for (int i = 0; i < b->nsucc; i++) {
		int e = mask_stop_of(p, k, b->succ[i]);
		if (p->stop_loop[e] < 0)
			edit_target(&p->l->edit, b, i, entry_of_stop(x, e));
	}
	b->reconverge = NULL;
}

/* Appends to b an xadd, which adds lanes to the stop's mask: those for which the branch's predicate holds
   (neg: does not hold), or, without a branch, all. program: the xadd takes the place of the program's
   branch. */
static void add_lanes(MaskCode *x, Block *b, int stop, const Ins *branch, bool neg, bool program)
{
	Ins *i = append_op(x, b, OWN_XADD, branch ? 3 : 2);
	i->opd[0] = mask_name(stop);
	i->opd[1] = lower_target(stop < x->p->nstop ? block_of_stop(x, stop) : b);
	if (!branch)
		return;
	i->opd[2] = branch->opd[0];
	i->opd[2].neg ^= neg;
	ins_place(i, branch);
	if (program)
		ins_instead(i, branch);
}

/* Makes a loop of a brx. Each iteration takes the lanes that go where the first lane goes: the brx jumps to a
   block made for this target, which adds the lanes to the mask of the target's stop. Then control goes on at
   stop `rest`. */
static void end_indexed(MaskCode *x, int k, int rest)
{
	const MaskPlan *p = x->p;
	Block *b = p->order[k], *turn = new_mask_block(x), *next = new_mask_block(x), **to = b->succ;
	int left = p->nstop + x->names++, n = b->nsucc;
	const Ins branch = *block_term(b);
	bool by_turns = branch.opd[0].kind == OPD_REG;
	Block **way = arena_array(p->arena, Block *, n);
	vec_push(&x->order, turn);
	if (by_turns) {
		append_op(x, turn, OWN_XFIRST, 1)->opd[0] = branch.opd[0];
		Ins *i = append_op(x, turn, OWN_XDIFF, 3);
		i->opd[0] = mask_name(left);
		i->opd[1] = lower_target(turn);
		i->opd[2] = branch.opd[0];
		drop_lanes(x, turn, left, &branch);
	}
	for (int i = 0; i < n; i++) {
		for (int o = 0; o < i && !way[i]; o++)
			if (to[o] == to[i])
				way[i] = way[o];
		if (way[i])
			continue;
		int stop = mask_stop_of(p, k, to[i]);
		Block *lanes = entry_of_stop(x, stop);
		way[i] = new_mask_block(x);
		add_lanes(x, way[i], stop, NULL, false, false);
		if (!by_turns)
			drop_lanes(x, way[i], stop, &branch);
		end_mask_block(x, way[i], next, &lanes, 1);
		vec_push(&x->order, way[i]);
	}
	edit_move_rest(&p->l->edit, b, b->ins.n - 1, turn);
	end_mask_block(x, b, turn, NULL, 0);
	edit_targets(&p->l->edit, turn, way, n);
	if (by_turns) {
		mask_op(x, next, OWN_XTAKE, left);
		jump_if(x, next, OWN_XNZ, turn, &branch);
	}
	end_mask_block(x, next, entry_of_stop(x, rest), &turn, by_turns);
	vec_push(&x->order, next);
}

/* Ends block k where lanes stay in EXEC: control goes on to the stop for which they stay, or, if EXEC may be
   empty and is, to stop `rest`. lanes: the n blocks in which lanes go on that were added to masks. */
static void go_to_stop(MaskCode *x, int k, const Ins *branch, int rest, Block *const *lanes, int n)
{
	const MaskPlan *p = x->p;
	int stay = p->stay[k], to = p->stop_pos[stay];
	Block *b = p->order[k];
	bool full = x->full[k] && n == 0;
	if (p->stop_loop[stay] >= 0 && !x->stop[stay] && !full) {
		jump_if(x, b, OWN_XNZ, entry_of_stop(x, stay), branch);
		Block **all = arena_array(x->p->arena, Block *, n + 1);
		if (n)
			memcpy(all, lanes, sizeof *all * (size_t)n);
		all[n] = entry_of_stop(x, stay);
		end_mask_block(x, b, entry_of_stop(x, rest < 0 ? stay : rest), all, n + 1);
		return;
	}
	if (p->stop_loop[stay] < 0 && !x->stop[stay]) {
		if (n && rest >= 0)
			skip_block(x, b, to, rest, branch);
		else if (!full)
			x->full[to] = false;
	}
	end_mask_block(x, b, entry_of_stop(x, stay), lanes, n);
}

static void end_branch(MaskCode *x, int k)
{
	const MaskPlan *p = x->p;
	Block *b = p->order[k], *lanes[2];
	int rest = rest_behind(p, k), stops[2], n = 0;
	if (block_term(b)->op == OP_BRX) {
		end_indexed(x, k, rest);
		return;
	}
	Block **to = b->succ;
	int nto = b->nsucc;
	edit_targets(&p->l->edit, b, NULL, 0);
	Ins branch = edit_remove(&p->l->edit, b, b->ins.n - 1);
	b->by = nto == 2 ? branch.opd[0] : (Opd){ 0 };
	for (int i = 0; i < nto; i++) {
		int e = mask_stop_of(p, k, to[i]);
		if (nto == 2)
			b->side[i] = entry_of_stop(x, e);
		if (e == p->stay[k])
			continue;
		add_lanes(x, b, e, nto > 1 ? &branch : NULL, i == 1, n == 0);
		stops[n] = e;
		lanes[n++] = entry_of_stop(x, e);
	}
	if (p->stay[k] >= 0 ? n > 0 : p->carried[rest])
		for (int i = 0; i < n; i++)
			drop_lanes(x, b, stops[i], &branch);
	if (p->stay[k] >= 0)
		go_to_stop(x, k, &branch, rest, lanes, n);
	else
		end_mask_block(x, b, entry_of_stop(x, rest), lanes, n);
}

/* ---- calls ---- */

/* Makes block b a loop. Each iteration executes the call, instruction number `call`, with the lanes that have
   the first lane's callee; lanes that have returned wait in a mask for the others. */
static void call_by_turns(MaskCode *x, Block *b, int call)
{
	int left = x->p->nstop + x->names++, done = x->p->nstop + x->names++;
	Block rest = { 0 };
	Edit *e = &x->p->l->edit;
	edit_move_rest(e, b, call + 1, &rest);
	add_lanes(x, b, done, NULL, false, false);
	mask_op(x, b, OWN_XTAKE, left);
	jump_if(x, b, OWN_XNZ, b, &b->ins.v[call]);
	mask_op(x, b, OWN_XTAKE, done);
	edit_move_rest(e, &rest, 0, b);
	vec_free(&rest.ins);
	Ins differ = lower_own(x->p->l, OWN_XDIFF, 0, 3), out = lower_own(x->p->l, OWN_XDROP, 0, 1);
	differ.opd[0] = out.opd[0] = mask_name(left);
	ins_place(&out, &b->ins.v[call]);
	differ.opd[1] = lower_target(b);
	differ.opd[2] = b->ins.v[0].opd[0];
	edit_insert(e, b, 1, out);
	edit_insert(e, b, 1, differ);
}

/* Puts behind each call or guarded exit of block k, in which all lanes may end, a jump to the next stop at
   which lanes wait, for an empty EXEC. */
static void behind_calls(MaskCode *x, int k)
{
	const MaskPlan *p = x->p;
	Block *b = p->order[k];
	int rest = mask_rest(p, k, p->at[k]);
	for (int i = b->ins.n - 1; i >= 0; i--) {
		if (b->ins.v[i].op != OP_CALL && b->ins.v[i].op != OP_EXITIF)
			continue;
		if (p->may_end[k] && rest >= 0) {
			Ins z = lower_own(p->l, OWN_XZ, 0, 1);
			z.opd[0] = lower_target(entry_of_stop(x, rest));
			edit_insert(&p->l->edit, b, i + 1, z);
		}
		if (mask_is_waterfall(b) && b->ins.v[i].op == OP_CALL)
			call_by_turns(x, b, i);
	}
}

/* ---- the function ---- */

static void place_mask_block(MaskCode *x, int k)
{
	const MaskPlan *p = x->p;
	Block *b = p->order[k];
	behind_calls(x, k);
	vec_push(&x->order, b);
	Op op = block_term(b)->op;
	if (p->scalar[k]) {
		end_scalar(x, k);
	} else if (op == OP_BRA || op == OP_BRX) {
		end_branch(x, k);
	} else if (op != OP_RET || p->f->kind == FN_KERNEL) {
		int rest = mask_rest(p, k, p->at[k]);
		if (rest >= 0)
			end_mask_block(x, b, entry_of_stop(x, rest), NULL, 0);
	}
}

/* Masks to which lanes are added more than once before they are taken have to begin empty: a new block at the
   entry clears them. */
static void clear_at_entry(MaskCode *x)
{
	const MaskPlan *p = x->p;
	Block *entry = NULL;
	for (int e = 0; e < p->nstop; e++) {
		if (!x->stop[e] || p->adds[e] < 2)
			continue;
		if (!entry)
			entry = new_mask_block(x);
		mask_op(x, entry, OWN_XCLEAR, e);
	}
	if (!entry)
		return;
	end_mask_block(x, entry, entry_of_stop(x, 0), NULL, 0);
	vec_push(&x->order, entry);
}

void mask_place(MaskPlan *p)
{
	Function *f = p->f;
	MaskCode x = { .p = p };
	int before = f->block.n;
	x.stop = arena_array(p->arena, Block *, p->nstop);
	x.full = arena_array(p->arena, bool, p->n);
	for (int e = 0; e < p->nstop; e++)
		if (mask_waits(p, e))
			x.stop[e] = new_mask_block(&x);
	for (int k = 0; k < p->n; k++)
		x.full[k] = true;
	clear_at_entry(&x);
	for (int e = 0; e < p->nstop; e++) {
		if (p->stop_loop[e] >= 0) {
			if (x.stop[e])
				place_back_stop(&x, e);
			continue;
		}
		if (x.stop[e])
			place_front_stop(&x, p->stop_pos[e]);
		place_mask_block(&x, p->stop_pos[e]);
	}
	for (int b = 0; b < before; b++)
		if (p->pos[f->block.v[b]->id] < 0)
			vec_push(&x.order, f->block.v[b]);
	must(x.order.n == f->block.n);
	edit_order(&p->l->edit, x.order.v, x.order.n);
	vec_free(&x.order);
	lower_targets(f);
}
