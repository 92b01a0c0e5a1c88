/* The effect of one instruction of one split: results, control, statistics. When results are ready is the SM's affair
   (sim/sm/); what memory says of it comes back in Issue.

   sim/exec/ sees the machine's state, the time of accesses (sim/mem/) and the watch for livelocks (sim/stuck/). */
#ifndef GSIM_EXEC_H
#define GSIM_EXEC_H
#include "sim/machine/machine.h"

typedef struct Issue {                 /* now: in; executing: out; the others: out, memory instructions only */
	Cycle now;
	Mask lanes;                    /* for the trace: lanes, lowest address, sectors of a memory instruction */
	uint64_t lowest, sectors;
	Mask executing;                /* lanes whose guard holds */
	bool queued;                   /* a load of which the mechanism wants to know what hits: it waits for the load/store unit */
	Mask pending;                  /* memory: lanes whose completion is told later */
	Whole *whole;                  /* of several accesses; NULL: one, or lanes are ready one by one */
	Mask hits, misses;             /* a load's lanes in L1 and not, where the mechanism wants to know */
	Cycle ready;                   /* memory: when the destinations of the others are ready */
} Issue;
void exec_issue(Sm *, Warp *, Split *, Issue *);
/* The memory instruction at pc, of all splits that have these lanes and stand there: one access. */
void exec_access(Sm *, Warp *, Mask lanes, uint32_t pc, Issue *);
/* sim/exec/memory.c: the data of an access that was put off to the end of the window */
void deferred_apply(Sm *, Deferred *);
/* sim/exec/lsu.c: accesses that have waited for the load/store unit, and whose turn has come. It may be at lsu_next(). */
void lsu_serve(Sm *);
static inline Cycle lsu_next(const Sm *sm) { return sm->lsu_n ? sm->lsu_free : NEVER; }
/* sim/exec/together.c */
void split_released(Sm *, Warp *, Split *);    /* the barrier has let it go: on to the next instruction; the list may change */
#endif
