/* Grids on their way through the machine: when each begins, where its blocks go, when it has ended. */
#ifndef GSIM_STREAMS_H
#define GSIM_STREAMS_H
#include "sim/machine/machine.h"

/* Timed runs: what is queued learns when it begins, as far as that is known. Then Gpu.next_grid is the next
   cycle at which a grid is called or begins; no window leads past it. */
void streams_open(Gpu *);
/* the place of a launch's parameters that the host writes now, as caches see it */
uint64_t streams_parameters(Gpu *);
/* some grid has not ended */
static inline bool streams_left(const Gpu *g) { return g->ended_grids < g->queue.n; }
/* How long SMs may run before the blocks and grids that come next must be told; at most n. */
Cycle streams_window(const Gpu *, Cycle n);
void streams_advance(Gpu *, Cycle now);        /* grids that begin now get their first blocks */
/* Blocks that have ended since the last time are replaced, in the order (cycle, SM), and grids end with their
   last one (Gpu.finished). */
void streams_dispatch(Gpu *);
void streams_begin(Gpu *, Grid *);             /* functional runs: it begins, alone */
void streams_stop(Gpu *, Cycle);               /* the machine stops: what runs is not completed */
/* Nothing happens before that cycle, and all SMs come to it: their figures end there, not where a window has
   ended. */
void streams_come_to(Gpu *, Cycle);
#endif
