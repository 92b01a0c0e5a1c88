/* Finds launches that can never end, and says why. While the machine watches its lanes, the code that
   executes instructions reports here what the lanes do.

   sim/stuck/ sees the machine's state and the flat code; it changes nothing of them. */
#ifndef GSIM_STUCK_H
#define GSIM_STUCK_H
#include "sim/machine/machine.h"

/* sim/stuck/livelock.c */
void livelock_start(Gpu *);                    /* the machine begins to run */
/* a grid begins: sets how long its lanes may be held (Grid.patience) */
void livelock_grid(const Gpu *, Grid *);
/* Called between windows. True: it is proven that a launch can never end; fills in the fault and its grid. */
bool livelock_check(Gpu *, Fault *, Grid **);
/* sim/stuck/watch.c */
void livelock_forget(Warp *);                  /* a new warp has come into the slot */
/* The next four are called only while the machine watches. */
/* at a branch: its lanes go n ways */
void livelock_watch(Sm *, Warp *, Split *, const MIns *, const Path *, int n);
/* by loads and atomic operations: the lanes read these addresses, one for each lane of the warp */
void livelock_read(Warp *, const MIns *, Mask, Space, const uint64_t *addr);
void livelock_clock(Warp *, Mask);             /* the lanes have read a clock */
/* before a warp-level operation in which the lanes get values of each other */
void livelock_exchange(Warp *, Mask);
/* sim/stuck/diagnose.c */
void deadlock_report(Gpu *, Fault *, Grid **); /* no lane can go on: reports which lanes wait where */
/* the lane changed a word */
void writer_note(Sm *, const WarpOrigin *, Space, int lane, uint64_t addr, Cycle);
#endif
