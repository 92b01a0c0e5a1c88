/* The trace's events of grids: sim/gpu/events.c. Nothing happens without a trace. */
#ifndef GSIM_GPU_EVENTS_H
#define GSIM_GPU_EVENTS_H
#include "sim/machine/machine.h"

void events_begin(Gpu *, Grid *);              /* the trace has a launch more */
/* What its SMs have recorded, those of before `end` that have been known in advance among them. */
void events_flush(const Gpu *, Grid *, Cycle end);
void events_end(Gpu *, Grid *);                /* no more will come */
#endif
