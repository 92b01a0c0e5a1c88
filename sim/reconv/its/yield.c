/* Where YIELD goes: on the back edges of all loops, or only of loops that may spin: what other threads write
 * decides whether a lane stays in them.
 *
 * A loop may spin when its exits depend on an atomic operation, a load that is volatile or ordered, or a
 * result of a call (sim/reconv/common/exit_slice.h); or when the loop sleeps. Plain loads do not count: a
 * thread that waits on one for another thread has a data race. */
#include "sim/reconv/common/exit_slice.h"
#include "sim/reconv/its/place.h"

static void sees_others(void *spins, const Ins *i)
{
	*(bool *)spins |= i->op == OP_ATOM || i->op == OP_CALL ||
		(i->op == OP_LD && (i->sem >= SEM_VOLATILE || i->cop == COP_CV));
}

static bool sleeps(const Cfg *cfg, const Loop *l)
{
	loop_each(cfg, l, b)
		for (int k = 0; k < b->ins.n; k++)
			if (op_info[b->ins.v[k].op].kind == K_SLEEP)
				return true;
	return false;
}

/* Which loops may spin, by index in loops. */
static bool *spin_loops(Arena *a, const Cfg *cfg, const Loops *loops)
{
	bool *spin = arena_array(a, bool, loops->n + 1);
	const Dom *pdom = loops->n ? pdom_build(a, cfg, true) : NULL;
	for (int k = 0; k < loops->n; k++) {
		spin[k] = sleeps(cfg, &loops->loop[k]);
		exit_slice(a, cfg, pdom, &loops->loop[k], sees_others, &spin[k]);
	}
	return spin;
}

/* ---- YIELD ---- */

/* Puts YIELD on the edges from b to the head of a loop. */
static void place_yield(LowerFn *l, Block *b, Block *header)
{
	if (b->nsucc == 1) {
		edit_insert(&l->edit, b, b->ins.n - 1, lower_own(l, OWN_YIELD, 0, 0));
		return;
	}
	Block *e = lower_block(l, lower_position(l, b) + 1);
	edit_append(&l->edit, e, lower_own(l, OWN_YIELD, 0, 0));
	edit_jump(&l->edit, e, NULL, header);
	edit_retarget(&l->edit, b, header, e);
}

void its_place_yields(LowerFn *l)
{
	int64_t where = its_lower_knob(l, ITS_YIELD);
	Arena arena = { 0 };
	Cfg *cfg = cfg_build(&arena, l->f);
	Loops *loops = loops_build(&arena, cfg);
	bool *spin = where == ITS_YIELD_SPIN ? spin_loops(&arena, cfg, loops) : NULL;
	for (int k = 0; k < loops->n && where != ITS_YIELD_NONE; k++) {
		const Loop *loop = &loops->loop[k];
		Block *header = cfg->rpo[cfg->rpo_index[loop->header]];
		for (int x = 0; x < loop->latch.n && (!spin || spin[k]); x++)
			place_yield(l, cfg->rpo[cfg->rpo_index[loop->latch.v[x]]], header);
	}
	arena_free(&arena);
}
