/* One SM through time: residence of thread blocks, issue by its schedulers, functional turns.

   sim/sm/ sees sim/exec/ and what that sees; SMs do not see each other. */
#ifndef GSIM_SM_H
#define GSIM_SM_H
#include "sim/exec/exec.h"

/* sim/sm/residence.c: residence */
void sm_create(Gpu *, Sm *, int id);
void sm_destroy(Sm *);
void share_free(Share *);                      /* its counters */
void room_for(Room *, const Grid *);           /* the slots that are made from now on have room for it */
void sm_share(Sm *, Grid *);                   /* what the SM has of the grid: before its blocks come */
bool sm_reserve(Sm *, const Grid *);           /* room for a block of the grid, if there is any; */
void sm_give_back(Sm *, const Grid *);         /* ... of one that has ended */
void sm_place(Sm *, const Arrival *);          /* it becomes resident, now, in room that is reserved */
void warp_retire(Sm *, Warp *);                /* last lane has ended and nothing is outstanding */
/* sim/sm/issue.c */
void sm_run(Sm *, Cycle until);                /* advance to `until` or to the end of its last block, the announced ones included */
Cycle sm_next(const Sm *);                     /* first cycle at which something can happen */
void sm_settle(Sm *);                          /* after mem_drain: completion times into the scoreboards */
/* sim/sm/functional.c */
bool functional_round(Sm *);
#endif
