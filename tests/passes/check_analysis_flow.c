/* The dataflow solver against the equations solved bit by bit, and what stands on it against paths through random graphs. */
#include "passes/analysis/flow.h"
#include "tests/passes/random_function.h"
#include <check.h>
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
	Flow x = { .g = g ? g : c->graph, .order = order, .norder = norder, .bits = bits, .backward = pick(&rng, 2), .all = pick(&rng, 2),
		.greatest = pick(&rng, 2), .gen = random_sets(&rng, n, bits), .kill = random_sets(&rng, n, bits), .sgen = random_sets(&rng, n, bits),
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
		if (ins_reads(f, &b->ins.v[k], reg))
			return true;
		if (ins_writes(&b->ins.v[k], reg) && b->ins.v[k].guard < 0)
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
			for (int r = 0; r < f->reg.n; r++) {
				bool seen[12] = { 0 };
				ck_assert_int_eq(bs_has(now, r), read_later(f, b->id, k, r, seen));
			}
		}
		for (int r = 0; r < f->reg.n; r++)
			ck_assert_int_eq(bs_has(now, r), live_has(l, l->in[b->id], r));
		liveness_leave(l, b->id, now);
		ck_assert_int_eq(bs_next(now, 0), -1);
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
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
