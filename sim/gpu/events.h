/* Events of grids for the trace: sim/gpu/events.c. If the run writes no trace, these functions do nothing. */
#ifndef GSIM_GPU_EVENTS_H
#define GSIM_GPU_EVENTS_H
#include "sim/machine/machine.h"

void events_begin(Gpu *, Grid *);              /* the grid begins: adds its launch to the trace */
/* Writes the events that SMs have recorded for the grid, and those that were known in advance and happen
   before cycle `end`. */
void events_flush(const Gpu *, Grid *, Cycle end);
void events_end(Gpu *, Grid *);                /* the grid has ended: writes all its remaining events */
#endif
