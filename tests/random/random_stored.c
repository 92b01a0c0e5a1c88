/* Loads of what the thread has stored before, or nearly: of another type or width, beside it, behind a guard
 * that changes, on one way of two, in another round of a loop, behind other stores, atomics and barriers, and
 * of a word that a neighbour has written in the meantime. */
#include "tests/random/random_gen.h"

enum { ROOM = 16 };                    /* bytes from the base on that accesses come to; of shared words 4 */

/* Where accesses go: a register or a symbol of a space. */
typedef struct Where { const char *space; Opd base; unsigned room, align; } Where;

static Where somewhere(Gen *g)
{
	Where w = { ".global", { OPD_REG, 0, g->slot, (int64_t)rnd(g, 3) * 16 }, ROOM, 16 };
	uint32_t which = rnd(g, 6);
	if (which == 0 && g->local >= 0) {
		w.base = opd_reg(symbol_address(g, g->local, &w.space));
		w.align = 8;
		used(g, RF_LOCAL);
	} else if (which == 1 && g->local >= 0) {
		w = (Where){ ".local", { OPD_SYM, 0, g->local, 8 }, ROOM, 8 };
		used(g, RF_LOCAL);
	} else if (which == 2 && g->mine >= 0) {
		w = (Where){ ".shared", opd_reg(thread_address(g, g->mine, g->tid)), 4, 4 };
		used(g, RF_SHARED);
	} else if (which == 3) { /* a register that changes */
		int offset = small(g, 16);
		w.base = opd_reg(emit2(g, "add.u64", T_U64, opd_reg(g->slot),
			opd_reg(emit1(g, "cvt.u64.u32", T_U64, opd_reg(offset)))));
	}
	return w;
}

static bool like(Type a, Type b) { return type_bits[a] == type_bits[b]; }

/* An access to the place, most often as wide as the type is and at the begin. */
static void touch(Gen *g, const Where *w, Type of, bool write, int guard, bool neg)
{
	Type t = memory_type(g);
	bool same = chance(g, 85);
	while (type_bytes(t) > (int)w->room || (same && !like(t, of)))
		t = memory_type(g);
	int most = (int)w->room / type_bytes(t), n = has(g, RF_VECTOR) && most > 1 &&
		2 * type_bytes(t) <= (int)w->align && chance(g, 30) ? 2 : 1;
	Opd at = w->base;
	unsigned bytes = (unsigned)(n * type_bytes(t));
	if (!chance(g, 75))
		at.imm += rnd(g, w->room / bytes) * bytes;
	if (n == 2)
		used(g, RF_VECTOR);
	memory_access(g, w->space, at, t, n, write);
	Ins *i = &vec_last(&g->b->ins);
	if (guard >= 0 && i->guard < 0) {
		i->guard = guard;
		i->guard_neg = neg;
		used(g, RF_GUARD);
	}
}

static void new_predicate(Gen *g, int reg)
{
	Ins i = op(g, "setp.lt.u32", 1, 2);
	i.opd[0] = opd_reg(reg);
	i.opd[1] = opd_reg(pick(g, POOL_32));
	i.opd[2] = opd_reg(pick(g, POOL_32));
	emit(g, i);
}

/* The address in the register moves on, and the place with it, most often not. */
static void move_on(Gen *g, Where *w)
{
	if (w->base.kind != OPD_REG || w->base.id == g->slot)
		return;
	Ins i = op(g, "add.u64", 1, 2);
	i.opd[0] = i.opd[1] = opd_reg(w->base.id);
	i.opd[2] = opd_imm(8);
	emit(g, i);
	/* in other spaces what lies behind is not the thread's */
	bool stays = rnd(g, 3) || w->room == 4 || strcmp(w->space, ".global");
	if (stays)
		w->base.imm -= 8;
	else
		w->align = 8;
}

static void between(Gen *g, Where *w, Type of, int pred)
{
	switch (rnd(g, 7)) {
	case 0: straight(g, 1 + (int)rnd(g, 3)); break;
	case 1: touch(g, w, of, true, -1, false); break;
	case 2: touch(g, w, of, true, pred, rnd(g, 2)); break;
	case 3:
		if (pred >= 0)
			new_predicate(g, pred);
		break;
	case 4: move_on(g, w); break;
	case 5:
		if (g->level == 2 && has(g, RF_SHARED))
			block_barrier(g);
		break;
	default: memory_statement(g); break;
	}
}

static void straight_on(Gen *g, Where *w, Type of)
{
	int pred = has(g, RF_GUARD) && rnd(g, 2) ? pick(g, POOL_PRED) : -1;
	bool neg = rnd(g, 2);
	touch(g, w, of, true, pred, neg);
	for (int k = (int)rnd(g, 4); k > 0; k--)
		between(g, w, of, pred);
	touch(g, w, of, false, pred, rnd(g, 4) ? neg : !neg);
	if (rnd(g, 2))
		touch(g, w, of, false, -1, false);
}

/* On both ways, on one, with other values or the same. */
static void two_ways(Gen *g, Where *w, Type of)
{
	Block *arm[2] = { block(g), block(g) }, *end = block(g);
	int outer = g->level;
	if (rnd(g, 2))
		touch(g, w, of, true, -1, false);
	branch_if(g, condition(g), arm[0], arm[1]);
	g->level = 0;
	for (int k = 0; k < 2; k++) {
		open_block(g, arm[k]);
		if (rnd(g, 4))
			touch(g, w, of, true, -1, false);
		straight(g, (int)rnd(g, 2));
		block_jump(g->m, g->b, end);
	}
	open_block(g, end);
	g->level = outer;
	touch(g, w, of, false, -1, false);
}

static void rounds(Gen *g, Where *w, Type of)
{
	int i = emit1(g, "mov.u32", T_U32, opd_imm(1 + rnd(g, 3)));
	Block *body = block(g), *next = block(g);
	if (rnd(g, 2))
		touch(g, w, of, true, -1, false);
	block_jump(g->m, g->b, body);
	open_block(g, body);
	bool write = rnd(g, 2);
	touch(g, w, of, write, -1, false);
	straight(g, (int)rnd(g, 2));
	touch(g, w, of, !write, -1, false);
	Ins sub = op(g, "sub.u32", 1, 2);
	sub.opd[0] = sub.opd[1] = opd_reg(i);
	sub.opd[2] = opd_imm(1);
	emit(g, sub);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(i), opd_imm(0)), body, next);
	open_block(g, next);
	if (rnd(g, 2))
		touch(g, w, of, false, -1, false);
}

static void word(Gen *g, bool write, int index)
{
	Ins i = op(g, write ? "st.shared.u32" : "ld.shared.u32", !write, 1 + write);
	int a = thread_address(g, g->shared_in, index);
	*ins_src(&i, 0) = opd_reg(a);
	i.opd[write] = opd_reg(a);
	i.opd[!write ? 0 : 1] = opd_reg(pick(g, POOL_32));
	emit(g, i);
}

/* The thread's word, behind barriers: its own value still, or the neighbour's. */
static void neighbours(Gen *g)
{
	uint32_t threads = g->k->block[0] * g->k->block[1];
	int next = emit2(g, "add.u32", T_U32, opd_reg(g->tid), opd_imm(1));
	next = emit2(g, "rem.u32", T_U32, opd_reg(next), opd_imm(threads));
	word(g, true, g->tid);
	block_barrier(g);
	if (rnd(g, 2))
		word(g, false, g->tid);
	if (rnd(g, 2)) {
		block_barrier(g);
		word(g, true, next);
		block_barrier(g);
	}
	word(g, false, g->tid);
	block_barrier(g);
	used(g, RF_SHARED);
}

void stored_again(Gen *g)
{
	if (g->level == 2 && has(g, RF_SHARED) && g->shared_in >= 0 && rnd(g, 2)) {
		neighbours(g);
		return;
	}
	Where w = somewhere(g);
	Type of = memory_type(g);
	while (type_bytes(of) > (int)w.room)
		of = memory_type(g);
	switch (rnd(g, 4)) {
	case 0: two_ways(g, &w, of); break;
	case 1: rounds(g, &w, of); break;
	default: straight_on(g, &w, of); break;
	}
}
