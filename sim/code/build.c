/* Adds code during lowering, besides what the builder (isa/edit.h) offers: makes operations of mechanisms,
   which may have blocks as operands, and puts new blocks at a given place. */
#include "passes/analysis/analysis.h"
#include "sim/code/code.h"
#include "sim/code/lower_fn.h"

Ins lower_own(LowerFn *l, int own, int ndst, int nsrc)
{
	Ins i = edit_new(&l->edit, NULL, OP_OWN, T_NONE, ndst, nsrc);
	i.mode = (uint8_t)own;
	return i;
}

Block *lower_new_block(LowerFn *l)
{
	int k = l->f->block.n;
	return edit_add_block(&l->edit, edit_auto_label(&l->edit, &k));
}

Block *lower_block(LowerFn *l, int at)
{
	Block *b = lower_new_block(l);
	edit_move_last(&l->edit, at);
	return b;
}

int lower_position(const LowerFn *l, const Block *b)
{
	int at = 0;
	while (l->f->block.v[at] != b)
		at++;
	return at;
}

Opd lower_target(Block *b) { return (Opd){ OPD_BLOCK, 0, 0, (int64_t)(intptr_t)b }; }

void lower_targets(Function *f)
{
	function_number(f);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; op_info[i->op].kind == K_RECONV && o < i->nsrc; o++)
				if (ins_src(i, o)->kind == OPD_BLOCK)
					*ins_src(i, o) = (Opd){ OPD_BLOCK, 0,
						((Block *)(intptr_t)ins_src(i, o)->imm)->id, 0 };
		}
}
