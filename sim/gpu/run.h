/* The machine from the first launch of the queue to the end of the last: windows of cycles, or turns of a
   functional run. */
#ifndef GSIM_RUN_GRIDS_H
#define GSIM_RUN_GRIDS_H
#include "sim/machine/machine.h"

typedef struct Failure { Fault fault; Grid *grid; } Failure;   /* what has ended the run, and in which grid */

/* All that is queued runs and is measured. False: it has failed, or was interrupted. */
bool run_timed(Gpu *, Failure *);
bool run_functional(Gpu *, Failure *);
#endif
