/* One SM through time: residence of thread blocks, issue by its schedulers, functional turns.

   sim/sm/ sees sim/exec/ and what that sees; SMs do not see each other. */
#ifndef GSIM_SM_H
#define GSIM_SM_H
#include "sim/exec/exec.h"

/* sim/sm/slots.c: the memory of an SM */
void sm_create(Gpu *, Sm *, int id);         /* before its first block since grids began to run */
void sm_rest(Sm *);       /* all grids have ended: keeps the memory of its slots, and nothing else */
void sm_destroy(Sm *);
/* slots that are made from now on have room for the grid's warps and blocks */
void room_for(Room *, const Grid *, const ReconvModel *);
/* sim/sm/residence.c: residence */
void share_free(Share *);                      /* frees the share's counters */
/* Returns the coordinates of the threads of a block, as Grid.tid has them. */
const uint32_t *threads_in_warps(Arena *, const uint32_t block[3], int warps, int width);
void sm_share(Sm *, Grid *);                 /* begins the SM's share of the grid, before its first block */
/* How many blocks of the grid an SM has room for: sm_room now, sm_capacity when the SM is empty; *what names
   what keeps it from having more. */
int64_t sm_room(const Sm *, const Grid *);
int64_t sm_capacity(const Config *, const Grid *, const char **what);
bool sm_reserve(Sm *, const Grid *);         /* reserves room for a block of the grid; false: there is none */
void sm_give_back(Sm *, const Grid *);         /* gives back the room of a block that has ended */
void sm_place(Sm *, const Arrival *);          /* the block becomes resident now, in room that is reserved */
/* frees the slot of a warp whose lanes have ended and whose accesses are done */
void warp_retire(Sm *, Warp *);
/* sim/sm/run.c, settle.c */
/* advances the SM to that cycle, or to the end of its last block if that comes earlier (blocks in `arrival`
   included); Sm.until must be the window's end */
void sm_run(Sm *, Cycle to);
/* Asks the host's cache for the warps that may issue before that cycle. Where the state of all SMs is larger
   than the cache, other SMs have pushed them out since the window before. Changes no result. */
void sm_prefetch(const Sm *, Cycle to);
Cycle sm_next(const Sm *);                     /* the first cycle at which something can happen */
void sm_settle(Sm *);    /* after mem_drain: puts the times at which accesses are done into the scoreboards */
/* sim/sm/sample.c */
/* gives the share's counts, with those of its instructions added up */
void share_totals(const Share *, int width, Totals *);
/* as sm_run, and notes the counts of each interval that ends on the way */
void sm_run_sampled(Sm *, Cycle to);
typedef void SmAdvance(Sm *, Cycle to);
/* the function, of these two, with which this GPU's SMs are advanced */
static inline SmAdvance *sm_advance(const Gpu *g) { return g->options.intervals ? sm_run_sampled : sm_run; }
/* adds what has been counted of the grid to the interval in which the SM is; called before the counts are
   freed */
void sm_sample_grid(Sm *, const Grid *);
/* adds the SM's own counts to the interval in which the SM is; called when its run ends */
void sm_sample_end(Sm *);
/* adds to Intervals what the SM's intervals have counted since the last call */
void sm_give_samples(Sm *, Intervals *);
/* sim/sm/functional.c */
bool functional_round(Sm *);
#endif
