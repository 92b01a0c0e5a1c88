/* Structural reduction: repeat {self-loop; sequence; if-then, if-then-else and n-way branches; while} until one node is
 * left. Stricter than textbook reduction for n-way branches: all arms must meet in one place, because their common
 * reconvergence point is what machines use. */
#include "passes/analysis/analysis.h"

typedef struct Work {
	Graph *g;
	int root;
	BitSet keep, queued;
	int *queue, n, cap;        /* a stack; each node stands there once */
	int *into, left;
} Work;

static void push(Work *w, int b)
{
	if (bs_has(w->queued, b))
		return;
	bs_add(w->queued, b);
	w->queue[w->n++] = b;
}

static void push_around(Work *w, int b)
{
	push(w, b);
	for (int k = 0; k < w->g->pred[b].n; k++)
		push(w, w->g->pred[b].v[k]);
	for (int k = 0; k < w->g->succ[b].n; k++)
		push(w, w->g->succ[b].v[k]);
}

/* x goes into b: b keeps its own edges but the one to x, and gets x's successors when it takes them over. */
static void merge(Work *w, int b, int x, bool take)
{
	Graph *g = w->g;
	graph_cut(g, b, x);
	while (g->succ[x].n) {
		int s = g->succ[x].v[0];
		graph_cut(g, x, s);
		if (take)
			graph_edge(g, b, s);
		push(w, s);
	}
	w->into[x] = b;
	w->left--;
	push_around(w, b);
}

static bool only(const IntList *l, int x) { return l->n == 1 && l->v[0] == x; }

static bool arm(const Work *w, int b, int x, int join)
{
	return x != b && x != w->root && !bs_has(w->keep, x) && only(&w->g->pred[x], b) && only(&w->g->succ[x], join);
}

static bool sequence(Work *w, int b)
{
	Graph *g = w->g;
	if (g->succ[b].n != 1 || bs_has(w->keep, b))
		return false;
	int s = g->succ[b].v[0];
	if (s == b || s == w->root || bs_has(w->keep, s) || !only(&g->pred[s], b))
		return false;
	merge(w, b, s, true);
	return true;
}

static bool while_loop(Work *w, int b)
{
	const IntList *s = &w->g->succ[b];
	for (int k = 0; s->n == 2 && k < 2; k++)
		if (arm(w, b, s->v[k], b) && !bs_has(w->keep, b)) {
			merge(w, b, s->v[k], false);
			return true;
		}
	return false;
}

static bool branch(Work *w, int b)
{
	const IntList *s = &w->g->succ[b];
	int join = -1, arms = 0;
	if (s->n < 2 || bs_has(w->keep, b))
		return false;
	for (int k = 0; k < s->n && join < 0; k++)
		if (only(&w->g->pred[s->v[k]], b) && w->g->succ[s->v[k]].n == 1)
			join = w->g->succ[s->v[k]].v[0];
	if (join < 0 || join == b)
		return false;
	for (int k = 0; k < s->n; k++) {
		bool is = arm(w, b, s->v[k], join);
		if (!is && s->v[k] != join)
			return false;
		arms += is;
	}
	while (arms-- > 0) {
		int x = s->v[0] == join ? s->v[1] : s->v[0];
		merge(w, b, x, true);
	}
	return true;
}

int graph_into(const int *into, int x)
{
	while (into[x] != x)
		x = into[x];
	return x;
}

int graph_reduce(Graph *g, int root, BitSet in, BitSet keep, int *into)
{
	Work w = { g, root, keep, bs_new(g->arena, g->n), arena_array(g->arena, int, g->n + 1), 0, g->n, into, 0 };
	for (int b = g->n; b-- > 0;) {
		into[b] = b;
		if (bs_has(in, b)) {
			push(&w, b);
			w.left++;
		}
	}
	while (w.n) {
		int b = w.queue[--w.n];
		bs_del(w.queued, b);
		if (into[b] != b)
			continue;
		if (list_has(&g->succ[b], b) && g->succ[b].n <= 2 && !bs_has(keep, b)) {
			graph_cut(g, b, b);
			push_around(&w, b);
		}
		if (sequence(&w, b) || while_loop(&w, b) || branch(&w, b))
			push(&w, b);
	}
	return w.left;
}

bool structured(Arena *a, const Cfg *c, BitSet *residue)
{
	must(cfg_fresh(c));
	Graph *g = cfg_flow_graph(a, c);
	BitSet in = bs_new(a, g->n);
	for (int b = 0; b < c->n; b++)
		if (bs_has(c->reach, b) && !bs_has(c->fatal, b))
			bs_add(in, b);
	bs_add(in, c->n);
	int *into = arena_array(a, int, g->n);
	if (graph_reduce(g, 0, in, bs_new(a, g->n), into) == 1)
		return true;
	if (residue)
		bs_each(c->reach, b)
			if (into[b] == b && !bs_has(c->fatal, b))
				bs_add(*residue, b);
	return false;
}

static bool all_of(const Dom *d, int b, BitSet set)
{
	bs_each(set, x)
		if (!dom_dominates(d, b, x))
			return false;
	return true;
}

bool unstructured_edge(const Cfg *c, const Dom *dom, const Dom *pdom, const Loops *loops, int from, int to)
{
	if (bs_has(c->fatal, to))
		return false;
	if (c->graph->succ[from].n > 1 && c->npred[to] > 1 && !dom_dominates(dom, from, to) && !dom_dominates(dom, to, from)
		&& !dom_dominates(pdom, from, to) && !dom_dominates(pdom, to, from))
		return true;
	for (int i = 0; i < loops->n; i++) {
		bool f = bs_has(loops->loop[i].blocks, from), t = bs_has(loops->loop[i].blocks, to);
		if ((t && !f && !all_of(dom, to, loops->loop[i].blocks)) || (f && !t && !all_of(pdom, from, loops->loop[i].blocks)))
			return true;
	}
	return false;
}

Graph *flow_graph(Arena *a, Function *f, BitSet *reach)
{
	function_number(f);
	int n = f->block.n;
	Graph *g = graph_new(a, n + 1);
	for (int b = 0; b < n; b++) {
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			graph_edge(g, b, f->block.v[b]->succ[k]->id);
		if (!f->block.v[b]->nsucc)
			graph_edge(g, b, n);
	}
	BitSet fatal = bs_new(a, n + 1);
	fatal_blocks(f, g, fatal);
	graph_isolate(g, fatal);
	*reach = bs_new(a, n + 1);
	graph_reach(g, false, 0, bs_new(a, n + 1), *reach);
	for (int b = 0; b < n; b++)
		while (!bs_has(*reach, b) && g->succ[b].n)
			graph_cut(g, b, g->succ[b].v[0]);
	return g;
}

bool function_structured(Function *f)
{
	Arena a = { 0 };
	BitSet reach;
	Graph *g = flow_graph(&a, f, &reach);
	BitSet ends = bs_new(&a, g->n);
	graph_reach(g, true, g->n - 1, bs_new(&a, g->n), ends);
	bool all = true;
	bs_each(reach, b)
		all &= bs_has(ends, b);
	bool ok = all ? graph_reduce(g, 0, reach, bs_new(&a, g->n), arena_array(&a, int, g->n)) == 1
		: structured(&a, cfg_build(&a, f), NULL);
	arena_free(&a);
	return ok;
}

Structure *structure_build(Arena *a, const Cfg *c)
{
	Structure *x = arena_new(a, Structure);
	x->residue = bs_new(a, c->n);
	x->structured = structured(a, c, &x->residue);
	return x;
}
