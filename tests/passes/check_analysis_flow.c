/* The dataflow solver against the equations solved bit by bit, and what stands on it against paths through
   random graphs. */
#include "passes/analysis/expressions.h"
#include "passes/analysis/pressure.h"
#include "passes/analysis/reaching.h"
#include "passes/transform/transform.h"
#include "tests/passes/random_function.h"
#include "tests/check.h"
#include <stdio.h>

static Module *m;
static Arena arena;
static void setup(void) { m = module_new("test"); }
static void teardown(void)
{
	module_free(m);
	arena_free(&arena);
}

/* ---- the solver ---- */

static BitSet *random_sets(uint64_t *rng, int n, int bits)
{
	if (!pick(rng, 4))
		return NULL;
	BitSet *s = flow_sets(&arena, n, bits);
	for (int k = 0; k < n; k++)
		for (int b = 0; b < bits; b++)
			if (!pick(rng, 4))
				bs_add(s[k], b);
	return s;
}

static bool has(const BitSet *s, int node, int bit) { return s && bs_has(s[node], bit); }
static bool odd(int from, int to, int bit) { return (from * 7 + to * 3 + bit) % 5 == 0; }

/* Odd bits get lost on their way, and the bit behind each one that is not odd but by its edge appears. */
static void change(void *self, int from, int to, BitSet s)
{
	for (int b = 0; b < *(int *)self; b++)
		if (odd(from, to, b))
			bs_del(s, b);
		else if (odd(to, from, b))
			bs_add(s, b);
}

static bool crosses(const Flow *x, bool value, int from, int to, int bit)
{
	value = has(x->sgen, from, bit) || (value && !has(x->skill, from, bit));
	int a = x->backward ? to : from, b = x->backward ? from : to;
	if (!x->edge)
		return value;
	return odd(a, b, bit) ? false : odd(b, a, bit) ? true : value;
}

/* One bit, by sweeps over all nodes until nothing changes. */
static void by_sweeps(const Flow *x, int bit, bool *before, bool *after)
{
	for (int k = 0; k < x->norder; k++)
		after[x->order[k]] = x->greatest;
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = 0; k < x->norder; k++) {
			int node = x->order[k], edges = 0, yes = 0;
			const IntList *from = x->backward ? &x->g->succ[node] : &x->g->pred[node];
			for (int e = 0; e < from->n; e++, edges++)
				yes += crosses(x, after[from->v[e]], from->v[e], node, bit);
			if (!edges || (!x->backward && k == 0)) {
				edges++;
				yes += x->boundary.w && bs_has(x->boundary, bit);
			}
			bool all = x->all != (x->other.w && bs_has(x->other, node));
			before[node] = all ? yes == edges : yes > 0;
			bool now = has(x->gen, node, bit) || (before[node] && !has(x->kill, node, bit));
			changed |= now != after[node];
			after[node] = now;
		}
	}
}

START_TEST(solver_solves_the_equations)
{
	uint64_t rng = (uint64_t)_i + 1;
	RandomShape shape = random_shape(&rng, 12);
	Cfg *c = cfg_build(&arena, random_function(m, &rng, &shape));
	int bits = 1 + pick(&rng, 90), order[24], n = c->n, norder = 0;
	Graph *g = pick(&rng, 2) ? flow_halves(&arena, c, order, &norder) : NULL;
	for (int k = 0; !g && k < c->nreach; k++)
		order[norder++] = c->rpo[k]->id;
	n = g ? 2 * n : n;
	Flow x = { .g = g ? g : c->graph, .order = order, .norder = norder, .bits = bits,
		.backward = pick(&rng, 2), .all = pick(&rng, 2),
		.greatest = pick(&rng, 2), .gen = random_sets(&rng, n, bits),
		.kill = random_sets(&rng, n, bits), .sgen = random_sets(&rng, n, bits),
		.skill = random_sets(&rng, n, bits), .self = &bits };
	BitSet *other = random_sets(&rng, 1, n), *boundary = random_sets(&rng, 1, bits);
	x.other = other ? other[0] : (BitSet){ 0 };
	x.boundary = boundary ? boundary[0] : (BitSet){ 0 };
	x.edge = pick(&rng, 2) ? change : NULL;
	flow_solve(&arena, &x);
	for (int bit = 0; bit < bits; bit++) {
		bool before[24] = { 0 }, after[24] = { 0 };
		by_sweeps(&x, bit, before, after);
		for (int k = 0; k < n; k++) {
			ck_assert_int_eq(bs_has(x.before[k], bit), before[k]);
			ck_assert_int_eq(bs_has(x.after[k], bit), after[k]);
		}
	}
}
END_TEST

/* ---- liveness ---- */

/* Is the register read behind instruction k of the block before anything writes it for sure? */
static bool read_later(const Function *f, int block, int k, int reg, bool *seen)
{
	const Block *b = f->block.v[block];
	for (; k < b->ins.n; k++) {
		if (judge_reads(f, &b->ins.v[k], reg))
			return true;
		if (judge_writes(f, &b->ins.v[k], reg) && b->ins.v[k].guard < 0)
			return false;
	}
	for (int s = 0; s < b->nsucc; s++) {
		int t = b->succ[s]->id;
		if (!seen[t]) {
			seen[t] = true;
			if (read_later(f, t, 0, reg, seen))
				return true;
		}
	}
	return false;
}

/* What a thread knows of the predicates that it has branched on: for each of the first PREDS, whether it
   holds. */
enum { PREDS = 3, UNKNOWN = 2, KNOWN = 27 };
typedef struct Path { const Function *f; int pred[PREDS], npred, reg; bool seen[12][KNOWN]; } Path;

static int knows(int known, int p) { return p == 0 ? known % 3 : p == 1 ? known / 3 % 3 : known / 9; }
static int learns(int known, int p, int value)
{
	return known + (value - knows(known, p)) * (p == 0 ? 1 : p == 1 ? 3 : 9);
}

/* Whether the predicate is known to be the value. */
static bool is_known(const Path *x, int known, int pred, int value)
{
	for (int p = 0; p < x->npred; p++)
		if (x->pred[p] == pred)
			return knows(known, p) == value;
	return false;
}

/* What the instruction reads, does it need it? Not where the guard is known not to hold, or another source to
   be selected. */
static bool needs(const Path *x, const Ins *i, int known)
{
	if (i->guard >= 0 && i->guard != x->reg)
		return !is_known(x, known, i->guard, i->guard_neg);
	if (i->op != OP_SELP || ins_src(i, 2)->id == x->reg)
		return true;
	for (int k = 0; k < 2; k++)
		if (ins_src(i, k)->kind == OPD_REG && ins_src(i, k)->id == x->reg &&
			!is_known(x, known, ins_src(i, 2)->id, k != ins_src(i, 2)->neg))
			return true;
	return false;
}

/* As read_later, for a thread: branches on a predicate that it knows lead one way. */
static bool read_by_thread(Path *x, int block, int k, int known)
{
	const Block *b = x->f->block.v[block];
	for (; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		if (judge_reads(x->f, i, x->reg) && needs(x, i, known))
			return true;
		if (judge_writes(x->f, i, x->reg) && i->guard < 0)
			return false;
		for (int p = 0; p < x->npred; p++)
			if (judge_writes(x->f, i, x->pred[p]))
				known = learns(known, p, UNKNOWN);
	}
	const Opd *o = b->nsucc == 2 ? ins_src(&b->ins.v[b->ins.n - 1], 0) : NULL;
	for (int s = 0; s < b->nsucc; s++) {
		int next = known, p = 0, value = o && o->neg ? s : !s;
		while (p < x->npred && !(o && o->kind == OPD_REG && o->id == x->pred[p]))
			p++;
		if (p < x->npred && knows(known, p) == !value)
			continue;
		if (p < x->npred)
			next = learns(known, p, value);
		int t = b->succ[s]->id;
		if (!x->seen[t][next]) {
			x->seen[t][next] = true;
			if (read_by_thread(x, t, 0, next))
				return true;
		}
	}
	return false;
}

static bool read_by_threads(const Function *f, int block, int k, int reg)
{
	Path x = { .f = f, .reg = reg };
	for (int r = 0; r < f->reg.n && x.npred < PREDS; r++)
		if (f->reg.v[r].type == T_PRED)
			x.pred[x.npred++] = r;
	return read_by_thread(&x, block, k, KNOWN - 1);
}

START_TEST(liveness_by_paths)
{
	uint64_t rng = (uint64_t)_i + 1;
	RandomShape shape = random_shape(&rng, 12);
	Function *f = random_function(m, &rng, &shape);
	Cfg *c = cfg_build(&arena, f);
	Liveness *l = liveness_build(&arena, c);
	BitSet now = bs_new(&arena, function_values(f));
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		liveness_enter(l, b->id, now);
		for (int k = b->ins.n; k >= 0; k--) {
			if (k < b->ins.n)
				liveness_step(f, &b->ins.v[k], now);
			for (int r = 0; r < function_values(f); r++) {
				bool seen[12] = { 0 }, way = read_later(f, b->id, k, r, seen),
					live = bs_has(now, r);
				ck_assert_msg(way || !live, "seed %d: no way leads from %s:%d to where r%d "
					"is read", _i, b->label, k, r);
				if (way && !live)
					ck_assert_msg(!read_by_threads(f, b->id, k, r),
						"seed %d: threads read r%d behind %s:%d", _i, r, b->label, k);
			}
		}
		for (int r = 0; r < function_values(f); r++)
			ck_assert_int_eq(bs_has(now, r), live_has(l, l->in[b->id], r));
		liveness_leave(l, b->id, now);
		ck_assert_int_eq(bs_next(now, 0), -1);
	}
}
END_TEST

static Liveness *at_ends;    /* what lives where blocks end */

static bool lives(const Function *f, int block, int k, int reg)
{
	const Block *b = f->block.v[block];
	for (; k < b->ins.n; k++) {
		if (judge_reads(f, &b->ins.v[k], reg))
			return true;
		if (judge_writes(f, &b->ins.v[k], reg) && b->ins.v[k].guard < 0)
			return false;
	}
	return live_has(at_ends, at_ends->out[block], reg);
}

/* What lives at a place: in front of the instruction (0), behind it with all that it writes (1), or, where it
   must not write over what it reads, both (2). */
static LiveRegs judge_pressure(const Function *f, int block, int k, int when)
{
	const Block *b = f->block.v[block];
	LiveRegs n = { 0, 0 };
	for (int r = 0; r < f->reg.n; r++) {
		bool in = lives(f, block, k, r), out = k < b->ins.n &&
			(lives(f, block, k + 1, r) || judge_writes(f, &b->ins.v[k], r));
		if (when == 0 ? !in : when == 1 ? !out : !in && !out)
			continue;
		n.words += f->reg.v[r].type == T_PRED ? 0 : f->reg.v[r].type == T_U64 ? 2 : 1;
		n.preds += f->reg.v[r].type == T_PRED;
	}
	return n;
}

static void raise(LiveRegs *to, LiveRegs n)
{
	to->words = n.words > to->words ? n.words : to->words;
	to->preds = n.preds > to->preds ? n.preds : to->preds;
}

START_TEST(pressure_by_paths)
{
	uint64_t rng = (uint64_t)_i + 1;
	RandomShape shape = random_shape(&rng, 12);
	Function *f = random_function(m, &rng, &shape);
	for (int r = 0; r < shape.values; r++)
		f->reg.v[r].type = pick(&rng, 2) ? T_U64 : T_U32;
	Cfg *c = cfg_build(&arena, f);
	RegPressure *p = pressure_build(&arena, c, at_ends = liveness_build(&arena, c));
	LiveRegs most = { 0, 0 };
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		LiveRegs worst = judge_pressure(f, b->id, b->ins.n, 0);
		ck_assert_int_eq(worst.words, p->out[b->id].words);
		for (int k = 0; k < b->ins.n; k++) {
			const Ins *x = &b->ins.v[k];
			for (int when = 0; when < (x->ndst > 1 || op_info[x->op].kind != K_ALU ? 3 : 2);
				when++)
				raise(&worst, judge_pressure(f, b->id, k, when));
		}
		ck_assert_int_eq(judge_pressure(f, b->id, 0, 0).words, p->in[b->id].words);
		ck_assert_int_eq(judge_pressure(f, b->id, 0, 0).preds, p->in[b->id].preds);
		ck_assert_int_eq(worst.words, p->worst[b->id].words);
		ck_assert_int_eq(worst.preds, p->worst[b->id].preds);
		raise(&most, worst);
	}
	ck_assert_int_eq(most.words, p->most.words);
	ck_assert_int_eq(most.preds, p->most.preds);
	ck_assert_int_eq(most.words, pressure_max(f));
	ck_assert_int_eq(p->worst[p->block].words, most.words);
}
END_TEST

/* ---- the SSA overlay, along random ways ---- */

typedef struct Values { Function *f; Cfg *c; Ssa *s; Reaching *r; Webs *w; } Values;

static Values values(int seed)
{
	uint64_t rng = (uint64_t)seed + 1;
	RandomShape shape = random_shape(&rng, 12);
	Values v = { .f = random_function(m, &rng, &shape) };
	v.c = cfg_build(&arena, v.f);
	v.s = ssa_build(&arena, v.c, dom_build(&arena, v.c));
	v.r = reaching_build(&arena, v.c, v.s);
	v.w = webs_build(&arena, v.c, v.s);
	return v;
}

/* by register, by version: definition executed last, that it stands for; -1: none */
typedef struct Walk { const Values *v; int *last, *value; } Walk;

static int number_of(const Ins *i, int reg) /* of the last destination that is it */
{
	int n = -1;
	for (int d = 0; d < i->ndst; d++)
		if (ins_dst(i, d)->kind == OPD_REG && ins_dst(i, d)->id == reg)
			n = d;
	return n;
}

static void step(Walk *w, int b, int k, bool holds)
{
	const Ssa *s = w->v->s;
	const Ins *i = &w->v->f->block.v[b]->ins.v[k];
	int at = s->ins_first[b] + k, nuse = 0;
	for (int r = 0; r < function_values(w->v->f); r++)
		nuse += judge_reads(w->v->f, i, r);
	ck_assert_int_eq(nuse > 0, s->use_first[at] < s->use_first[at + 1]);
	for (int u = s->use_first[at]; u < s->use_first[at + 1]; u++) {
		int reg = s->version[s->use[u]].reg;
		ck_assert(judge_reads(w->v->f, i, reg));
		ck_assert_int_eq(w->value[s->use[u]], w->last[reg]);
	}
	for (int d = s->def_first[at]; d < s->def_first[at + 1]; d++) {
		int version = s->def[d], reg = s->version[version].reg,
			id = (b * 100 + k) * 10 + number_of(i, reg);
		ck_assert_int_eq(s->version[version].old >= 0, i->guard >= 0);
		w->value[version] = holds ? id : w->value[s->version[version].old];
		if (holds)
			w->last[reg] = id;
	}
	for (int o = 0; o < i->nsrc; o++)
		if (ins_src(i, o)->kind == OPD_REG)
			ck_assert_int_eq(s->version[ssa_src(s, i, b, k, o)].reg, ins_src(i, o)->id);
	for (int o = 0; o < i->ndst; o++)
		if (ins_dst(i, o)->kind == OPD_REG)
			ck_assert_int_eq(s->version[ssa_dst(s, i, b, k, o)].reg, ins_dst(i, o)->id);
	ck_assert_int_eq(i->guard < 0 ? -1 : i->guard,
		i->guard < 0 ? ssa_guard(s, i, b, k) : s->version[ssa_guard(s, i, b, k)].reg);
}

static void enter(Walk *w, int from, int b)
{
	const Ssa *s = w->v->s;
	const IntList *pred = &w->v->c->graph->pred[b];
	int edge = pred->n, n = s->phi_first[b + 1] - s->phi_first[b], *now = arena_array(&arena, int, n + 1);
	for (int k = 0; k < pred->n; k++)
		if (pred->v[k] == from)
			edge = k;
	for (int k = 0; k < n; k++)
		now[k] = w->value[s->phi[s->phi_first[b] + k].arg[edge]];
	for (int k = 0; k < n; k++)
		w->value[s->phi[s->phi_first[b] + k].version] = now[k];
}

START_TEST(versions_are_what_was_written_last)
{
	Values v = values(_i);
	uint64_t rng = (uint64_t)_i + 77;
	for (int way = 0; way < 6; way++) {
		Walk w = { &v, arena_array(&arena, int, function_values(v.f)),
			arena_array(&arena, int, v.s->n + 1) };
		memset(w.last, -1, sizeof *w.last * (size_t)function_values(v.f));
		memset(w.value, -1, sizeof *w.value * (size_t)v.s->n);
		for (int b = 0, from = -1, steps = 0; steps < 40; steps++) {
			const Block *x = v.f->block.v[b];
			enter(&w, from, b);
			for (int k = 0; k < x->ins.n; k++)
				step(&w, b, k, x->ins.v[k].guard < 0 || pick(&rng, 2));
			if (!x->nsucc)
				break;
			from = b;
			b = x->succ[pick(&rng, x->nsucc)]->id;
		}
	}
}
END_TEST

/* Every phi is read in the end: liveness prunes the others. */
START_TEST(no_phi_is_in_vain)
{
	Values v = values(_i);
	bool *used = ssa_used(&arena, v.s);
	for (int k = 0; k < v.s->phi_first[v.c->n]; k++)
		ck_assert(used[v.s->phi[k].version]);
}
END_TEST

/* ---- reaching definitions and webs, by paths ---- */

/* Marks every use that the value reaches which stands in the register before instruction k of the block. */
static void see_uses(const Values *v, int b, int k, int reg, bool *seen, bool *reached)
{
	const Block *x = v->f->block.v[b];
	for (; k < x->ins.n; k++) {
		const Ssa *s = v->s;
		int at = s->ins_first[b] + k;
		for (int u = s->use_first[at]; u < s->use_first[at + 1]; u++)
			reached[u] |= s->version[s->use[u]].reg == reg;
		if (judge_writes(v->f, &x->ins.v[k], reg) && x->ins.v[k].guard < 0)
			return;
	}
	for (int e = 0; e < x->nsucc; e++)
		if (!seen[x->succ[e]->id]) {
			seen[x->succ[e]->id] = true;
			see_uses(v, x->succ[e]->id, 0, reg, seen, reached);
		}
}

/* Another destination of the same instruction takes its place at once. */
static bool shadowed(const Ssa *s, int d)
{
	const SsaVersion *x = &s->version[d], *next = d + 1 < s->n ? x + 1 : NULL;
	return next && x->ins >= 0 && next->block == x->block && next->ins == x->ins && next->reg == x->reg &&
		next->old < 0;
}

static int use_index(const Ssa *s, Reading r) { return s->use_first[s->ins_first[r.block] + r.ins] + r.use; }

START_TEST(definitions_reach_along_paths)
{
	Values v = values(_i);
	const Ssa *s = v.s;
	int nuse = s->use_first[s->nins], *web = arena_array(&arena, int, s->n + nuse + 1),
		*def = arena_array(&arena, int, s->n + 1);
	bool *claimed = arena_array(&arena, bool, (size_t)nuse * (size_t)s->n + 1);
	for (int u = 0; u < nuse; u++)
		for (int n = reaching_defs(v.r, s->use[u], def); n > 0; n--)
			claimed[def[n - 1] * nuse + u] = true;
	for (int k = 0; k < s->n + nuse; k++)
		web[k] = k;
	for (int d = 0; d < s->n; d++) {
		const SsaVersion *x = &s->version[d];
		bool seen[12] = { 0 }, *reached = arena_array(&arena, bool, nuse + 1),
			*said = arena_array(&arena, bool, nuse + 1);
		Reading *read = arena_array(&arena, Reading, nuse + 1);
		if (x->phi >= 0 || shadowed(s, d))
			continue;
		see_uses(&v, x->block, x->ins == SSA_ENTRY ? 0 : x->ins + 1, x->reg, seen, reached);
		for (int n = reaching_uses(v.r, d, read); n > 0; n--)
			said[use_index(s, read[n - 1])] = true;
		for (int u = 0; u < nuse; u++) {
			ck_assert_int_eq(claimed[d * nuse + u], reached[u]);
			ck_assert_int_eq(said[u], reached[u]);
			for (int k = 0, a = web[d], b = web[s->n + u]; reached[u] && k < s->n + nuse; k++)
				if (web[k] == b)
					web[k] = a;
		}
	}
	for (int a = 0; a < s->n; a++) /* results: all returns' are one */
		for (int b = 0; v.f->kind == FN_KERNEL && b < a; b++)
			if (s->version[a].phi < 0 && s->version[b].phi < 0 && v.w->of[a] >= 0 &&
				v.w->of[b] >= 0)
				ck_assert_int_eq(v.w->of[a] == v.w->of[b], web[a] == web[b]);
	for (int u = 0; u < nuse; u++) { /* a use is in the web of what reaches it */
		int n = reaching_defs(v.r, s->use[u], def);
		ck_assert_int_gt(n, 0);
		ck_assert_int_eq(v.w->of[def[0]], v.w->of[s->use[u]]);
	}
}
END_TEST

/* Registers of which several webs could have one each: those of the function's head keep theirs. */
static int crowded(const Function *f, const Webs *w)
{
	int *webs = arena_array(&arena, int, f->reg.n + 1), *fixed = arena_array(&arena, int, f->reg.n + 1),
		n = 0;
	for (int k = 0; k < w->n; k++) {
		webs[w->reg[k]]++;
		fixed[w->reg[k]] += w->fixed[k];
	}
	for (int r = 0; r < f->reg.n; r++)
		n += webs[r] > 1 && webs[r] > fixed[r];
	return n;
}

START_TEST(each_web_gets_a_register)
{
	Values v = values(_i);
	Diag diag = { 0 };
	int before = crowded(v.f, v.w);
	ck_assert_int_eq(pass_apply(&pass_webs, m, v.f, NULL, &diag), before > 0);
	Cfg *c = cfg_build(&arena, v.f);
	ck_assert_int_eq(crowded(v.f, webs_build(&arena, c, ssa_build(&arena, c, dom_build(&arena, c)))), 0);
	ck_assert(!pass_apply(&pass_webs, m, v.f, NULL, &diag));
	diag_free(&diag);
}
END_TEST

/* ---- expressions ---- */

static bool same_expression(const Ins *a, const Ins *b)
{
	bool straight = true, crossed = a->op == OP_ADD || a->op == OP_MUL;
	if (a->op != b->op || a->type != b->type || a->space != b->space || a->cc || b->cc)
		return false;
	for (int k = 0; k < a->nsrc; k++) {
		const Opd *x = ins_src(a, k), *y = ins_src(b, k), *z = ins_src(b, k < 2 ? 1 - k : k);
		straight &= x->kind == y->kind && x->id == y->id && x->imm == y->imm;
		crossed &= a->nsrc == 2 && x->kind == z->kind && x->id == z->id && x->imm == z->imm;
	}
	return straight || crossed;
}

/* Does instruction i change what e computes? */
static bool modifies(const Function *f, const Ins *i, const Ins *e)
{
	for (int k = 0; k < e->nsrc; k++)
		if (ins_src(e, k)->kind == OPD_REG && judge_writes(f, i, ins_src(e, k)->id))
			return true;
	return e->op == OP_LD && i->op == OP_ST && (i->space == e->space || !i->space || !e->space);
}

static void add_memory(Function *f, uint64_t *rng)
{
	for (int b = 0; b < f->block.n; b++)
		for (int n = pick(rng, 3); n > 0; n--) {
			bool load = pick(rng, 3);
			Ins i = load ? ins_make(m, OP_LD, T_U32, 1, 1) : ins_make(m, OP_ST, T_U32, 0, 2);
			i.space = (uint8_t)pick(rng, 3);
			i.opd[0] = opd_reg(pick(rng, 2));
			i.opd[1] = opd_reg(pick(rng, 2));
			int at = pick(rng, f->block.v[b]->ins.n);
			vec_insert(&f->block.v[b]->ins, at, i);
		}
}

START_TEST(expressions_by_definition)
{
	uint64_t rng = (uint64_t)_i + 1;
	RandomShape shape = random_shape(&rng, 6);
	shape.values = 2;
	Function *f = random_function(m, &rng, &shape);
	add_memory(f, &rng);
	Cfg *c = cfg_build(&arena, f);
	Expressions *x = expressions_build(&arena, c, NULL);
	for (int a = 0; a < x->noccurrence; a++)
		for (int b = 0; b < a; b++) {
			const Occurrence *o = &x->occurrence[a], *p = &x->occurrence[b];
			ck_assert_int_eq(o->expression == p->expression,
				same_expression(&f->block.v[o->block]->ins.v[o->ins],
				&f->block.v[p->block]->ins.v[p->ins]));
		}
	int half = pick(&rng, x->n + 1);
	const ExpressionSets *low = expressions_sets(&arena, c, x, 0, half),
		*high = expressions_sets(&arena, c, x, half, x->n);
	for (int k = 0; k < c->nreach; k++)
		for (int e = 0; e < x->n; e++) {
			const ExpressionSets *set = e < half ? low : high;
			int at = e < half ? e : e - half;
			const Block *b = c->rpo[k];
			bool first = false, last = false, changed = false;
			for (int i = 0; i < b->ins.n; i++) {
				bool here = b->ins.v[i].guard < 0 && b->ins.v[i].ndst == 1 &&
					same_expression(x->pattern[e], &b->ins.v[i]);
				first |= here && !changed;
				last |= here;
				changed |= modifies(f, &b->ins.v[i], x->pattern[e]);
				last &= !modifies(f, &b->ins.v[i], x->pattern[e]);
			}
			ck_assert_int_eq(bs_has(set->first[b->id], at), first);
			ck_assert_int_eq(bs_has(set->last[b->id], at), last);
			ck_assert_int_eq(bs_has(set->modified[b->id], at), changed);
			ck_assert_int_eq(expressions_modified(x, b->id, e), changed);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dataflow");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, solver_solves_the_equations, 0, 400);
	tcase_add_loop_test(t, liveness_by_paths, 0, 300);
	tcase_add_loop_test(t, pressure_by_paths, 0, 300);
	tcase_add_loop_test(t, versions_are_what_was_written_last, 0, 400);
	tcase_add_loop_test(t, no_phi_is_in_vain, 0, 400);
	tcase_add_loop_test(t, definitions_reach_along_paths, 0, 300);
	tcase_add_loop_test(t, each_web_gets_a_register, 0, 300);
	tcase_add_loop_test(t, expressions_by_definition, 0, 300);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
