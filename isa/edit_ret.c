/* Returns, and the registers in which they give their results. */
#include "isa/edit.h"

Ins edit_ret(const Edit *e, const Ins *like)
{
	Ins i = edit_new(e, like, OP_RET, T_NONE, 0, e->f->ret.n);
	for (int k = 0; k < i.nsrc; k++)
		i.opd[k] = opd_reg(e->f->ret.v[k]);
	return i;
}

/* Inserts a move from register `from` to `to` in front of the block's last instruction. */
static void copy_result(Edit *e, Block *b, int to, int from)
{
	static const Type of_width[] = { [1] = T_PRED, [8] = T_B8, [16] = T_B16, [32] = T_B32, [64] = T_B64 };
	Ins i = edit_new(e, block_term(b), OP_MOV, of_width[type_bits[e->f->reg.v[to].type]], 1, 1);
	i.opd[0] = opd_reg(to);
	i.opd[1] = opd_reg(from);
	edit_insert(e, b, b->ins.n - 1, i);
}

/* Moves the value of register reg to a new register if a result behind the k-th still reads reg, and lets
   these results read the new one. */
static void save_from(Edit *e, Block *b, int k, int reg)
{
	int other = -1;
	for (int j = k + 1; j < block_term(b)->nsrc; j++) {
		if (ins_src(block_term(b), j)->id != reg)
			continue;
		if (other < 0) {
			other = edit_temp(e, (Type)e->f->reg.v[reg].type);
			copy_result(e, b, other, reg);
		}
		*ins_src(block_term(b), j) = opd_reg(other);
	}
}

void edit_own_results(Edit *e, Block *b)
{
	if (block_term(b)->op != OP_RET)
		return;
	for (int k = 0; k < block_term(b)->nsrc; k++) {
		int own = e->f->ret.v[k], from = ins_src(block_term(b), k)->id;
		if (from == own)
			continue;
		save_from(e, b, k, own);
		copy_result(e, b, own, from);
		*ins_src(block_term(b), k) = opd_reg(own);
	}
}
