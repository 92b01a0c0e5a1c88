/* From which level of memory the data come for which schedulers wait. Cycles without an issue for the reason
   STALL_MEMORY are counted here until it is known which level serves the access whose data come last: that
   may be known only when a window ends, or, for an access that waits for the load/store unit, some windows
   later. */
#ifndef GSIM_LEVELS_H
#define GSIM_LEVELS_H
#include "sim/machine/machine.h"

/* The scheduler falls asleep because the warp waits for data of the instruction at pc. Returns the counter
   for the cycles. */
uint64_t *levels_begin(Sm *, Sched *, Warp *, uint32_t pc);
/* The scheduler is awake again: what it has waited is counted. */
void levels_end(Sm *, Sched *);
/* To be called before counters of stalls are read: they get what is counted here so far. */
void levels_count(Sm *);
/* The counters of the share are freed. */
void levels_forget(Sm *, const Share *);
void levels_free(Sm *);

void levels_resolve(Sm *);
/* To be called when it has become known for accesses when their data come, and from where. */
static inline void levels_settle(Sm *sm)
{
	if (sm->level_unknown)
		levels_resolve(sm);
}
#endif
