/* For launch.warm: launches run once without any effect but on the caches, then again to be measured. */
#ifndef GSIM_WARM_H
#define GSIM_WARM_H
#include "sim/machine/machine.h"

typedef struct Warm Warm;
/* Called before the queued launches run for the first time: saves all that they will change. Nothing is
   written to the trace until warm_end. */
Warm *warm_begin(Gpu *);
/* drop: puts memory, printed text, clock and launches back to what they were at warm_begin. Without drop,
   after a run that failed, all stays as that run left it. */
void warm_end(Gpu *, Warm *, bool drop);
#endif
