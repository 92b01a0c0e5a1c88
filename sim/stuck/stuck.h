/* Detection of launches that never end, and why. While the machine watches, execution tells what lanes do.

   sim/stuck/ sees the machine's state and the flat code; it changes nothing of them. */
#ifndef GSIM_STUCK_H
#define GSIM_STUCK_H
#include "sim/machine/machine.h"

/* sim/stuck/watch.c */
void livelock_start(Gpu *);                    /* the machine begins to run */
void livelock_grid(const Gpu *, Grid *);       /* a grid comes: how long its warps may wait */
/* at the end of a window: true when proven, fault filled, and in which grid */
bool livelock_check(Gpu *, Fault *, Grid **);
void livelock_forget(Warp *);                  /* a new warp in the slot */
/* While watching: */
/* at a branch: where lanes go */
void livelock_watch(Sm *, Warp *, Split *, const MIns *, const Path *, int n);
/* by loads and atomic operations */
void livelock_read(Warp *, const MIns *, Mask, Space, const uint64_t *addr);
void livelock_clock(Warp *, Mask);             /* the lanes have read a clock */
/* before a warp-level operation that gives lanes values of each other */
void livelock_exchange(Warp *, Mask);
/* sim/stuck/diagnose.c */
void deadlock_report(Gpu *, Fault *, Grid **); /* nobody can go on: who waits where */
void writer_note(Sm *, const Origin *, Space, int lane, uint64_t addr, Cycle); /* the lane changed a word */
#endif
