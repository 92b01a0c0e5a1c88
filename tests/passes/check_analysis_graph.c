/* Analyses of the graph against their definitions, by search over random graphs. */
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

static Cfg *random_cfg(int seed, int blocks)
{
	uint64_t rng = (uint64_t)seed + 1;
	RandomShape shape = random_shape(&rng, blocks);
	shape.most = 0;
	return cfg_build(&arena, random_function(m, &rng, &shape));
}

/* Does a way lead from one node to the other past `without`? */
static bool leads(const Graph *g, int from, int to, int without)
{
	BitSet avoid = bs_new(&arena, g->n), into = bs_new(&arena, g->n);
	if (without >= 0)
		bs_add(avoid, without);
	graph_reach(g, false, from, avoid, into);
	return bs_has(into, to);
}

START_TEST(dominators_by_removal)
{
	Cfg *c = random_cfg(_i, 14);
	Dom *d = dom_build(&arena, c), *p = pdom_build(&arena, c, true);
	Graph *g = cfg_exit_graph(&arena, c, false);
	for (int a = 0; a < c->n; a++)
		for (int b = 0; b < c->n; b++) {
			if (!bs_has(c->reach, a) || !bs_has(c->reach, b))
				continue;
			ck_assert_int_eq(dom_dominates(d, a, b), a == b || !leads(c->graph, 0, b, a));
			ck_assert_int_eq(dom_dominates(p, a, b), a == b || !leads(g, b, c->n, a));
		}
	for (int b = 1; b < c->n; b++)
		ck_assert_int_eq(d->idom[b] >= 0, bs_has(c->reach, b));
	for (int b = 0; b < c->n; b++) /* the immediate one is a dominator that all others dominate */
		for (int a = 0; a < c->n && d->idom[b] >= 0; a++)
			if (bs_has(c->reach, a) && a != b && dom_dominates(d, a, b))
				ck_assert(dom_dominates(d, a, d->idom[b]));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("graph");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, dominators_by_removal, 0, 400);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
