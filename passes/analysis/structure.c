/* Structural reduction of a whole function, and the paper's definition of unstructured edges. */
#include "passes/analysis/analysis.h"
#include "passes/analysis/reduction.h"

bool structured(Arena *a, const Cfg *c, BitSet *residue)
{
	Graph *g = cfg_flow_graph(a, c);
	Reduction r;
	reduction_init(&r, a, c->n + 2);
	r.node[c->n + 1].keep = true; /* the entry's edge from outside */
	reduction_edge(&r, c->n + 1, 0, -1);
	for (int b = 0; b < c->n; b++)
		for (int k = 0; k < g->succ[b].n; k++)
			reduction_edge(&r, b, g->succ[b].v[k], -1);
	reduction_run(&r);
	int left = r.node[c->n].into == c->n;
	bs_each(c->reach, b) {
		if (r.node[b].into != b || bs_has(c->fatal, b))
			continue;
		left++;
		if (residue)
			bs_add(*residue, b);
	}
	reduction_free(&r);
	if (left == 1 && residue)
		bs_clear(*residue);
	return left == 1;
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

Structure *structure_build(Arena *a, const Cfg *c)
{
	Structure *x = arena_new(a, Structure);
	x->residue = bs_new(a, c->n);
	x->structured = structured(a, c, &x->residue);
	return x;
}
