/* Random functions for the brute-force tests of analyses: any graph (irreducible, brx, exits in the middle,
 * blocks that cannot be reached), few registers that are written and read in many places, guards, two
 * results, arguments and results of device functions. */
#ifndef TEST_RANDOM_FUNCTION_H
#define TEST_RANDOM_FUNCTION_H
#include "passes/analysis/analysis.h"
#include "tests/random.h"

typedef struct RandomShape {
	int blocks, values, preds, most;   /* most: instructions of a block before its terminator */
	int forward;                       /* of 100 edges lead onwards */
	int guarded;                       /* of 100 instructions */
	bool device;
} RandomShape;

static inline int pick(uint64_t *rng, int n) { return (int)(random_next(rng) % (uint64_t)n); }

static inline Block *random_target(const Function *f, uint64_t *rng, int b, const RandomShape *s)
{
	int n = f->block.n;
	return f->block.v[b + 1 < n && pick(rng, 100) < s->forward
		? b + 1 + pick(rng, n - b - 1) % 3 % (n - b - 1) : pick(rng, n)];
}

static inline void random_end(Module *m, Function *f, uint64_t *rng, int b, const RandomShape *s)
{
	Block *x = f->block.v[b];
	int kind = pick(rng, 20);
	if (b == f->block.n - 1 || !kind) {
		Ins i = ins_make(m, s->device ? OP_RET : OP_EXIT, T_NONE, 0, f->ret.n);
		for (int k = 0; k < i.nsrc; k++) /* of the function's own register, or of any other */
			i.opd[k] = opd_reg(pick(rng, 3) ? f->ret.v[k] : pick(rng, s->values));
		vec_push(&x->ins, i);
	} else if (kind < 8) {
		block_jump(m, x, random_target(f, rng, b, s));
	} else if (kind < 18) {
		Block *yes = random_target(f, rng, b, s), *no = random_target(f, rng, b, s);
		block_branch(m, x, s->values + pick(rng, s->preds), pick(rng, 2), yes, no);
	} else {
		Ins i = ins_make(m, OP_BRX, T_NONE, 0, 1);
		i.opd[0] = opd_reg(pick(rng, s->values));
		vec_push(&x->ins, i);
		x->nsucc = 3 + pick(rng, 3);
		x->succ = arena_array(&m->arena, Block *, x->nsucc);
		for (int k = 0; k < x->nsucc; k++)
			x->succ[k] = random_target(f, rng, b, s);
	}
}

static inline Opd random_value(uint64_t *rng, const RandomShape *s)
{
	return pick(rng, 5) ? opd_reg(pick(rng, s->values)) : opd_imm(pick(rng, 4));
}

static inline Ins random_ins(Module *m, uint64_t *rng, const RandomShape *s)
{
	int kind = pick(rng, 8);
	Ins i;
	if (kind == 0) {
		i = ins_make(m, OP_SETP, T_U32, 2, 2);
		i.cmp = CMP_LT;
		i.opd[0] = opd_reg(s->values + pick(rng, s->preds));
		i.opd[1] = pick(rng, 2) ? opd_reg(s->values + pick(rng, s->preds)) : (Opd){ 0 };
	} else if (kind == 1) {
		i = ins_make(m, OP_SELP, T_U32, 1, 3);
		i.opd[0] = opd_reg(pick(rng, s->values));
		i.opd[3] = opd_reg(s->values + pick(rng, s->preds));
	} else {
		i = ins_make(m, kind == 2 ? OP_MOV : kind == 5 ? OP_ADDC : kind < 6 ? OP_ADD : OP_MUL, T_U32,
			1, kind == 2 ? 1 : 2);
		i.hilo = kind < 6 ? HILO_NONE : HILO_LO;
		i.cc = (kind == 4 || kind == 5) && pick(rng, 2);
		i.opd[0] = opd_reg(pick(rng, s->values));
	}
	for (int k = 0; k < i.nsrc && k < 2; k++)
		*ins_src(&i, k) = random_value(rng, s);
	if (pick(rng, 100) < s->guarded) {
		i.guard = s->values + pick(rng, s->preds);
		i.guard_neg = (uint8_t)pick(rng, 2);
	}
	return i;
}

static inline Function *random_function(Module *m, uint64_t *rng, const RandomShape *s)
{
	char name[16];
	snprintf(name, sizeof name, "f%d", m->func.n);
	Function *f = function_new(m, s->device ? FN_DEVICE : FN_KERNEL, arena_strdup(&m->arena, name));
	for (int r = 0; r < s->values + s->preds; r++)
		function_reg(m, f, NULL, r < s->values ? T_U32 : T_PRED);
	if (s->device) {
		vec_push(&f->arg, 0);
		vec_push(&f->arg, 1);
		vec_push(&f->ret, pick(rng, s->values));
	}
	for (int b = 0; b < s->blocks; b++)
		function_block(m, f, NULL);
	for (int b = 0; b < s->blocks; b++) {
		for (int k = pick(rng, s->most + 1); k > 0; k--)
			vec_push(&f->block.v[b]->ins, random_ins(m, rng, s));
		random_end(m, f, rng, b, s);
	}
	function_number(f);
	return f;
}

/* Sizes and habits of all kinds, by the seed. */
static inline RandomShape random_shape(uint64_t *rng, int blocks)
{
	return (RandomShape){ 1 + pick(rng, blocks), 2 + pick(rng, 5), 1 + pick(rng, 3), 1 + pick(rng, 5),
		40 + 20 * pick(rng, 4), 15 * pick(rng, 3),
		pick(rng, 3) == 0 };
}

/* ---- what an instruction does to a register, read off the operands ---- */
static inline bool judge_reads(const Function *f, const Ins *i, int reg)
{
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && ins_src(i, k)->id == reg)
			return true;
	if (reg == function_carry(f) && (i->op == OP_ADDC || (i->op == OP_RET && f->kind == FN_DEVICE)))
		return true;
	return i->guard == reg;
}

static inline bool judge_writes(const Function *f, const Ins *i, int reg)
{
	if (i->cc && reg == function_carry(f))
		return true;
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && ins_dst(i, k)->id == reg)
			return true;
	return false;
}
#endif
