/* Which instructions may be computed again. */
#include "isa/effects.h"
#include "passes/analysis/values.h"

bool ins_copies(const Function *f, const Ins *i)
{
	if (i->op != OP_MOV || ins_src(i, 0)->kind != OPD_REG || ins_src(i, 0)->neg ||
		ins_dst(i, 0)->kind != OPD_REG)
		return false;
	int d = f->reg.v[ins_dst(i, 0)->id].type, s = f->reg.v[ins_src(i, 0)->id].type;
	return type_bits[d] == type_bits[s] && type_bits[d] == type_bits[i->type];
}

bool ins_moves(const Ins *i)
{
	return i->op == OP_MOV && (ins_src(i, 0)->kind == OPD_REG || ins_src(i, 0)->kind == OPD_IMM);
}

bool ins_repeats(const Ins *i, uint8_t *reads)
{
	Effects e = ins_effects(NULL, i);
	*reads = e.reads & SPACES_WRITTEN;
	if (i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG ||
		(op_info[i->op].kind != K_ALU && (i->op != OP_LD || i->cop == COP_CV)))
		return false;
	return !e.ordered && !e.carry_in && !e.carry_out && !e.varies;
}
