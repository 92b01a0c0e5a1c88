/* Code that an optimiser ought to see through: loops whose results nobody reads, copies of copies, aborts
 * behind conditions that never hold, arms of branches that do alike, loads of what has been stored. It has
 * random numbers of its own, so that the rest of a kernel is the same with and without it. */
#include "tests/random/random_gen.h"

/* A fixed number of rounds, the same for all threads. */
static void dead_loop(Gen *g)
{
	int i = emit1(g, "mov.u32", T_U32, opd_imm(1 + rnd(g, 3))),
		sum = emit1(g, "mov.u32", T_U32, opd_imm(0));
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
	int from = pick(g, POOL_32), a = emit1(g, "mov.u32", T_U32, opd_reg(from)),
		b = emit1(g, "mov.b32", T_U32, opd_reg(a));
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
	int x = rnd(g, 3) ? small(g, 7) : emit1(g, "mov.u32", T_U32, opd_imm(5)),
		p = emit2(g, "setp.gt.u32", T_PRED, opd_reg(x), opd_imm(7));
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

/* May the instructions from number `at` on stand elsewhere, where no register from number `known` on has a
   value? */
static bool closed(const Gen *g, const Block *b, int at, int known)
{
	BitSet has = bs_new(&g->m->arena, g->f->reg.n);
	bool carry = at == 0;
	for (int k = at; k < b->ins.n - 1; k++) {
		const Ins *i = &b->ins.v[k];
		if ((i->guard >= known && !bs_has(has, i->guard)) ||
			(op_info[i->op].flags & OPF_CARRY && !carry))
			return false;
		carry |= i->cc;
		for (int s = 0; s < i->nsrc; s++)
			if (ins_src(i, s)->kind == OPD_REG && ins_src(i, s)->id >= known &&
				!bs_has(has, ins_src(i, s)->id))
				return false;
		for (int d = 0; d < i->ndst; d++)
			if (ins_dst(i, d)->kind == OPD_REG && i->guard < 0)
				bs_add(has, ins_dst(i, d)->id);
	}
	return true;
}

/* Two to four arms; the others end as the first one does, or are it. */
static void alike(Gen *g)
{
	enum { MOST = 4 };
	int n = has(g, RF_SWITCH) ? 2 + (int)rnd(g, MOST - 1) : 2, known = g->f->reg.n, outer = g->level;
	Block *arm[MOST], *end = block(g);
	for (int k = 0; k < n; k++)
		arm[k] = block(g);
	if (n == 2)
		branch_if(g, condition(g), arm[0], arm[1]);
	else
		indexed(g, n, arm);
	known = g->f->reg.n;
	g->level = 0;
	for (int k = 0; k < n; k++) {
		open_block(g, arm[k]);
		if (k == 0 || rnd(g, 3) == 0)
			straight(g, 1 + (int)rnd(g, 4));
		int at = k && rnd(g, 2) ? (int)rnd(g, (uint32_t)arm[0]->ins.n) : 0;
		for (int i = at; k && i < arm[0]->ins.n - 1 && closed(g, arm[0], at, known); i++) {
			Ins x = arm[0]->ins.v[i];
			x.opd = arena_array(&g->m->arena, Opd, x.ndst + x.nsrc + 1);
			memcpy(x.opd, arm[0]->ins.v[i].opd, sizeof *x.opd * (size_t)(x.ndst + x.nsrc));
			emit(g, x);
		}
		block_jump(g->m, g->b, end);
	}
	open_block(g, end);
	g->level = outer;
}

void idle_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost;
	g->state = g->idle;
	g->chosen = g->p->nchoices;
	if (has(g, RF_IDLE) && chance(g, 20)) {
		switch (rnd(g, 6)) {
		case 0: dead_loop(g); break;
		case 1: copies(g); break;
		case 2: alike(g); break;
		case 3: case 4: stored_again(g); break;
		default: never(g); break;
		}
		used(g, RF_IDLE);
	}
	g->idle = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
}
