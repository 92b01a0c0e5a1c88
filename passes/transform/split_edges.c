/* split-edges: puts a block of its own on every critical edge: one from a block with several successors to a
 * block with several ways in.
 *
 * requires  nothing
 * keeps     what is executed, but for a jump on each such edge
 * breaks    everything made from the graph
 *
 * Code that belongs on one way only then has a place: passes that move code need this first. simplify-cfg
 * removes blocks that have stayed empty. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

/* Puts blocks on all critical edges of block b at once, one for each target: an indexed branch may have
   thousands of edges. Returns how many blocks were made. */
static int split_critical(PassRun *r, Edit *e, const Cfg *c, Block *b, Block **on)
{
	int n = 0;
	for (int k = 0; k < b->nsucc; k++) {
		Block *s = b->succ[k];
		if (!is_critical_edge(c, b->id, s->id))
			continue;
		if (!on[s->id] &&
			!pass_may_change(r, ins_loc(r->m, block_term(b)), "the edge from %s to %s split",
				b->label, s->label))
			continue;
		if (!on[s->id]) {
			on[s->id] = edit_block(e, spot_behind(b), b->label, "_edge");
			on[s->id]->loc = b->loc;
			edit_jump(e, on[s->id], block_term(b), s);
			n++;
		}
		edit_target(e, b, k, on[s->id]);
	}
	for (int k = 0; k < c->graph->succ[b->id].n; k++)
		on[c->graph->succ[b->id].v[k]] = NULL;
	return n;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	const Cfg *c = analysis_cfg(r->an);
	Edit e = edit_open(r->m, r->f, r->origin);
	/* by target: the new block on the edges that lead to it from the block being split */
	Block **on = arena_array(&a, Block *, c->n);
	int n = 0, all = c->n;
	for (int k = 0; k < all; k++)
		if (bs_has(c->reach, k))
			n += split_critical(r, &e, c, r->f->block.v[k], on);
	edit_close(&e);
	arena_free(&a);
	if (n)
		pass_remark(r, r->f->loc, "%d edges have blocks now, each of which costs a jump where "
			"nothing comes to stand in it: simplify-cfg behind takes those out", n);
	pass_count(r, "edges split", n);
	return n > 0;
}

const Pass pass_split_edges = {
	.name = "split-edges",
	.idle = "no edge is critical",
	.help = "a block on every edge from a block with several successors to one with several predecessors",
	.function = run,
};
