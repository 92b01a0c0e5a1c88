/* For which reason a scheduler issues nothing, and to which instruction these cycles are charged. */
#include "sim/machine/levels.h"
#include "sim/sm/internal.h"

/* Returns the counter for cycles in which the warp lets its scheduler issue nothing for that reason: in the
   warp's launch, at the instruction that the warp cannot issue. */
static uint64_t *idle_at(Sm *sm, Sched *d, Warp *w, unsigned why)
{
	uint32_t pc = w->waits_at == NO_PC && w->nsplit ? w->split[0].pc : w->waits_at;
	if (why == STALL_MEMORY)
		return levels_begin(sm, d, w, pc);
	return &w->share->stalls[(pc == NO_PC ? (size_t)code_of(w)->n : pc) * STALL_FIGURES + why];
}

/* To be called when no warp of the scheduler could issue in this cycle. Until one can, cycles are charged to
   the warp that is nearest to an issue; of several, to the first in the scheduler's order. A warp that may be
   ready but was not tried, or that ends, is charged only if there is no other warp. */
void idle_fall_asleep(Sm *sm, Sched *d)
{
	Cycle now = sm->now, first = NEVER;
	unsigned near = distance[STALL_EMPTY], untried = near, place = 0;
	if (d->waited.share)
		levels_end(sm, d);
	for (int k = 0; k < d->n; k++, place += 256) {
		bool asleep = d->wake[k] > now;
		unsigned why = distance[d->wake_why[k]] + place;
		Cycle wake = asleep ? d->wake[k] : now + 1;
		first = wake < first ? wake : first;
		unsigned one = asleep ? why : near, other = asleep ? untried : why;
		near = one < near ? one : near;
		untried = other < untried ? other : untried;
	}
	near = (near & 255) == STALL_EMPTY ? untried : near;
	d->sleep = first;
	d->why = (uint8_t)near;
	d->of = (near & 255) == STALL_EMPTY ? NULL : sm->warp[d->order[near >> 8 & 0xffff]].share;
	d->idle = (near & 255) == STALL_EMPTY ? &sm->empty
		: idle_at(sm, d, &sm->warp[d->order[near >> 8 & 0xffff]], near & 255);
}
