#include "passes/analysis/analysis.h"
#include "lib/diag.h"

enum { EARLY_ROUNDS = 16 };  /* main exits looked for; a bound on hostile graphs */

/* Places in a walk through the tree: each node's subtree is one piece, behind it. */
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
	for (int k = d->n; k-- > 0;) { /* last: the size of the subtree, for now */
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

/* The nearest point that some branch around b has in front of b's own becomes b's; false: there is none. */
static bool nest(const Cfg *c, const Dom *d, int *point, int b)
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
	for (bool changed = true; changed;) { /* one that has come nearer may lie in front of others */
		changed = false;
		for (int b = 0; b < c->n; b++)
			if (point[b] >= 0 && point[b] != d->idom[b])
				changed |= nest(c, d, point, b);
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
	/* the last one in rpo that cannot end lies in a component without a way out */
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

typedef struct Exits {
	Graph *g;                  /* with the virtual exit x; early exits' edges are cut from it */
	int x;
	BitSet left;               /* blocks not yet decided */
	BitSet reach, forked;      /* of the exit looked at: what reaches it, what its forks reach */
	BitSet out, none;
} Exits;

/* Blocks of `left` from which exit block e can be reached. */
static void reaching(Exits *e, int exit)
{
	bs_clear(e->reach);
	bs_clear(e->out);
	for (int b = 0; b < e->g->n; b++)
		if (!bs_has(e->left, b))
			bs_add(e->out, b);
	graph_reach(e->g, true, exit, e->out, e->reach);
}

/* Blocks at which paths to the exit fork, and what can be reached from them; false: there is no fork. */
static bool after_forks(Exits *e)
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

/* Cuts the edges that leave `reach` for exits of threads: always when nothing behind them joins paths
   (`joined` = the blocks that reach an exit with a fork), and behind a fork of this exit's own in any
   case. */
static void cut_early(Exits *e, BitSet reach, BitSet forked, BitSet joined)
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
	Exits e = { g, c->n, bs_new(a, n), bs_new(a, n), bs_new(a, n), bs_new(a, n), bs_new(a, n) };
	BitSet joined = bs_new(a, n), reach = bs_new(a, n), forked = bs_new(a, n);
	for (int i = 0; i < c->nreach; i++) /* c->reach has no room for the virtual exit and may be shorter */
		bs_add(e.left, c->rpo[i]->id);
	for (int round = 0; round < EARLY_ROUNDS; round++) {
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
