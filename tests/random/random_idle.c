/* Code that an optimiser ought to see through: loops whose results nobody reads, copies of copies, aborts behind conditions that never hold. It has
 * random numbers of its own, so that the rest of a kernel is the same with and without it. */
#include "tests/random/random_gen.h"

/* A fixed number of rounds, the same for all threads. */
static void dead_loop(Gen *g)
{
	int i = emit1(g, "mov.u32", T_U32, opd_imm(1 + rnd(g, 3))), sum = emit1(g, "mov.u32", T_U32, opd_imm(0));
	Block *body = block(g), *next = block(g);
	block_jump(g->m, g->b, body);
	open_block(g, body);
	Ins add = op(g, "add.u32", 1, 2), sub = op(g, "sub.u32", 1, 2);
	add.opd[0] = add.opd[1] = opd_reg(sum);
	add.opd[2] = opd_reg(pick(g, POOL_32));
	emit(g, add);
	sub.opd[0] = sub.opd[1] = opd_reg(i);
	sub.opd[2] = opd_imm(1);
	emit(g, sub);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(i), opd_imm(0)), body, next);
	open_block(g, next);
}

/* The middle one may be guarded, and the original may be written before the last is read. */
static void copies(Gen *g)
{
	int from = pick(g, POOL_32), a = emit1(g, "mov.u32", T_U32, opd_reg(from)), b = emit1(g, "mov.b32", T_U32, opd_reg(a));
	Ins again = op(g, "mov.u32", 1, 1), use = op(g, "xor.b32", 1, 2);
	again.opd[0] = opd_reg(rnd(g, 2) ? a : b);
	again.opd[1] = opd_reg(rnd(g, 2) ? from : pick(g, POOL_32));
	if (has(g, RF_GUARD) && rnd(g, 2))
		again.guard = pick(g, POOL_PRED);
	emit(g, again);
	use.opd[0] = opd_reg(rnd(g, 2) ? from : pick(g, POOL_32));
	use.opd[1] = opd_reg(a);
	use.opd[2] = opd_reg(b);
	emit(g, use);
}

/* As a block of its own, or under a guard. */
static void never(Gen *g)
{
	int x = rnd(g, 3) ? small(g, 7) : emit1(g, "mov.u32", T_U32, opd_imm(5)), p = emit2(g, "setp.gt.u32", T_PRED, opd_reg(x), opd_imm(7));
	Ins trap = op(g, "trap", 0, 0);
	if (rnd(g, 2)) {
		trap.guard = p;
		emit(g, trap);
		return;
	}
	Block *abort = block(g), *next = block(g);
	branch_if(g, p, abort, next);
	open_block(g, abort);
	emit(g, trap);
	open_block(g, next);
}

void idle_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost;
	g->state = g->idle;
	g->chosen = g->p->nchoices;
	if (has(g, RF_IDLE) && chance(g, 20)) {
		switch (rnd(g, 3)) {
		case 0: dead_loop(g); break;
		case 1: copies(g); break;
		default: never(g); break;
		}
		used(g, RF_IDLE);
	}
	g->idle = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
}
