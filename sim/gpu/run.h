/* Runs the machine from the begin of the first launch of the queue to the end of the last: in windows of
   cycles, or in turns of a functional run. */
#ifndef GSIM_RUN_GRIDS_H
#define GSIM_RUN_GRIDS_H
#include "sim/machine/machine.h"

typedef struct Failure { Fault fault; Grid *grid; } Failure;   /* why the run stopped, and in which grid */

/* Run and measure all launches in the queue. False: a launch has failed, or the user interrupted the run. */
bool run_timed(Gpu *, Failure *);
bool run_functional(Gpu *, Failure *);
#endif
