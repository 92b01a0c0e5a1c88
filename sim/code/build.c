/* Making instructions and blocks that lowering adds: they count as overhead. */
#include "passes/analysis/analysis.h"
#include "sim/code/code.h"

Ins lower_ins(LowerFn *l, Op op, Type type, int ndst, int nsrc)
{
	Ins i = ins_make(l->module, op, type, ndst, nsrc);
	i.origin = ORIGIN_LOWER;
	return i;
}

Ins lower_own(LowerFn *l, int own, int ndst, int nsrc)
{
	Ins i = lower_ins(l, OP_OWN, T_NONE, ndst, nsrc);
	i.mode = (uint8_t)own;
	return i;
}

void lower_put(Block *b, int *at, Ins i)
{
	vec_insert(&b->ins, *at, i);
	++*at;
}

Block *lower_block(LowerFn *l, int at)
{
	Function *f = l->f;
	Block *b = function_block(l->module, f, NULL);
	b->origin = ORIGIN_LOWER;
	f->block.n--;
	vec_insert(&f->block, at, b);
	return b;
}

int lower_position(const LowerFn *l, const Block *b)
{
	int at = 0;
	while (l->f->block.v[at] != b)
		at++;
	return at;
}

void lower_jump(LowerFn *l, Block *b, Block *to)
{
	block_jump(l->module, b, to);
	block_term(b)->origin = ORIGIN_LOWER;
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
					*ins_src(i, o) = (Opd){ OPD_BLOCK, 0, ((Block *)(intptr_t)ins_src(i, o)->imm)->id, 0 };
		}
}
