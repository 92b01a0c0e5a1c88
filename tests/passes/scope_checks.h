/* Checks in a kernel of what the analysis says is uniform in a block or in the grid. Each check stands in
 * front of a use that is said to be uniform, in a block in which threads are not apart. Threads count the
 * checks to which they come. The first one that comes to its nth leaves, in the nth place of a row behind the
 * kernel's own buffer `out` (a row for each block of the grid, or one for all), which check that is and the
 * value that it sees; another one that comes to its nth and finds something else there stops the kernel.
 * Checks behind the last place of the row look at nothing. */
#ifndef TEST_SCOPE_CHECKS_H
#define TEST_SCOPE_CHECKS_H
#include "isa/edit.h"
#include "passes/analysis/uniformity.h"

enum { SCOPE_PLACES = 1024 };

static inline uint32_t scope_check_bytes(const uint32_t grid[3])
{
	return grid[0] * grid[1] * grid[2] * SCOPE_PLACES * 8;
}

typedef struct ScopeChecks {
	Edit e;
	Rewrite w;
	int place, left;               /* registers: the row's next place; how many there are from there on */
	int value, half, old, is;      /* registers for a check */
	long n;
} ScopeChecks;

static inline Ins scope_ins(ScopeChecks *x, Op op, Type type, int nsrc, int dst, const Opd *src)
{
	Ins i = edit_new(&x->e, NULL, op, type, dst >= 0, nsrc);
	if (dst >= 0)
		i.opd[0] = opd_reg(dst);
	for (int k = 0; k < nsrc; k++)
		i.opd[(dst >= 0) + k] = src[k];
	i.hilo = op == OP_MUL ? HILO_LO : i.hilo;
	return i;
}

static inline void scope_put(ScopeChecks *x, Op op, Type type, int nsrc, int dst, Opd a, Opd b)
{
	edit_put(&x->w, scope_ins(x, op, type, nsrc, dst, (Opd[]){ a, b }));
}

static inline void scope_widen(ScopeChecks *x, int dst, int src, Type to, Type from)
{
	Ins i = scope_ins(x, OP_CVT, to, 1, dst, (Opd[]){ opd_reg(src) });
	i.type2 = from;
	edit_put(&x->w, i);
}

static inline void scope_compare(ScopeChecks *x, Type t, int cmp, Opd a, Opd b)
{
	Ins i = scope_ins(x, OP_SETP, t, 2, x->is, (Opd[]){ a, b });
	i.cmp = (uint8_t)cmp;
	edit_put(&x->w, i);
}

/* Writes the bits of the register to x->value; false: checks are not for its type. */
static inline bool scope_value(ScopeChecks *x, int reg)
{
	Type t = (Type)x->e.f->reg.v[reg].type;
	bool narrow = type_bits[t] == 16 && type_kind[t] != 'F';
	if (t == T_PRED) {
		edit_put(&x->w, scope_ins(x, OP_SELP, T_B64, 3, x->value,
			(Opd[]){ opd_imm(1), opd_imm(0), opd_reg(reg) }));
		return true;
	}
	if (type_bits[t] == 64) {
		scope_put(x, OP_MOV, T_B64, 1, x->value, opd_reg(reg), opd_imm(0));
		return true;
	}
	if (type_bits[t] != 32 && !narrow)
		return false;
	if (narrow)
		scope_widen(x, x->half, reg, T_U32, T_U16);
	else
		scope_put(x, OP_MOV, T_B32, 1, x->half, opd_reg(reg), opd_imm(0));
	scope_widen(x, x->value, x->half, T_U64, T_U32);
	return true;
}

/* What is left is odd, so that it differs from the zero which stands there first. */
static inline void scope_check(ScopeChecks *x, int reg)
{
	const Opd value = opd_reg(x->value), old = opd_reg(x->old), left = opd_reg(x->left);
	if (!scope_value(x, reg))
		return;
	scope_put(x, OP_XOR, T_B64, 2, x->value, value, opd_imm((int64_t)(x->n++) << 40));
	scope_put(x, OP_SHL, T_B64, 2, x->value, value, opd_imm(1));
	scope_put(x, OP_OR, T_B64, 2, x->value, value, opd_imm(1));
	scope_put(x, OP_MOV, T_B64, 1, x->old, opd_imm(0), opd_imm(0));
	scope_compare(x, T_U32, CMP_NE, left, opd_imm(0));
	Ins i = scope_ins(x, OP_ATOM, T_B64, 3, x->old, (Opd[]){ opd_reg(x->place), opd_imm(0), value });
	i.aop = AOP_CAS;
	i.space = SP_GLOBAL;
	i.guard = x->is;
	edit_put(&x->w, i);
	i = scope_ins(x, OP_SUB, T_U32, 2, x->left, (Opd[]){ left, opd_imm(1) });
	i.guard = x->is;
	edit_put(&x->w, i);
	scope_put(x, OP_ADD, T_U64, 2, x->place, opd_reg(x->place), opd_imm(8));
	scope_compare(x, T_U64, CMP_EQ, old, opd_imm(0));
	edit_put(&x->w, scope_ins(x, OP_SELP, T_B64, 3, x->old, (Opd[]){ value, old, opd_reg(x->is) }));
	scope_compare(x, T_U64, CMP_NE, old, value);
	i = scope_ins(x, OP_TRAP, T_NONE, 0, -1, NULL);
	i.guard = x->is;
	edit_put(&x->w, i);
}

/* Finds the row: each = SCOPE_PLACES places behind `out`, which has so many bytes. */
static inline void scope_begin(ScopeChecks *x, UniScope scope, uint32_t bytes)
{
	const Opd half = opd_reg(x->half), left = opd_reg(x->left);
	Ins i = scope_ins(x, OP_LD, T_U64, 1, x->place, (Opd[]){ { OPD_PARAM, 0, 1, 0 } });
	i.space = SP_PARAM;
	edit_put(&x->w, i);
	scope_put(x, OP_ADD, T_U64, 2, x->place, opd_reg(x->place), opd_imm(bytes));
	scope_put(x, OP_MOV, T_U32, 1, x->half, opd_imm(0), opd_imm(0));
	for (int k = 3; k-- > 0 && scope == UNI_BLOCK;) {
		scope_put(x, OP_MOV, T_U32, 1, x->left, (Opd){ OPD_SREG, 0, SREG_NCTAID_X + k, 0 }, half);
		scope_put(x, OP_MUL, T_U32, 2, x->half, half, left);
		scope_put(x, OP_MOV, T_U32, 1, x->left, (Opd){ OPD_SREG, 0, SREG_CTAID_X + k, 0 }, half);
		scope_put(x, OP_ADD, T_U32, 2, x->half, half, left);
	}
	scope_put(x, OP_MUL, T_U32, 2, x->half, half, opd_imm(SCOPE_PLACES * 8));
	scope_widen(x, x->value, x->half, T_U64, T_U32);
	scope_put(x, OP_ADD, T_U64, 2, x->place, opd_reg(x->place), opd_reg(x->value));
	scope_put(x, OP_MOV, T_U32, 1, x->left, opd_imm(SCOPE_PLACES), half);
}

/* Returns how many there are. bytes: of `out`; behind it the caller adds scope_check_bytes. Afterwards the
   analysis is stale. */
static inline long add_scope_checks(Module *m, const Cfg *c, const Uniformity *u, BitSet apart,
	uint32_t bytes)
{
	ScopeChecks x = { .e = edit_open(m, c->f, 0) };
	const int carry = function_carry(c->f); /* a number that the first new register gets */
	x.place = edit_reg(&x.e, "place", T_U64);
	x.left = edit_reg(&x.e, "left", T_U32);
	x.value = edit_reg(&x.e, "value", T_B64);
	x.half = edit_reg(&x.e, "half", T_B32);
	x.old = edit_reg(&x.e, "old", T_B64);
	x.is = edit_reg(&x.e, "is", T_PRED);
	for (int b = 0; b < c->nreach; b++) {
		int id = c->rpo[b]->id, number = u->ssa->ins_first[id];
		const Ins *i = edit_rewrite(&x.w, &x.e, c->rpo[b]);
		if (!b)
			scope_begin(&x, u->options.scope, bytes);
		for (; i; i = edit_next(&x.w), number++) {
			for (int use = u->ssa->use_first[number]; use < u->ssa->use_first[number + 1] &&
				!bs_has(apart, id); use++) {
				int reg = u->ssa->version[u->ssa->use[use]].reg;
				if (!u->use[use] && reg != carry)
					scope_check(&x, reg);
			}
			edit_put(&x.w, *i);
		}
	}
	edit_close(&x.e);
	return x.n;
}
#endif
