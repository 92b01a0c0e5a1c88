/* Chains of loads: each thread goes from word to word of `in`, and each word says where the next one is.
 * Lanes of a warp need different lines, so loads come back lane by lane, and lanes meet others that still
 * wait. A chain has random numbers of its own, so that the rest of a kernel is the same with and without
 * it. */
#include "tests/random/random_gen.h"

static void chase(Gen *g)
{
	int at = emit2(g, "and.b32", T_U32, opd_reg(pick(g, POOL_32)), opd_imm(RANDOM_IN_BYTES - 4));
	for (int n = 2 + (int)rnd(g, 4); n; n--) {
		int wide = emit1(g, "cvt.u64.u32", T_U64, opd_reg(at));
		int address = emit2(g, "add.u64", T_U64, opd_reg(g->in), opd_reg(wide));
		int word = emit1(g, "ld.global.u32", T_U32, (Opd){ OPD_REG, 0, address, 0 });
		at = emit2(g, "and.b32", T_U32, opd_reg(word), opd_imm(RANDOM_IN_BYTES - 4));
	}
	Ins i = op(g, "xor.b32", 1, 2);
	int into = pick(g, POOL_32);
	i.opd[0] = opd_reg(into);
	i.opd[1] = opd_reg(into);
	i.opd[2] = opd_reg(at);
	guard(g, &i);
	emit(g, i);
	used(g, RF_CHASE);
}

void chase_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost, unlike = g->unlike;
	g->state = g->chases;
	g->chosen = g->p->nchoices;
	g->unlike = 0;
	if (has(g, RF_CHASE) && chance(g, 30))
		chase(g);
	g->chases = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
	g->unlike = unlike;
}
