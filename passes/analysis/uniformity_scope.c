/* Uniformity: the scope. Which special registers differ among its lanes, and in which blocks these are
   apart. */
#include "passes/analysis/uniformity_own.h"
#include "isa/lane.h"
#include "lib/diag.h"

static int64_t warp_size(const Uni *u) { return u->options.warp_size ? u->options.warp_size : PTX_WARP; }

/* Does the index of threads in dimension k differ? In a warp, which holds as many threads in the order of
   their numbers, it does not if it changes with a multiple of them. */
static bool thread_index_differs(const Uni *u, int k)
{
	int64_t threads = 1;
	if (u->block[k] == 1)
		return false;
	for (int d = 0; d < k; d++)
		threads *= u->block[d];
	return u->options.scope != UNI_WARP || u->options.anywhere || !threads || threads % warp_size(u);
}

static bool sreg_differs(const Uni *u, int s)
{
	UniScope scope = u->options.scope;
	switch (s) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z:
		return thread_index_differs(u, s - SREG_TID_X);
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z:
		return scope == UNI_GRID && u->grid[s - SREG_CTAID_X] != 1;
	case SREG_WARPID:
		return scope != UNI_WARP || u->options.anywhere || warp_size(u) > PTX_WARP;
	case SREG_SMID:
		return scope == UNI_GRID;
	case SREG_LANEID: case SREG_LANEMASK_EQ: case SREG_LANEMASK_LT: case SREG_LANEMASK_LE:
	case SREG_LANEMASK_GT: case SREG_LANEMASK_GE:
	case SREG_CLOCK: case SREG_CLOCK_HI: case SREG_CLOCK64:
	case SREG_GLOBALTIMER: case SREG_GLOBALTIMER_LO: case SREG_GLOBALTIMER_HI:
		return true;
	default:
		return false;
	}
}

void uni_find_scope(Uni *u)
{
	const Function *f = u->c->f;
	bool given = f->kind == FN_KERNEL && f->reqntid[0];
	for (int k = 0; k < 3; k++) {
		u->block[k] = !given ? u->options.block[k] : f->reqntid[k] ? f->reqntid[k] : 1;
		u->grid[k] = u->options.grid[k];
	}
	u->apart = u->options.anywhere || u->options.scope != UNI_WARP || warp_size(u) > PTX_WARP;
	for (int s = 0; s < SREG_COUNT; s++)
		u->r->sreg[s] = sreg_differs(u, s);
}

/* Adds the blocks to which lanes may come from the branch before they come to `end`. */
static void add_parted_region(const Graph *g, int branch, int end, BitSet apart)
{
	Arena tmp = { 0 };
	BitSet stop = bs_new(&tmp, g->n), region = bs_new(&tmp, g->n);
	if (end >= 0)
		bs_add(stop, end);
	for (int k = 0; k < g->succ[branch].n; k++)
		if (g->succ[branch].v[k] != end)
			graph_reach(g, false, g->succ[branch].v[k], stop, region);
	bs_union(apart, region);
	arena_free(&tmp);
}

/* The blocks between the branches of the list, by block, and their post-dominators. */
static BitSet regions_of(Arena *a, const Cfg *c, const bool *branch)
{
	must(cfg_fresh(c));
	BitSet apart = bs_new(a, c->graph->n);
	const Dom *pdom = pdom_build(a, c, true);
	for (int b = 0; b < c->n; b++)
		if (branch[b])
			add_parted_region(c->graph, b, pdom->idom[b], apart);
	return apart;
}

BitSet uniformity_apart(Arena *a, const Cfg *c, const Uniformity *u)
{
	return regions_of(a, c, u->divergent);
}

BitSet uniformity_parted(Arena *a, const Cfg *c, const Uniformity *u)
{
	return regions_of(a, c, u->parts);
}
