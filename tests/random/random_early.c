/* Threads that end before others of their block meet at barriers: guards of bounds, returns in the rounds of
 * a loop, with a store before the end and without. Ends may be shared by several of them. It has random
 * numbers of its own, so that the rest of a kernel is the same with and without it. */
#include "isa/launch.h"
#include "tests/random/random_gen.h"

/* Holds for threads from some number on, as a guard of bounds has it, or for any. */
static int some(Gen *g)
{
	uint32_t threads = g->k->block[0] * g->k->block[1];
	return rnd(g, 3) ? emit2(g, "setp.ge.u32", T_PRED, opd_reg(g->tid), opd_imm(1 + rnd(g, threads)))
		: condition(g);
}

static void end_here(Gen *g) { emit(g, op(g, rnd(g, 2) ? "exit" : "ret", 0, 0)); }

/* Some of the threads that are here end, and those that stay go on in a new block. plain: nothing is done
   before the end. */
static void some_end(Gen *g, Block *end, bool plain)
{
	bool stores = !plain && rnd(g, 2), shared = rnd(g, 2), own = stores || !shared;
	Block *last = own ? block(g) : end, *next = block(g);
	int p = some(g);
	bool first = rnd(g, 2);
	branch(g, p, first ? last : next, first ? next : last);
	open_block(g, own ? last : next);
	if (stores) {
		Ins i = op(g, "st.global.u32", 0, 2);
		i.opd[0] = opd_reg(g->slot);
		i.opd[1] = value(g, T_U32);
		emit(g, i);
	}
	if (own && shared)
		jump(g, end);
	else if (own)
		end_here(g);
	open_block(g, next);
}

/* On one side of a branch some end, and the others meet those of the other side. */
static void some_end_inside(Gen *g, Block *end)
{
	Block *yes = block(g), *no = block(g), *meet = block(g);
	branch(g, some(g), yes, no);
	open_block(g, yes);
	some_end(g, end, !g->p->ends);
	jump(g, meet);
	open_block(g, no);
	straight(g, 1);
	jump(g, meet);
	open_block(g, meet);
}

static Ins barrier(Gen *g)
{
	Ins i = op(g, "bar.sync", 0, 1);
	i.opd[0] = opd_imm(rnd(g, 3) ? 0 : rnd(g, BARRIERS));
	return i;
}

static void put_word(Gen *g)
{
	Ins put = op(g, "st.shared.u32", 0, 2);
	put.opd[0] = opd_reg(thread_address(g, g->shared_in, g->tid));
	put.opd[1] = opd_reg(pick(g, POOL_32));
	emit(g, put);
	emit(g, barrier(g));
}

/* Threads that are left leave a word each, and read that of another one, which may have ended since it left
   it. */
static void exchange(Gen *g)
{
	uint32_t threads = g->k->block[0] * g->k->block[1];
	int sum = emit2(g, "add.u32", T_U32, opd_reg(g->tid), opd_imm(rnd(g, threads)));
	int other = emit2(g, "rem.u32", T_U32, opd_reg(sum), opd_imm(threads));
	put_word(g);
	Ins take = op(g, "ld.shared.u32", 1, 1);
	take.opd[0] = opd_reg(pick(g, POOL_32));
	take.opd[1] = opd_reg(thread_address(g, g->shared_in, other));
	emit(g, take);
	emit(g, barrier(g));
}

/* What the threads that are left agree on. */
static void vote(Gen *g)
{
	bool count = rnd(g, 2);
	Ins i = op(g, count ? "bar.red.popc.u32" : rnd(g, 2) ? "bar.red.and.pred" : "bar.red.or.pred", 1, 3);
	i.opd[0] = opd_reg(pick(g, count ? POOL_32 : POOL_PRED));
	i.opd[1] = opd_imm(rnd(g, BARRIERS));
	i.opd[3] = predicate(g);
	emit(g, i);
}

static void some_end_others_meet(Gen *g, Block *end)
{
	if (rnd(g, 3))
		some_end(g, end, false);
	else
		some_end_inside(g, end);
	if (rnd(g, 3))
		exchange(g);
	else
		vote(g);
}

static void rounds(Gen *g, Block *end)
{
	int i = emit1(g, "mov.u32", T_U32, opd_imm(1 + rnd(g, 4)));
	Block *body = block(g), *next = block(g);
	jump(g, body);
	open_block(g, body);
	some_end_others_meet(g, end);
	Ins sub = op(g, "sub.u32", 1, 2);
	sub.opd[0] = sub.opd[1] = opd_reg(i);
	sub.opd[2] = opd_imm(1);
	emit(g, sub);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(i), opd_imm(0)), body, next);
	open_block(g, next);
}

static void early_ends(Gen *g)
{
	Block *end = block(g);
	put_word(g);
	for (int n = 1 + (int)rnd(g, 3); n > 0; n--)
		if (rnd(g, 3))
			some_end_others_meet(g, end);
		else
			rounds(g, end);
	used(g, RF_EXIT | RF_SHARED);
	if (rnd(g, 2)) {               /* the only end of the kernel */
		g->end = end;
		return;
	}
	Block *next = block(g);
	jump(g, next);
	open_block(g, end);
	end_here(g);
	open_block(g, next);
}

void early_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost;
	g->state = g->early;
	g->chosen = g->p->nchoices;
	if (has(g, RF_EXIT) && has(g, RF_SHARED) && (g->p->ends || rnd(g, 2)))
		early_ends(g);
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
}
