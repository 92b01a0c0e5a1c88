/* Checks in a kernel of what the analysis says is uniform: in front of each use of a register that is said to
 * be, lanes that execute it together compare what they have there, and the kernel stops itself where it
 * differs. The conditions of branches and guards are uses, too. */
#ifndef TEST_UNIFORM_CHECKS_H
#define TEST_UNIFORM_CHECKS_H
#include "isa/edit.h"
#include "passes/analysis/uniformity.h"

typedef struct UniformChecks {
	Edit e;
	const Uniformity *u;
	int mask, seen, all, narrow, wide; /* registers */
	long n;
} UniformChecks;

static inline void checks_put(UniformChecks *x, Rewrite *w, Op op, Type type, int ndst, int nsrc,
	const Opd *opd, int guard)
{
	Ins i = edit_new(&x->e, NULL, op, type, ndst, nsrc);
	for (int k = 0; k < ndst + nsrc; k++)
		i.opd[k] = opd[k];
	i.guard = guard;
	i.guard_neg = guard >= 0;
	if (op == OP_CVT)
		i.type2 = T_U16;
	if (op == OP_MATCH) {
		i.mode = MODE_ALL;
		i.flags = INSF_SYNC;
	}
	edit_put(w, i);
}

/* The register's bits in one that match takes; -1: there is no such. */
static inline int checks_bits(UniformChecks *x, Rewrite *w, int reg)
{
	Type t = (Type)x->e.f->reg.v[reg].type;
	if (t == T_PRED)
		checks_put(x, w, OP_SELP, T_B32, 1, 3, (Opd[]){ opd_reg(x->narrow), opd_imm(1), opd_imm(0),
			opd_reg(reg) }, -1);
	else if (type_bits[t] == 16 && type_kind[t] != 'F')
		checks_put(x, w, OP_CVT, T_U32, 1, 1, (Opd[]){ opd_reg(x->narrow), opd_reg(reg) }, -1);
	else if (type_bits[t] == 32 || type_bits[t] == 64)
		checks_put(x, w, OP_MOV, type_bits[t] == 32 ? T_B32 : T_B64, 1, 1,
			(Opd[]){ opd_reg(type_bits[t] == 32 ? x->narrow : x->wide), opd_reg(reg) }, -1);
	else
		return -1;
	return type_bits[t] == 64 ? x->wide : x->narrow;
}

static inline void checks_before(UniformChecks *x, Rewrite *w, int reg)
{
	int bits = checks_bits(x, w, reg);
	if (bits < 0)
		return;
	checks_put(x, w, OP_ACTIVEMASK, T_B32, 1, 0, (Opd[]){ opd_reg(x->mask) }, -1);
	checks_put(x, w, OP_MATCH, bits == x->wide ? T_B64 : T_B32, 2, 2,
		(Opd[]){ opd_reg(x->seen), opd_reg(x->all), opd_reg(bits), opd_reg(x->mask) }, -1);
	checks_put(x, w, OP_TRAP, T_NONE, 0, 0, NULL, x->all);
	x->n++;
}

/* Returns how many. Afterwards the analysis is stale. */
static inline long add_uniform_checks(Module *m, const Cfg *c, const Uniformity *u)
{
	UniformChecks x = { .e = edit_open(m, c->f, 0), .u = u };
	const int carry = function_carry(c->f); /* a number that the first new register gets */
	x.mask = edit_reg(&x.e, "mask", T_B32);
	x.seen = edit_reg(&x.e, "seen", T_B32);
	x.all = edit_reg(&x.e, "all", T_PRED);
	x.narrow = edit_reg(&x.e, "narrow", T_B32);
	x.wide = edit_reg(&x.e, "wide", T_B64);
	for (int b = 0; b < c->nreach; b++) {
		Rewrite w;
		int number = u->ssa->ins_first[c->rpo[b]->id];
		for (const Ins *i = edit_rewrite(&w, &x.e, c->rpo[b]); i; i = edit_next(&w), number++) {
			for (int use = u->ssa->use_first[number]; use < u->ssa->use_first[number + 1];
				use++) {
				int reg = u->ssa->version[u->ssa->use[use]].reg;
				if (!u->use[use] && reg != carry)
					checks_before(&x, &w, reg);
			}
			edit_put(&w, *i);
		}
	}
	edit_close(&x.e);
	return x.n;
}
#endif
