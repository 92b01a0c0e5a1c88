/* Meetings of the whole grid: between two of its barriers each thread reads what another one, of any block,
 * has left in its slot of `out`. The number of rounds is the same for all threads. It has random numbers of
 * its own, so that the rest of a kernel is the same with and without it. */
#include "tests/random/random_gen.h"

static void meet(Gen *g) { emit(g, op(g, "barrier.grid", 0, 0)); }

/* The slot of the thread so many behind this one, of the first again behind the last. */
static int other_slot(Gen *g, uint32_t behind)
{
	int block = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_CTAID_X, 0 });
	int before = emit2(g, "mul.lo.u32", T_U32, opd_reg(block), opd_imm(g->k->block[0] * g->k->block[1]));
	int own = emit2(g, "add.u32", T_U32, opd_reg(before), opd_reg(g->tid));
	int later = emit2(g, "add.u32", T_U32, opd_reg(own), opd_imm(behind));
	int other = emit2(g, "rem.u32", T_U32, opd_reg(later), opd_imm(g->k->threads));
	int from = emit2(g, "mul.wide.u32", T_U64, opd_reg(own), opd_imm(RANDOM_SLOT_BYTES));
	int to = emit2(g, "mul.wide.u32", T_U64, opd_reg(other), opd_imm(RANDOM_SLOT_BYTES));
	int first = emit2(g, "sub.u64", T_U64, opd_reg(g->slot), opd_reg(from));
	return emit2(g, "add.u64", T_U64, opd_reg(first), opd_reg(to));
}

static void round_of(Gen *g, int64_t word, int slot)
{
	Ins put = op(g, "st.global.u32", 0, 2), take = op(g, "ld.global.u32", 1, 1);
	put.opd[0] = (Opd){ OPD_REG, 0, g->slot, word };
	put.opd[1] = opd_reg(pick(g, POOL_32));
	emit(g, put);
	meet(g);
	take.opd[0] = opd_reg(pick(g, POOL_32));
	take.opd[1] = (Opd){ OPD_REG, 0, slot, chance(g, 50) ? word
		: 4 * (int64_t)rnd(g, RANDOM_SLOT_BYTES / 4) };
	emit(g, take);
	meet(g);
}

static void rounds(Gen *g)
{
	int64_t word = 4 * (int64_t)rnd(g, RANDOM_SLOT_BYTES / 4);
	int slot = other_slot(g, rnd(g, g->k->threads));
	int i = emit1(g, "mov.u32", T_U32, opd_imm(1 + rnd(g, 3)));
	Block *body = block(g), *next = block(g);
	block_jump(g->m, g->b, body);
	open_block(g, body);
	round_of(g, word, slot);
	Ins sub = op(g, "sub.u32", 1, 2);
	sub.opd[0] = sub.opd[1] = opd_reg(i);
	sub.opd[2] = opd_imm(1);
	emit(g, sub);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(i), opd_imm(0)), body, next);
	open_block(g, next);
}

void grid_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost;
	g->state = g->meeting;
	g->chosen = g->p->nchoices;
	if (has(g, RF_GRID) && chance(g, 60)) {
		if (rnd(g, 2))
			rounds(g);
		else
			round_of(g, 4 * (int64_t)rnd(g, RANDOM_SLOT_BYTES / 4),
				other_slot(g, rnd(g, g->k->threads)));
		used(g, RF_GRID);
	}
	g->meeting = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
}
