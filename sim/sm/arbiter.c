/* Functional units that several schedulers want: who takes a copy, and in which order schedulers are asked,
 * so that each warp of those who want a unit gets as much of it as another. */
#include "sim/sm/internal.h"

/* How much a scheduler that has had less of a unit may catch up on: as much as 8 instructions of each of its
   warps. Loops and latencies make demand come in such bursts. With 2, warps of the machines in configs/ still
   end up to 16 % apart, with 8 and 32 they do not; more would only let a scheduler that has not wanted the
   unit for long keep the unit longer from others. */
enum { CREDIT = 8 * ONE_EACH };

/* Limits to CREDIT the difference between what the scheduler (own) and the taker of the copy (its) have had
   of the unit: raises the count of the one that has had less. */
static __attribute__((noinline)) void limit_credit(uint64_t *own, uint64_t *its)
{
	*own = *own + CREDIT < *its ? *its - CREDIT : *own;
	*its = *its + CREDIT < *own ? *own - CREDIT : *its;
}

/* A scheduler (own) wants a copy of a unit that another one has taken (its). Returns whether the scheduler is
   asked before the taker from now on: only if it has had no more of the unit than the taker. */
static inline bool asked_before_taker(uint64_t *own, uint64_t *its)
{
	int64_t more = (int64_t)(*own - *its);
	if ((uint64_t)(more + CREDIT) > 2 * CREDIT)
		limit_credit(own, its);
	return more <= 0;
}

Cycle arbiter_in_vain(Sm *sm, Sched *d, const UnitCopies *c)
{
	Cycle least = NEVER;
	for (int k = 0; k < c->n; k++) {
		int taker = c->copy[k].taker;
		if (c->copy[k].free < least)
			least = c->copy[k].free;
		if (!((d->behind | 1 << d->index) >> taker & 1))
			d->behind |= (uint8_t)(asked_before_taker(c->had,
				c->had + taker - d->index) << taker);
	}
	sm->unfair |= d->behind != 0;
	return least;
}

/* Changes the order in which schedulers are asked. A scheduler that has wanted a copy of a unit in vain in
   this cycle comes before the schedulers that have taken the copies and have had at least as much of the
   unit: so each warp of those that want a unit gets as much of it as another. */
void arbiter_give_way(Sm *sm, int n)
{
	uint8_t old[8], later[8], *turn = sm->turn;
	memcpy(old, turn, sizeof old);
	for (int k = 0; k < n; k++) {
		Sched *d = &sm->sched[old[k]];
		int at = 0, to = 0, nlater = 0;
		if (!d->behind)
			continue;
		for (; turn[at] != old[k]; at++)
			if (d->behind >> turn[at] & 1)
				later[nlater++] = turn[at];
			else
				turn[to++] = turn[at];
		turn[to++] = old[k];
		for (at = 0; at < nlater; at++)
			turn[to++] = later[at];
		d->behind = 0;
	}
	sm->unfair = false;
}
