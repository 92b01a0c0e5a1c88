/* Runs the machine from the begin of the first launch of the queue to the end of the last: in windows of
   cycles, or in turns of a functional run. */
#ifndef GSIM_RUN_GRIDS_H
#define GSIM_RUN_GRIDS_H
#include "sim/machine/machine.h"

typedef struct Failure { Fault fault; Grid *grid; } Failure;   /* why the run stopped, and in which grid */

/* Run and measure all launches in the queue. False: a launch has failed, or the user interrupted the run. */
bool run_timed(Gpu *, Failure *);
bool run_functional(Gpu *, Failure *);

/* The steps of a window, each when the one before is done for all SMs that have something to do. The first
   and the last may be made for several SMs side by side, window_apply and window_serve beside each other. */
void window_advance(Gpu *, Sm *, Cycle until);
void window_apply(Gpu *);      /* the accesses to global memory that SMs made in the window take effect */
void window_serve(Gpu *);      /* L2 and DRAM serve the requests that SMs made in the window */
void window_settle(Gpu *, Sm *);               /* the SM comes to know what has been served */
#endif
