/* What the operation table says of an instruction: its unit, the types of its operands. */
#include "isa/ir.h"
#include <string.h>

static Unit convert_unit(Type to, Type from)
{
	bool integers = type_kind[to] != 'F' && type_kind[from] != 'F';
	int to_bits = type_bits[to], from_bits = type_bits[from];
	if (to == T_F64 || from == T_F64)
		return UNIT_CVTF64;
	if (to_bits == 64 || from_bits == 64)
		return integers ? UNIT_WIDEN : UNIT_CVT64;
	return integers && to_bits == 32 && from_bits < 32 ? UNIT_CVT8 : UNIT_CVT;
}

/* div, rem, rcp, sqrt, rsqrt: an operation that is rounded as IEEE 754 says is code on a GPU, which the pipe
   of the fma of its width bounds; an approximation is one operation of the SFU. */
static Unit divide_unit(const Ins *i)
{
	bool root = i->op == OP_SQRT || i->op == OP_RSQRT;
	if (i->type == T_F64 && !(i->approx != APPROX_NONE && i->ftz))
		return root ? UNIT_ROOTF64 : i->op == OP_RCP ? UNIT_RCPF64 : UNIT_DIVF64;
	if (i->type == T_F64 || (i->type == T_F32 && (i->approx != APPROX_NONE || i->op == OP_RSQRT)))
		return root ? UNIT_ROOT : UNIT_RCP;
	if (i->type == T_F32)
		return i->op == OP_DIV ? UNIT_DIVF32 : UNIT_ROOTF32;
	return type_bits[i->type] == 64 ? UNIT_DIV64 : UNIT_DIV32;
}

Unit ins_unit(const Ins *i)
{
	Unit u = op_info[i->op].unit;
	switch (i->op) {
	case OP_CVT: return convert_unit(i->type, i->type2);
	case OP_DIV: case OP_REM: case OP_RCP: case OP_SQRT: case OP_RSQRT: return divide_unit(i);
	case OP_MOV: case OP_SELP: case OP_SLCT: return u;
	case OP_SETP: case OP_SET: case OP_MIN: case OP_MAX:
		return i->type == T_F64 || (i->op == OP_SET && i->type2 == T_F64) ? UNIT_FP64 : u;
	default: break;
	}
	if (unit_parent[u] != UNIT_ALU && unit_parent[u] != UNIT_IMUL && unit_parent[u] != UNIT_FP32)
		return u;
	return i->type == T_F64 ? UNIT_FP64 : i->type == T_F32 ? UNIT_FP32 : u;
}

static Type letter_type(const Ins *i, char c)
{
	switch (c) {
	case 't': case 'v': return i->type;
	case 'w': return i->hilo == HILO_WIDE ? type_widened(i->type) : (Type)i->type;
	case '2': return i->type2;
	case 'p': return T_PRED;
	case 'u': return T_B32;
	case 'd': return T_B64;
	case 'a': return T_U64;
	default: return T_NONE;
	}
}

/* The letter of operand k on one side of the operands column of isa/ops.def, or 0; a 'v' stands for as many
   operands as the vector has, '*' for all that follow. */
static char operand_letter(const Ins *i, const char *s, int k)
{
	for (; *s && *s != ':'; s++) {
		int n = *s == 'v' && i->vec ? i->vec : 1;
		if (*s == '*' || k < n)
			return *s;
		k -= n;
		if (s[1] == '?')
			s++;
	}
	return 0;
}

Type ins_dst_type(const Ins *i, int k)
{
	if (i->op == OP_VOTE)
		return i->mode == MODE_BALLOT ? T_B32 : T_PRED;
	if (i->op == OP_BARRED)
		return i->aop == AOP_POPC ? T_U32 : T_PRED;
	return letter_type(i, operand_letter(i, op_info[i->op].operands, k));
}

Type ins_src_type(const Ins *i, int k)
{
	return letter_type(i, operand_letter(i, strchr(op_info[i->op].operands, ':') + 1, k));
}

Type ins_value_type(const Module *m, const Ins *i, int k)
{
	if ((i->op != OP_CALL && i->op != OP_LAUNCH) || k < 1)
		return ins_src_type(i, k);
	if (i->op == OP_LAUNCH && k < LAUNCH_ARGS) /* grid, block, dynamic shared memory, stream */
		return T_B32;
	const Opd *f = ins_src(i, 0);
	if (f->kind != OPD_FUNC || f->id < 0 || f->id >= m->func.n)
		return T_NONE;
	const Function *callee = m->func.v[f->id];
	if (i->op == OP_LAUNCH)
		return k - LAUNCH_ARGS < callee->param.n ? (Type)callee->param.v[k - LAUNCH_ARGS].type
			: T_NONE;
	return k - 1 < callee->arg.n ? (Type)callee->reg.v[callee->arg.v[k - 1]].type : T_NONE;
}
