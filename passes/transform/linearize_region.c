/* Regions to linearize: the paper's Algorithm 2 with single entry and single exit made explicit. Structural reduction, not
 * the paper's Definition 1, decides what is unstructured: Definition 1 misses jumps hidden by blocks with one successor. */
#include "passes/transform/linearize.h"
#include <stdlib.h>

enum { SEEDS = 512 };          /* edges tried in one round: bounds the time on huge graphs, not the result */

void flow_build(Flow *w, Arena *a, Function *f)
{
	*w = (Flow){ .arena = a, .cfg = cfg_build(a, f) };
	w->x = w->cfg->n;
	w->e = w->cfg->n + 1;
	Graph *exits = cfg_flow_graph(a, w->cfg);
	w->g = graph_new(a, w->cfg->n + 2);
	for (int b = 0; b <= w->cfg->n; b++)
		for (int k = 0; k < exits->succ[b].n; k++)
			graph_edge(w->g, b, exits->succ[b].v[k]);
	graph_edge(w->g, w->e, 0);
	w->dom = dom_build(a, w->cfg);
	w->pdom = pdom_build(a, w->cfg, true);
}

/* The nearest node outside the set that is above all of it in the tree. */
static int above(const Dom *t, BitSet set, int top)
{
	int d = -1;
	bs_each(set, b)
		d = d < 0 ? b : dom_common(t, d, b);
	while (d >= 0 && bs_has(set, d))
		d = t->idom[d];
	return d < 0 ? top : d;
}

/* Adds what lies on paths d .. p that meet neither in between. */
static void fill(const Flow *w, Arena *tmp, int d, int p, BitSet set)
{
	BitSet fore = bs_new(tmp, w->g->n), back = bs_new(tmp, w->g->n), stop = bs_new(tmp, w->g->n);
	bs_add(stop, d);
	bs_add(stop, p);
	for (int k = 0; k < w->g->succ[d].n; k++)
		graph_reach(w->g, false, w->g->succ[d].v[k], stop, fore);
	for (int k = 0; k < w->g->pred[p].n; k++)
		graph_reach(w->g, true, w->g->pred[p].v[k], stop, back);
	for (int i = 0; i < set.n; i++)
		set.w[i] |= fore.w[i] & back.w[i];
}

/* Adds what keeps the set from being entered from d alone and left to p alone; false when nothing does. */
static bool add_bad(const Flow *w, Arena *tmp, int d, int p, BitSet set)
{
	BitSet bad = bs_new(tmp, w->g->n);
	bs_each(set, b) {
		for (int k = 0; k < w->g->pred[b].n; k++)
			if (w->g->pred[b].v[k] != d)
				bs_add(bad, w->g->pred[b].v[k]);
		for (int k = 0; k < w->g->succ[b].n; k++)
			if (w->g->succ[b].v[k] != p)
				bs_add(bad, w->g->succ[b].v[k]);
	}
	for (int k = 0; k < w->g->pred[d].n; k++)
		if (bs_has(set, w->g->pred[d].v[k]))
			bs_add(bad, d);
	for (int k = 0; k < w->g->succ[p].n; k++)
		if (bs_has(set, w->g->succ[p].v[k]))
			bs_add(bad, p);
	bs_del(bad, w->e);
	bs_del(bad, w->x);
	return bs_union(set, bad);
}

Region region_around(const Flow *w, BitSet seeds)
{
	Region r = { .in = bs_new(w->arena, w->g->n) };
	Arena tmp = { 0 };
	bs_copy(r.in, seeds);
	bs_del(r.in, w->e);
	bs_del(r.in, w->x);
	for (int before = -1; (r.n = bs_count(r.in)) != before;) {
		before = r.n;
		r.d = above(w->dom, r.in, w->e);
		r.p = above(w->pdom, r.in, w->x);
		fill(w, &tmp, r.d, r.p, r.in);
		add_bad(w, &tmp, r.d, r.p, r.in);
	}
	arena_free(&tmp);
	return r;
}

Graph *region_graph(Arena *a, const Flow *w, const Region *r)
{
	Graph *g = graph_new(a, w->g->n);
	bs_each(r->in, b) {
		for (int k = 0; k < w->g->pred[b].n; k++)
			if (w->g->pred[b].v[k] == r->d)
				graph_edge(g, w->e, b);
		for (int k = 0; k < w->g->succ[b].n; k++) {
			int s = w->g->succ[b].v[k];
			graph_edge(g, b, s == r->p ? w->x : s);
		}
	}
	return g;
}

static bool region_structured(const Flow *w, const Region *r)
{
	Arena tmp = { 0 };
	Graph *g = region_graph(&tmp, w, r);
	if (list_has(&w->g->succ[r->d], r->p))
		graph_edge(g, w->e, w->x);
	BitSet in = bs_new(&tmp, g->n);
	bs_copy(in, r->in);
	bs_add(in, w->e);
	bs_add(in, w->x);
	int left = graph_reduce(g, w->e, in, bs_new(&tmp, g->n), arena_array(&tmp, int, g->n));
	arena_free(&tmp);
	return left == 1;
}

typedef Vec(Region) Regions;

static void consider(const Flow *w, BitSet seeds, Regions *list)
{
	Region r = region_around(w, seeds);
	for (int i = 0; i < list->n; i++)
		if (bs_equal(list->v[i].in, r.in))
			return;
	vec_push(list, r);
}

static int by_size(const void *a, const void *b)
{
	const Region *x = a, *y = b;
	return x->n != y->n ? x->n - y->n : bs_next(x->in, 0) - bs_next(y->in, 0);
}

static bool overlap(const Region *a, const Region *b)
{
	for (int i = 0; i < a->in.n; i++)
		if (a->in.w[i] & b->in.w[i])
			return true;
	return a->d == b->d || bs_has(a->in, b->d) || bs_has(a->in, b->p) || bs_has(b->in, a->d) || bs_has(b->in, a->p);
}

/* Fatal blocks are in no region. The set has room for the exit, too, and may be longer than c->reach. */
static void add_reachable(BitSet set, const Cfg *c)
{
	for (int i = 0; i < c->nreach; i++)
		if (!bs_has(c->fatal, c->rpo[i]->id))
			bs_add(set, c->rpo[i]->id);
}

/* Seeds: the ends of every edge between nodes that structural reduction leaves; and, last, everything. */
static void candidates(const Flow *w, Regions *list)
{
	const Cfg *c = w->cfg;
	Arena tmp = { 0 };
	Graph *g = cfg_flow_graph(&tmp, c);
	BitSet in = bs_new(&tmp, g->n), seeds = bs_new(&tmp, w->g->n);
	int *into = arena_array(&tmp, int, g->n), tried = 0;
	add_reachable(in, c);
	bs_add(in, w->x);
	if (graph_reduce(g, 0, in, bs_new(&tmp, g->n), into) > 1) {
		for (int i = 0; i < c->nreach && tried < SEEDS; i++) {
			int b = c->rpo[i]->id;
			for (int k = 0; k < w->g->succ[b].n; k++) {
				int s = w->g->succ[b].v[k];
				if (graph_into(into, b) == graph_into(into, s))
					continue;
				bs_clear(seeds);
				bs_add(seeds, b);
				bs_add(seeds, s);
				consider(w, seeds, list);
				tried++;
			}
		}
		bs_clear(seeds);
		add_reachable(seeds, c);
		consider(w, seeds, list);
	}
	arena_free(&tmp);
}

int regions_find(const Flow *w, bool (*admit)(void *, const Region *), void *self, Region **found)
{
	Regions list = { 0 };
	candidates(w, &list);
	if (list.n)
		qsort(list.v, (size_t)list.n, sizeof *list.v, by_size);
	int n = 0;
	*found = arena_array(w->arena, Region, list.n + 1);
	for (int i = 0; i < list.n; i++) {
		bool free = true;
		for (int k = 0; k < n && free; k++)
			free = !overlap(&(*found)[k], &list.v[i]);
		if (free && !region_structured(w, &list.v[i]) && admit(self, &list.v[i]))
			(*found)[n++] = list.v[i];
	}
	vec_free(&list);
	return n;
}
