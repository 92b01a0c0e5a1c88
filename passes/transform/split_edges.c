/* split-edges: a block of its own on every critical edge: from a block with several successors to one with several ways in.
 *
 * requires  nothing
 * keeps     what is executed, but for a jump on each such edge
 * breaks    everything made from the graph
 *
 * Code that belongs on one way alone then has a place: motion of code asks for this first. simplify-cfg takes blocks that stay empty out again. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

static bool critical(const Cfg *c, const Block *b, const Block *s)
{
	return c->graph->succ[b->id].n > 1 && c->graph->pred[s->id].n + (s->id == 0) > 1;
}

static bool run(PassRun *r)
{
	const Cfg *c = analysis_cfg(r->an);
	Edit e = edit_open(r->m, r->f, r->origin);
	Vec(Block *) order = { 0 };
	int n = 0, all = c->n;
	for (int k = 0; k < all; k++) {
		Block *b = r->f->block.v[k];
		vec_push(&order, b);
		for (int s = 0; s < b->nsucc && bs_has(c->reach, k); s++)
			if (b->succ[s]->id < all && critical(c, b, b->succ[s])) {
				vec_push(&order, edit_split_edge(&e, b, b->succ[s], "_edge"));
				n++;
			}
	}
	if (n)
		edit_order(r->f, order.v, order.n);
	vec_free(&order);
	edit_close(&e);
	pass_count(r, "edges split", n);
	return n > 0;
}

const Pass pass_split_edges = {
	.name = "split-edges",
	.help = "a block on every edge from a block with several successors to one with several predecessors",
	.function = run,
};
