/* Streams decide when each grid begins, on which SMs its blocks run, and when it has ended. */
#ifndef GSIM_STREAMS_H
#define GSIM_STREAMS_H
#include "sim/machine/machine.h"

/* Timed runs: fixes when each grid in the queue begins, as far as that is known. From then on Gpu.next_grid
   is the next cycle at which a grid is called or begins; no window may lead past that cycle. */
void streams_open(Gpu *);
/* the address, as caches see it, at which the host writes the parameters of the next launch */
uint64_t streams_parameters(Gpu *);
/* true: some grid of the queue has not ended */
static inline bool streams_left(const Gpu *g) { return g->ended_grids < g->queue.n; }
/* For how many cycles SMs may run side by side before what happened in them must be dealt with here: ended
   blocks, ended grids, barriers of grids. At most n. */
Cycle streams_window(const Gpu *, Cycle n);
/* begins the grids whose begin has come: places their first blocks */
void streams_advance(Gpu *, Cycle now);
/* Replaces the blocks that have ended since the last call, in the order (cycle, SM), and ends each grid whose
   last block has ended (Gpu.finished). */
void streams_dispatch(Gpu *);
void streams_put_aside(Gpu *);                 /* SMs that have nothing to do any more leave Gpu.active */
/* functional runs call this themselves: the grid begins, alone */
void streams_begin(Gpu *, Grid *);
void streams_stop(Gpu *, Cycle);               /* the machine stops; grids that still run are not completed */
/* Lets all SMs come to the cycle, before which nothing more happens: so their figures end there, and not at
   the end of the last window. */
void streams_come_to(Gpu *, Cycle);
#endif
