/* Analyses of the graph against their definitions, by search over random graphs. */
#include "passes/analysis/control.h"
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

/* ---- cycle nest and order ---- */

typedef struct Recursion { const Graph *g; int *order, n; Nest nest; } Recursion;

static BitSet reached_within(const Graph *g, bool backward, int from, BitSet in)
{
	BitSet avoid = bs_new(&arena, g->n), into = bs_new(&arena, g->n);
	for (int b = 0; b < g->n; b++)
		if (!bs_has(in, b))
			bs_add(avoid, b);
	graph_reach(g, backward, from, avoid, into);
	return into;
}

static BitSet component_of(const Graph *g, int b, BitSet in)
{
	BitSet set = reached_within(g, false, b, in), back = reached_within(g, true, b, in);
	for (int k = 0; k < set.n; k++)
		set.w[k] &= back.w[k];
	return set;
}

static int smallest_entry(const Graph *g, BitSet set)
{
	bs_each(set, b)
		for (int k = 0; k < g->pred[b].n; k++)
			if (!bs_has(set, g->pred[b].v[k]))
				return b;
	return bs_next(set, 0);
}

/* The definition in graph.h, word by word: of the components of a set which wait for no other one, that with
   the smallest header; its inside; again. */
static void nest_of(Recursion *r, BitSet in, int loop)
{
	BitSet left = bs_new(&arena, r->g->n);
	bs_copy(left, in);
	while (bs_count(left)) {
		BitSet c = left;
		int header = -1;
		bs_each(left, b) {
			BitSet mine = component_of(r->g, b, left);
			bool waits = false;
			bs_each(left, q)
				for (int k = 0; k < r->g->succ[q].n; k++)
					waits |= !bs_has(mine, q) && bs_has(mine, r->g->succ[q].v[k]);
			if (!waits && (header < 0 || smallest_entry(r->g, mine) < header)) {
				header = smallest_entry(r->g, mine);
				c = mine;
			}
		}
		bs_each(c, b)
			bs_del(left, b);
		r->order[r->n++] = header;
		r->nest.of[header] = loop;
		if (bs_count(c) == 1 && !list_has(&r->g->succ[header], header))
			continue;
		int l = r->nest.of[header] = r->nest.nloop++;
		r->nest.header[l] = header;
		r->nest.parent[l] = loop;
		bs_del(c, header);
		nest_of(r, c, l);
	}
}

/* Nodes in a random order, edges to near ones or to any, a part of the nodes only. */
static Graph *random_graph(uint64_t *rng, BitSet *in)
{
	int n = 1 + pick(rng, 16), *node = arena_array(&arena, int, n);
	Graph *g = graph_new(&arena, n);
	*in = bs_new(&arena, n);
	for (int k = 0; k < n; k++) {
		int at = pick(rng, k + 1);
		node[k] = node[at];
		node[at] = k;
		if (pick(rng, 12))
			bs_add(*in, k);
	}
	bool sorted = pick(rng, 2), near = pick(rng, 2);
	for (int k = pick(rng, n * 3 + 1), from, to; k-- > 0;) {
		from = pick(rng, n);
		to = near ? (from + n - 2 + pick(rng, 5)) % n : pick(rng, n);
		graph_edge(g, sorted ? from : node[from], sorted ? to : node[to]);
	}
	return g;
}

START_TEST(nest_by_definition)
{
	uint64_t rng = (uint64_t)_i + 1;
	BitSet in;
	Graph *g = random_graph(&rng, &in);
	int *order = arena_array(&arena, int, g->n), *none = arena_array(&arena, int, g->n + 1);
	Recursion r = { g, arena_array(&arena, int, g->n), 0,
		{ 0, arena_array(&arena, int, g->n), arena_array(&arena, int, g->n), none } };
	for (int b = 0; b < g->n; b++)
		none[b] = -1;
	nest_of(&r, in, -1);
	Nest nest;
	ck_assert_int_eq(graph_order(&arena, g, in, order, &nest), r.n);
	ck_assert_mem_eq(order, r.order, sizeof *order * (size_t)r.n);
	ck_assert_int_eq(nest.nloop, r.nest.nloop);
	ck_assert_mem_eq(nest.header, r.nest.header, sizeof *nest.header * (size_t)nest.nloop);
	ck_assert_mem_eq(nest.parent, r.nest.parent, sizeof *nest.parent * (size_t)nest.nloop);
	ck_assert_mem_eq(nest.of, r.nest.of, sizeof *nest.of * (size_t)g->n);
}
END_TEST

/* Many times as many looks would be needed for the smallest headers. What goes backward goes to the header of
   a loop around where it begins, which has an edge into it from outside. */
START_TEST(a_tangle_is_not_looked_at_for_ever)
{
	enum { NODES = 20000 };
	Graph *g = graph_new(&arena, NODES);
	uint32_t seed = 1;
	BitSet in = bs_new(&arena, NODES);
	int *order = arena_array(&arena, int, NODES), *at = arena_array(&arena, int, NODES);
	Nest nest;
	for (int b = 0; b < NODES; b++)
		for (int k = 0; k < 2; k++)
			graph_edge(g, b, 1 + (int)(((seed = seed * 1664525 + 1013904223) >> 8) % (NODES -
				1)));
	graph_reach(g, false, 0, bs_new(&arena, NODES), in);
	int n = graph_order(&arena, g, in, order, &nest), backward = 0;
	for (int k = 0; k < n; k++)
		at[order[k]] = k;
	bool *entered = arena_array(&arena, bool, NODES);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < g->succ[order[k]].n; i++) {
			int x = order[k], to = g->succ[x].v[i], l = nest.of[x];
			while (l >= 0 && nest.header[l] != to)
				l = nest.parent[l];
			backward += at[to] <= k;
			ck_assert(at[to] > k || l >= 0);
			entered[to] |= l < 0;
		}
	for (int b = 0; b < NODES; b++) /* edges from nodes that do not take part count, too */
		for (int i = 0; i < g->succ[b].n && !bs_has(in, b); i++)
			entered[g->succ[b].v[i]] = true;
	for (int l = 0; l < nest.nloop; l++)
		ck_assert(entered[nest.header[l]]);
	ck_assert_int_gt(backward, NODES / 10);
}
END_TEST

/* ---- loops ---- */

START_TEST(loops_by_definition)
{
	Cfg *c = random_cfg(_i, 14);
	Loops *l = loops_build(&arena, c);
	const IntList *left = loop_exits(&arena, c, l);
	for (int i = 0; i < l->n; i++) {
		const Loop *p = &l->loop[i];
		BitSet in = bs_new(&arena, c->n), out = bs_new(&arena, c->n), set = loop_blocks(&arena, c, p);
		bool reducible = true;
		int latches = 0, exits = 0;
		for (int b = 0; b < c->n; b++)
			for (int k = l->of[b]; k >= 0; k = l->loop[k].parent)
				if (k == i)
					bs_add(in, b);
		for (int b = 0; b < c->n; b++)
			for (int k = 0; k < c->graph->succ[b].n; k++) {
				int to = c->graph->succ[b].v[k];
				reducible &= to == p->header || bs_has(in, b) || !bs_has(in, to);
				latches += to == p->header && bs_has(in, b);
				if (bs_has(in, b) && !bs_has(in, to))
					bs_add(out, to);
			}
		ck_assert(bs_equal(set, in));
		ck_assert_int_eq(p->depth, p->parent < 0 ? 1 : l->loop[p->parent].depth + 1);
		ck_assert_int_eq(p->reducible, reducible);
		ck_assert_int_eq(p->latch.n, latches);
		for (int k = 0; k < latches; k++)
			ck_assert(bs_has(in, p->latch.v[k]) && list_has(&c->graph->pred[p->header],
				p->latch.v[k]));
		for (int k = 0; k < c->nreach; k++)
			if (bs_has(out, c->rpo[k]->id))
				ck_assert_int_eq(left[i].v[exits++], c->rpo[k]->id);
		ck_assert_int_eq(left[i].n, exits);
	}
}
END_TEST

/* ---- control dependence ---- */

typedef struct Told { int block; bool *on; int entries; } Told; /* on: by branch */

static void tell(void *self, int branch, int to)
{
	Told *t = self;
	if (branch == CONTROL_ENTRY)
		t->entries++;
	else
		t->on[branch] = true;
}

static void tell_dependent(void *self, int block) { ((Told *)self)->on[block] = true; }

/* Does every way from s to the exit go through m? */
static bool closes(const Graph *g, int m, int s) { return m == s || !leads(g, s, g->n - 1, m); }

static bool depends(const Cfg *c, const Graph *g, int m, int n)
{
	bool is = false;
	for (int k = 0; k < g->succ[n].n; k++)
		is |= closes(g, m, g->succ[n].v[k]) && (m == n || !closes(g, m, n));
	/* aborts: only what is fatal, too, depends on them */
	for (int k = 0; k < c->graph->succ[n].n && !bs_has(c->fatal, n); k++)
		is |= bs_has(c->fatal, c->graph->succ[n].v[k]) && closes(g, m, c->graph->succ[n].v[k]);
	return is;
}

START_TEST(control_dependence_by_definition)
{
	Cfg *c = random_cfg(_i, 12);
	Graph *g = cfg_exit_graph(&arena, c, false);
	Control *x = control_build(&arena, c, pdom_build(&arena, c, true));
	for (int m = 0; m < c->n; m++) {
		bool on[12] = { 0 };
		Told t = { m, on, 0 };
		if (!bs_has(c->reach, m))
			continue;
		control_branches(x, m, tell, &t);
		ck_assert_int_eq(t.entries, closes(g, m, 0));
		for (int n = 0; n < c->n; n++)
			ck_assert_int_eq(on[n], bs_has(c->reach, n) && depends(c, g, m, n));
	}
	for (int n = 0; n < c->n; n++) {
		bool on[12] = { 0 };
		Told t = { n, on, 0 };
		if (!bs_has(c->reach, n))
			continue;
		control_dependents(x, n, tell_dependent, &t);
		for (int m = 0; m < c->n; m++)
			ck_assert_int_eq(on[m], bs_has(c->reach, m) && depends(c, g, m, n));
	}
}
END_TEST

/* ---- regions ---- */

enum { MOST = 12 };

/* The blocks of (e, x), by definition; false: that is no region. */
static bool is_region(const Graph *g, int e, int x, BitSet blocks)
{
	BitSet avoid = bs_new(&arena, g->n);
	bs_clear(blocks);
	bs_add(avoid, x);
	if (e == x || e == g->n - 1 || !leads(g, 0, e, -1))
		return false;
	graph_reach(g, false, e, avoid, blocks);
	if (bs_has(blocks, g->n - 1))
		return false;
	bs_each(blocks, b)
		for (int k = 0; k < g->pred[b].n; k++)
			if (b != e && !bs_has(blocks, g->pred[b].v[k]))
				return false;
	return !e || !bs_has(blocks, 0); /* the function begins there */
}

START_TEST(regions_by_definition)
{
	Cfg *c = random_cfg(_i, MOST);
	Graph *g = cfg_exit_graph(&arena, c, false);
	SeseRegions *r = regions_build(&arena, c);
	bool is[MOST + 1][MOST + 1] = { 0 };
	BitSet *blocks = arena_array(&arena, BitSet, (MOST + 1) * (MOST + 1)), of[2 * MOST * MOST];
	for (int e = 0; e < g->n; e++)
		for (int x = 0; x < g->n; x++)
			is[e][x] = is_region(g, e, x, blocks[e * g->n + x] = bs_new(&arena, g->n));
	int n = 0;
	for (int e = 0; e < g->n; e++)
		for (int x = 0; x < g->n; x++) {
			bool canonical = is[e][x] && !(e == 0 && x == c->n);
			for (int y = 0; y < g->n; y++)
				canonical &= !(is[e][y] && is[y][x]);
			n += canonical;
			for (int k = 1; k < r->n; k++)
				canonical &= r->region[k].entry != e || r->region[k].exit != x;
			ck_assert_msg(!canonical, "(%d, %d) is missing", e, x);
		}
	ck_assert_int_eq(r->n, n + 1);
	for (int k = 0; k < r->n; k++) {
		of[k] = blocks[r->region[k].entry * g->n + r->region[k].exit];
		ck_assert_int_eq(bs_count(of[k]), r->region[k].blocks);
		for (int b = 0; b < c->n; b++)
			ck_assert_int_eq(region_has(r, k, b), bs_has(of[k], b));
		ck_assert_int_lt(r->region[k].parent, k);
	}
	for (int k = 1; k < r->n; k++) /* the parent is the smallest one that has all of it */
		for (int p = 0; p < r->n; p++) {
			BitSet both = bs_new(&arena, g->n);
			bs_copy(both, of[p]);
			if (p == k || bs_union(both, of[k]))
				continue;
			ck_assert_int_le(r->region[r->region[k].parent].blocks, r->region[p].blocks);
		}
	for (int b = 0; b < c->n; b++)
		for (int k = 0; k < r->n; k++)
			if (bs_has(of[k], b))
				ck_assert(r->of[b] >= 0 && bs_has(of[r->of[b]], b) &&
					r->region[r->of[b]].blocks <= r->region[k].blocks);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("graph");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, dominators_by_removal, 0, 400);
	tcase_add_loop_test(t, nest_by_definition, 0, 4000);
	tcase_add_test(t, a_tangle_is_not_looked_at_for_ever);
	tcase_add_loop_test(t, loops_by_definition, 0, 400);
	tcase_add_loop_test(t, control_dependence_by_definition, 0, 400);
	tcase_add_loop_test(t, regions_by_definition, 0, 600);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
