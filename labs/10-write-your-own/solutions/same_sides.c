/* same-sides: a branch whose two sides are the same code becomes a jump to one of them.
 *
 * requires  the graph
 * keeps     what each thread executes, in its order, and marks of the source's blocks
 * breaks    the graph
 *
 * Left alone: sides that something else leads to, too, and sides with operations that depend on which threads
 * execute them together. */
#include "sides.h"

/* The same operation on the same operands, with the same guard. */
static bool same_instruction(const Ins *a, const Ins *b)
{
	if (!ins_same_form(a, b) || a->guard != b->guard || a->guard_neg != b->guard_neg)
		return false;
	for (int k = 0; k < a->ndst + a->nsrc; k++) {
		const Opd *x = &a->opd[k], *y = &b->opd[k];
		if (x->kind != y->kind || x->neg != y->neg || x->id != y->id || x->imm != y->imm)
			return false;
	}
	return true;
}

/* All that a side does is the same, and both jump to one block then. */
static bool same_side(PassRun *r, const Block *a, const Block *b)
{
	if (a->ins.n != b->ins.n || !block_jumps(a) || !block_jumps(b) || a->succ[0] != b->succ[0])
		return false;
	for (int k = 0; k < a->ins.n; k++)
		if (!same_instruction(&a->ins.v[k], &b->ins.v[k]) ||
			ins_effects(analysis_effects(r->an), &a->ins.v[k]).convergent)
			return false;
	return true;
}

/* The first side is for all lanes from now on. */
static bool become_jump(Edit *e, Block *b)
{
	keep_marks(e, b);
	Block *side = b->succ[0];
	Ins branch = edit_cut_term(e, b);
	edit_jump(e, b, &branch, side);
	return true;
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
