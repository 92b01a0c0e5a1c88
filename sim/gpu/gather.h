/* The statistics of a launch: sim/gpu/gather.c. */
#ifndef GSIM_GATHER_H
#define GSIM_GATHER_H
#include "sim/machine/machine.h"

void gather(const Gpu *, Grid *, Arena *);      /* into its statistics; the strings in the arena */
#endif
