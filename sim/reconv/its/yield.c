/* Where YIELD goes: on the back edges of all loops, or only of those that may spin. */
#include "sim/reconv/its/place.h"

/* Which loops may spin, by index in loops: operations of the mechanism may now stand in front of what was a
   loop's first block, but this is still in the loop. */
static bool *spin_loops(Arena *a, const Loops *loops, const Spins *spins)
{
	bool *spin = arena_array(a, bool, loops->n + 1);
	for (int k = 0; k < spins->place.n; k++) {
		const Spin *x = &spins->place.v[k];
		if (!x->call && loops->of[x->at->id] >= 0)
			spin[loops->of[x->at->id]] = true;
	}
	return spin;
}

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

void its_place_yields(LowerFn *l, const Spins *spins)
{
	int64_t where = its_lower_knob(l, ITS_YIELD);
	Arena arena = { 0 };
	Cfg *cfg = cfg_build(&arena, l->f);
	Loops *loops = loops_build(&arena, cfg);
	bool *spin = where == ITS_YIELD_SPIN ? spin_loops(&arena, loops, spins) : NULL;
	for (int k = 0; k < loops->n && where != ITS_YIELD_NONE; k++) {
		const Loop *loop = &loops->loop[k];
		Block *header = cfg->rpo[cfg->rpo_index[loop->header]];
		for (int x = 0; x < loop->latch.n && (!spin || spin[k]); x++)
			place_yield(l, cfg->rpo[cfg->rpo_index[loop->latch.v[x]]], header);
	}
	arena_free(&arena);
}
