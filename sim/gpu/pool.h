/* Host threads that run sms side by side; they start when they are first needed. */
#ifndef GSIM_POOL_H
#define GSIM_POOL_H
#include "sim/machine/machine.h"

Pool *pool_new(Gpu *, int threads);
void pool_run(Pool *, Cycle until);            /* sm_run, or sm_run_sampled, on every SM */
void pool_launch_ends(Pool *);                 /* before the SMs' statistics are cleared */
void pool_free(Pool *);
#endif
