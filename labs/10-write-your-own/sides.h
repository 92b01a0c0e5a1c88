/* What same_sides.c need not do itself: which branches come into question, marks, and blocks that nothing
   leads to any more. */
#ifndef LAB_SIDES_H
#define LAB_SIDES_H
#include "gsim-plugin.h"

/* The block ends in a branch with two sides; this branch alone leads to each of them. Of what a side does,
   only the first instruction begins a block of the source: marks (isa/ir.h) further behind would need
   predicates that may have changed by then. */
static inline bool two_sides(PassRun *r, const Block *b)
{
	const Cfg *c = analysis_cfg(r->an);
	if (b->nsucc != 2 || block_term(b)->op != OP_BRA)
		return false;
	for (int k = 0; k < 2; k++) {
		const Block *side = b->succ[k];
		if (side->id == 0 || side->reconverge || c->npred[side->id] != 1)
			return false;
		for (int i = 1; i < side->ins.n; i++)
			if (side->ins.v[i].mark)
				return false;
	}
	return true;
}

/* The first side gets the marks of both: it begins two blocks of the source from now on, each for the lanes
   that went there. So reports still speak of the source's blocks. */
static inline void keep_marks(Edit *e, Block *b)
{
	Ins *stays = &b->succ[0]->ins.v[0], *goes = &b->succ[1]->ins.v[0];
	Opd holds = *ins_src(block_term(b), 0), fails = holds;
	fails.neg = !fails.neg;
	edit_mark_lanes(e, stays, holds);
	edit_mark_lanes(e, goes, fails);
	edit_mark_also(e, stays, goes);
}

/* Blocks to which neither the entry leads nor a reconvergence point that the source asks for go. */
static inline void drop_unreached(Function *f)
{
	Arena a = { 0 };
	BitSet roots = bs_new(&a, f->block.n);
	bs_add(roots, 0);
	for (int k = 0; k < f->block.n; k++)
		if (f->block.v[k]->reconverge)
			bs_add(roots, f->block.v[k]->reconverge->id);
	edit_drop_unreached(f, roots);
	arena_free(&a);
}
#endif
