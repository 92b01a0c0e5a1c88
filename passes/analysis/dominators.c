#include "passes/analysis/analysis.h"
#include "lib/diag.h"
#include "passes/constants.h"

/* Numbers nodes in a depth-first walk through the tree: a subtree has consecutive numbers, its root the
   first. */
void dom_number(Arena *a, Dom *d)
{
	Arena tmp = { 0 };
	d->first = arena_array(a, int, d->n + 1);
	d->last = arena_array(a, int, d->n + 1);
	int *by_depth = arena_array(&tmp, int, d->n + 1), *start = arena_array(&tmp, int, d->n + 2),
		*slot = arena_array(&tmp, int, d->n + 1), roots = 0;
	for (int b = 0; b < d->n; b++)
		start[d->depth[b] + 1]++;
	for (int k = 0; k < d->n; k++)
		start[k + 1] += start[k];
	for (int b = 0; b < d->n; b++)
		by_depth[start[d->depth[b]]++] = b;
	for (int k = d->n; k-- > 0;) { /* until the next loop, last is the size of the subtree */
		int b = by_depth[k];
		d->last[b]++;
		if (d->idom[b] >= 0)
			d->last[d->idom[b]] += d->last[b];
	}
	for (int k = 0; k < d->n; k++) {
		int b = by_depth[k], *at = d->idom[b] >= 0 ? &slot[d->idom[b]] : &roots;
		d->first[b] = *at;
		*at += d->last[b];
		d->last[b] = *at - 1;
		slot[b] = d->first[b] + 1;
	}
	arena_free(&tmp);
}

static Dom *dom_new(Arena *a, const Graph *g, bool backward, int root, const int *order, int norder)
{
	Dom *d = arena_new(a, Dom);
	*d = (Dom){ .n = g->n, .root = root, .idom = arena_array(a, int, g->n + 1),
		.depth = arena_array(a, int, g->n + 1) };
	graph_idom(g, backward, order, norder, d->idom, d->depth);
	dom_number(a, d);
	return d;
}

Dom *dom_of_graph(Arena *a, const Graph *g, bool backward, int root)
{
	int *order = arena_array(a, int, g->n + 1), n = graph_rpo(g, backward, root, order);
	return dom_new(a, g, backward, root, order, n);
}

Dom *dom_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	return dom_of_graph(a, c->graph, false, 0);
}

bool dom_dominates(const Dom *d, int a, int b)
{
	return d->first[a] <= d->first[b] && d->first[b] <= d->last[a];
}

int pdom_point(const Dom *d, const Block *b)
{
	const Block *r = b->reconverge;
	return r && r != b && dom_dominates(d, r->id, b->id) ? r->id : d->idom[b->id];
}

/* Looks on the way from block b to its point for the point of a branch around b (one from which b is reached
   without passing that point). The nearest such point becomes b's point. Returns false when there is none. */
static bool nest_point(const Cfg *c, const Dom *d, int *point, int b)
{
	for (int j = d->idom[b]; j != point[b]; j = d->idom[j]) {
		Arena tmp = { 0 };
		BitSet avoid = bs_new(&tmp, c->graph->n), around = bs_new(&tmp, c->graph->n);
		bool is_point = false;
		bs_add(avoid, j);
		graph_reach(c->graph, true, b, avoid, around);
		bs_each(around, x)
			is_point |= point[x] == j;
		arena_free(&tmp);
		if (is_point) {
			point[b] = j;
			return true;
		}
	}
	return false;
}

int *pdom_points(Arena *a, const Cfg *c, const Dom *d)
{
	int *point = arena_array(a, int, c->graph->n);
	for (int b = 0; b < c->graph->n; b++)
		point[b] = b < c->n && c->rpo_index[b] >= 0 && c->f->block.v[b]->nsucc > 1
			? pdom_point(d, c->f->block.v[b]) : -1;
	/* a point that has moved may now lie in front of the points of other blocks */
	for (bool changed = true; changed;) {
		changed = false;
		for (int b = 0; b < c->n; b++)
			if (point[b] >= 0 && point[b] != d->idom[b])
				changed |= nest_point(c, d, point, b);
	}
	return point;
}

int dom_common(const Dom *d, int a, int b)
{
	while (a != b) {
		if (d->depth[a] >= d->depth[b])
			a = d->idom[a];
		else
			b = d->idom[b];
		if (a < 0 || b < 0)
			return -1;
	}
	return a;
}

Graph *cfg_exit_graph(Arena *a, const Cfg *c, bool fatal)
{
	Graph *g = graph_new(a, c->n + 1);
	int x = c->n;
	BitSet none = bs_new(a, c->n + 1), done = bs_new(a, c->n + 1);
	for (int i = 0; i < c->nreach; i++) {
		int b = c->rpo[i]->id;
		const IntList *s = &c->graph->succ[b];
		for (int k = 0; k < s->n; k++)
			if (fatal || bs_has(c->fatal, b) || !bs_has(c->fatal, s->v[k]))
				graph_edge(g, b, s->v[k]);
		if (!s->n)
			graph_edge(g, b, x);
	}
	graph_reach(g, true, x, none, done);
	/* of the blocks that reach no exit yet, the last in rpo lies in a component without a way out */
	for (int i = c->nreach; i-- > 0;) {
		int b = c->rpo[i]->id, l = c->nest->of[b];
		if (bs_has(done, b))
			continue;
		must(l >= 0);
		while (c->nest->parent[l] >= 0)
			l = c->nest->parent[l];
		graph_edge(g, c->nest->header[l], x);
		graph_reach(g, true, c->nest->header[l], none, done);
	}
	return g;
}

Graph *cfg_flow_graph(Arena *a, const Cfg *c)
{
	Graph *g = cfg_exit_graph(a, c, false);
	graph_isolate(g, c->fatal);
	return g;
}

/* ---- exits of threads inside the function ---- */

typedef struct ExitSearch {
	Graph *g;                /* graph with the virtual exit x; the edges to early exits are cut from it */
	int x;
	BitSet left;               /* blocks not yet decided */
	/* of the exit block looked at: blocks that reach it; blocks behind forks of the paths to it */
	BitSet reach, forked;
	BitSet out, none;
} ExitSearch;

/* Sets e->reach to the blocks of e->left from which the block `exit` can be reached. */
static void reaching(ExitSearch *e, int exit)
{
	bs_clear(e->reach);
	bs_clear(e->out);
	for (int b = 0; b < e->g->n; b++)
		if (!bs_has(e->left, b))
			bs_add(e->out, b);
	graph_reach(e->g, true, exit, e->out, e->reach);
}

/* Sets e->forked to the blocks at which paths to the exit fork, and all that can be reached from these.
   Returns false when there is no fork. */
static bool after_forks(ExitSearch *e)
{
	bool any = false;
	bs_clear(e->forked);
	bs_each(e->reach, b) {
		int n = 0;
		for (int k = 0; k < e->g->succ[b].n; k++)
			n += bs_has(e->reach, e->g->succ[b].v[k]);
		if (n < 2)
			continue;
		any = true;
		graph_reach(e->g, false, b, e->none, e->forked);
	}
	return any;
}

/* Cuts edges that lead from `reach`, the blocks that reach the exit taken, to blocks that do not: all edges
   to blocks from which threads only end early, which are not in `joined` (the blocks that reach some main
   exit), and behind a fork of the paths to this exit (`forked`) the others, too. */
static void cut_early(ExitSearch *e, BitSet reach, BitSet forked, BitSet joined)
{
	bs_each(reach, b)
		for (int k = 0; k < e->g->succ[b].n; k++) {
			int s = e->g->succ[b].v[k];
			if (s == e->x || bs_has(reach, s) || !bs_has(e->left, s))
				continue;
			if (bs_has(joined, s) && !bs_has(forked, b))
				continue;
			graph_cut(e->g, b, s);
			k--;
		}
}

static void ignore_exits(Arena *a, const Cfg *c, Graph *g)
{
	int n = g->n;
	ExitSearch e = { g, c->n, bs_new(a, n), bs_new(a, n), bs_new(a, n), bs_new(a, n), bs_new(a, n) };
	BitSet joined = bs_new(a, n), reach = bs_new(a, n), forked = bs_new(a, n);
	/* not copied from c->reach, which has no bit for the virtual exit and may be shorter */
	for (int i = 0; i < c->nreach; i++)
		bs_add(e.left, c->rpo[i]->id);
	for (int round = 0; round < EXIT_ROUNDS; round++) {
		bool found = false;
		bs_clear(joined);
		for (int i = 0; i < c->nreach; i++) {
			int b = c->rpo[i]->id;
			if (!bs_has(e.left, b) || !list_has(&g->succ[b], e.x))
				continue;
			reaching(&e, b);
			if (!after_forks(&e))
				continue;
			found = true;
			bs_union(joined, e.reach);
			bs_copy(reach, e.reach);
			bs_copy(forked, e.forked);
		}
		if (!found)
			return;
		cut_early(&e, reach, forked, joined);
		bs_each(reach, b)
			bs_del(e.left, b);
	}
}

Dom *pdom_build(Arena *a, const Cfg *c, bool exit_edges)
{
	must(cfg_fresh(c));
	Graph *g = cfg_exit_graph(a, c, false);
	if (!exit_edges)
		ignore_exits(a, c, g);
	return dom_of_graph(a, g, true, c->n);
}
