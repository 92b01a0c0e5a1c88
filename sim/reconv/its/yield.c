/* Where YIELD goes: on the back edges of loops, of those that may spin: whether a lane stays depends on what other threads write.
 *
 * A backward slice inside the loop, from the branches that leave it: the registers that they read, what those are
 * computed from, and the branches that decide whether an instruction of the slice is executed. A loop may spin when the
 * slice has an atomic operation, a load that is volatile or ordered, or a result of a call; or when the loop sleeps.
 * Flow-insensitive; values are not followed through memory. Plain loads do not count: a thread that waits on one for
 * another thread has a data race. */
#include "sim/reconv/its/place.h"

typedef struct Slice {
	const Cfg *cfg;
	const Dom *pdom;
	BitSet in;                     /* blocks of the loop */
	BitSet regs, blocks;           /* the slice */
	bool changed;
} Slice;

static void use(void *self, int reg)
{
	Slice *s = self;
	s->changed |= !bs_has(s->regs, reg);
	bs_add(s->regs, reg);
}

static const Block *block(const Slice *s, int id) { return s->cfg->rpo[s->cfg->rpo_index[id]]; }

/* Does the branch at the end of a decide whether b is executed? */
static bool decides(const Slice *s, int a, int b)
{
	const Block *x = block(s, a);
	if (x->nsucc < 2 || (a != b && dom_dominates(s->pdom, b, a)))
		return false;
	for (int k = 0; k < x->nsucc; k++)
		if (dom_dominates(s->pdom, b, x->succ[k]->id))
			return true;
	return false;
}

static void add_block(Slice *s, int b)
{
	if (bs_has(s->blocks, b))
		return;
	bs_add(s->blocks, b);
	s->changed = true;
	bs_each(s->in, a)
		if (decides(s, a, b)) {
			ins_uses(block_term(block(s, a)), use, s);
			add_block(s, a);
		}
}

static bool leaves(const Slice *s, int b)
{
	for (int k = 0; k < block(s, b)->nsucc; k++)
		if (!bs_has(s->in, block(s, b)->succ[k]->id))
			return true;
	return false;
}

static bool defines(const Slice *s, const Ins *i)
{
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && bs_has(s->regs, ins_dst(i, k)->id))
			return true;
	return false;
}

static bool sees_others(const Ins *i)
{
	return i->op == OP_ATOM || i->op == OP_CALL || (i->op == OP_LD && (i->sem >= SEM_VOLATILE || i->cop == COP_CV));
}

static bool spins(Slice *s)
{
	bs_each(s->in, b) {
		for (int i = 0; i < block(s, b)->ins.n; i++)
			if (op_info[block(s, b)->ins.v[i].op].kind == K_SLEEP)
				return true;
		if (leaves(s, b)) {
			ins_uses(block_term(block(s, b)), use, s);
			add_block(s, b);
		}
	}
	for (s->changed = true; s->changed;) {
		s->changed = false;
		bs_each(s->in, b)
			for (int i = 0; i < block(s, b)->ins.n; i++) {
				const Ins *x = &block(s, b)->ins.v[i];
				if (!defines(s, x))
					continue;
				if (sees_others(x))
					return true;
				ins_uses(x, use, s);
				add_block(s, b);
			}
	}
	return false;
}

/* By index in loops. */
static bool *spin_loops(Arena *a, LowerFn *l, const Cfg *cfg, const Loops *loops)
{
	bool *spin = arena_array(a, bool, loops->n + 1);
	const Dom *pdom = loops->n ? pdom_build(a, cfg, true) : NULL;
	for (int k = 0; k < loops->n; k++) {
		Slice s = { .cfg = cfg, .pdom = pdom, .in = loops->loop[k].blocks, .regs = bs_new(a, l->f->reg.n),
			.blocks = bs_new(a, cfg->n) };
		spin[k] = spins(&s);
	}
	return spin;
}

/* ---- YIELD ---- */

/* On the edges from b to the head of a loop. */
static void yield(LowerFn *l, Block *b, Block *header)
{
	int at = b->ins.n - 1;
	if (b->nsucc == 1) {
		lower_put(b, &at, lower_ins(l, OP_YIELD, T_NONE, 0, 0));
		return;
	}
	Block *e = lower_block(l, lower_position(l, b) + 1);
	at = 0;
	lower_put(e, &at, lower_ins(l, OP_YIELD, T_NONE, 0, 0));
	lower_jump(l, e, header);
	for (int k = 0; k < b->nsucc; k++)
		if (b->succ[k] == header)
			b->succ[k] = e;
}

void its_place_yields(LowerFn *l)
{
	int64_t where = its_lower_knob(l, ITS_YIELD);
	Arena arena = { 0 };
	Cfg *cfg = cfg_build(&arena, l->f);
	Loops *loops = loops_build(&arena, cfg);
	bool *spin = where == ITS_YIELD_SPIN ? spin_loops(&arena, l, cfg, loops) : NULL;
	for (int k = 0; k < loops->n && where != ITS_YIELD_NONE; k++) {
		const Loop *loop = &loops->loop[k];
		Block *header = cfg->rpo[cfg->rpo_index[loop->header]];
		for (int x = 0; x < loop->latch.n && (!spin || spin[k]); x++)
			yield(l, cfg->rpo[cfg->rpo_index[loop->latch.v[x]]], header);
	}
	arena_free(&arena);
}
