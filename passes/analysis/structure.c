/* Structural reduction of a whole function, and the paper's definition of unstructured edges. */
#include "passes/analysis/analysis.h"
#include "passes/analysis/reduction.h"

bool structured(Arena *a, const Cfg *c, BitSet *residue)
{
	Graph *g = cfg_flow_graph(a, c);
	BitSet in = bs_new(a, g->n);
	int *into = arena_array(a, int, g->n);
	for (int i = 0; i < c->nreach; i++)
		if (!bs_has(c->fatal, c->rpo[i]->id))
			bs_add(in, c->rpo[i]->id);
	bs_add(in, c->n);
	if (graph_reduce(g, 0, in, bs_new(a, g->n), into) == 1)
		return true;
	for (int b = 0; residue && b < c->n; b++)
		if (bs_has(in, b) && into[b] == b)
			bs_add(*residue, b);
	return false;
}

bool structured_but_breaks(const Cfg *c)
{
	Arena a = { 0 };
	Reduction r;
	const Graph *g = cfg_flow_graph(&a, c);
	int left = 0;
	reduction_init(&r, &a, c->n + 2); /* two more: the exit, and what is in front of the function */
	reduction_edge(&r, c->n + 1, 0, -1);
	r.node[c->n + 1].keep = true;
	for (int b = 0; b < c->n; b++)
		for (int k = 0; k < g->succ[b].n; k++)
			reduction_edge(&r, b, g->succ[b].v[k], -1);
	reduction_run(&r);
	Nest nest = *c->nest; /* the Cfg's nest knows blocks alone */
	nest.of = arena_array(&a, int, c->n + 2);
	for (int b = 0; b < c->n + 2; b++)
		nest.of[b] = b < c->n ? c->nest->of[b] : -1;
	for (int loop = nest.nloop; loop-- > 0;)
		if (reduction_relax(&r, &nest, loop))
			reduction_run(&r);
	for (int b = 0; b <= c->n; b++)
		left += reduction_find(&r, b) == b && (b == c->n ||
			(bs_has(c->reach, b) && !bs_has(c->fatal, b)));
	reduction_free(&r);
	arena_free(&a);
	return left == 1;
}

bool function_structured(Function *f)
{
	Arena a = { 0 };
	bool is = structured(&a, cfg_build(&a, f), NULL);
	arena_free(&a);
	return is;
}

static bool all_of(const Dom *d, int b, const Cfg *c, const Loop *l)
{
	loop_each(c, l, x)
		if (!dom_dominates(d, b, x->id))
			return false;
	return true;
}

bool unstructured_edge(const Cfg *c, const Dom *dom, const Dom *pdom, const Loops *loops, int from, int to)
{
	if (bs_has(c->fatal, to))
		return false;
	if (c->graph->succ[from].n > 1 && c->npred[to] > 1 && !dom_dominates(dom, from, to) &&
		!dom_dominates(dom, to, from) && !dom_dominates(pdom, from, to) &&
		!dom_dominates(pdom, to, from))
		return true;
	for (int i = 0; i < loops->n; i++) {
		const Loop *l = &loops->loop[i];
		bool f = loop_has(c, l, from), t = loop_has(c, l, to);
		if ((t && !f && !all_of(dom, to, c, l)) || (f && !t && !all_of(pdom, from, c, l)))
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
