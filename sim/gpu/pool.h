/* Host threads that run SMs side by side. The threads start when they are first needed. */
#ifndef GSIM_POOL_H
#define GSIM_POOL_H
#include "sim/machine/machine.h"

Pool *pool_new(Gpu *, int threads);
/* Runs every SM up to cycle `until`, by sm_run or, when figures over time are kept, sm_run_sampled. */
void pool_run(Pool *, Cycle until);
/* must be called before the SMs' counts of issues are cleared */
void pool_launch_ends(Pool *);
void pool_free(Pool *);
#endif
