/* launch.warm: launches run once without any effect but on the caches, then again to be measured. */
#ifndef GSIM_WARM_H
#define GSIM_WARM_H
#include "sim/machine/machine.h"

typedef struct Warm Warm;
/* Before all that is queued runs for the first time: keeps what that will change. Nothing goes to the trace
   until warm_end. */
Warm *warm_begin(Gpu *);
/* drop: memory, text, clock and launches are as they were before. Else the run failed, and stands. */
void warm_end(Gpu *, Warm *, bool drop);
#endif
