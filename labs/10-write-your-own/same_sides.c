/* same-sides: a branch whose two sides are the same code becomes a jump to one of them.
 *
 * requires  the graph
 * keeps     what each thread executes, in its order, and marks of the source's blocks
 * breaks    the graph
 *
 * Left alone: sides that something else leads to, too, and sides with operations that depend on which threads
 * execute them together. */
#include "sides.h"

/* Step 2. The same operation, type and modifiers (ins_same_form), on the same operands, with the same
   guard? */
static bool same_instruction(const Ins *a, const Ins *b)
{
	return false;
}

/* Step 2. Are all instructions the same, one by one, and do both sides jump to one block (block_jumps, succ)?
   Step 4. No, if one of them depends on which threads execute it together (ins_effects with
   analysis_effects(r->an): convergent). */
static bool same_side(PassRun *r, const Block *a, const Block *b)
{
	return same_instruction(&a->ins.v[0], &b->ins.v[0]) && false;
}

/* Step 3. Instead of its branch the block b gets a jump to its first side (edit_cut_term, edit_jump); before
   that, keep_marks. */
static bool become_jump(Edit *e, Block *b)
{
	return false;
}

static bool run(PassRun *r)
{
	int looked = 0, removed = 0;
	for (int k = 0; k < r->f->block.n; k++) {
		Block *b = r->f->block.v[k];
		if (!two_sides(r, b))
			continue;
		looked++;
		if (!same_side(r, b->succ[0], b->succ[1])) {
			pass_remark(r, ins_loc(r->m, block_term(b)), "stays: %s and %s differ",
				b->succ[0]->label, b->succ[1]->label);
			continue;
		}
		pass_remark(r, ins_loc(r->m, block_term(b)), "%s and %s are the same", b->succ[0]->label,
			b->succ[1]->label);
		Edit e = edit_open(r->m, r->f, r->origin);
		removed += become_jump(&e, b);
		edit_close(&e);
	}
	if (removed)
		drop_unreached(r->f);
	pass_count(r, "branches looked at", looked);
	pass_count(r, "branches removed", removed);
	return removed > 0; /* has the function changed? */
}

static const Pass pass_same_sides = {
	.name = "same-sides",
	.help = "a branch whose two sides are the same becomes a jump",
	.idle = "no branch has two sides that are the same",
	.function = run,
};

GSIM_PLUGIN("same-sides", .passes = { &pass_same_sides });
