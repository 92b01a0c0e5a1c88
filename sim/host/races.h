/* Races between blocks, of a run. Where neither option asks for it, these functions do nothing. */
#ifndef GSIM_HOST_RACES_H
#define GSIM_HOST_RACES_H
#include "isa/races.h"
#include "sim/host/run.h"

void run_races_open(Run *, Pending *);         /* the launch's accesses will be noted */
/* It has run, and is the last of run->launch: its statistics get what was found. Launches of a stream come in
   their order. */
void run_races_found(Run *, Pending *);
void run_races_judge(Run *);                   /* races fail the run */
void run_races_total(Run *, LaunchStats *total);
void run_races_free(Run *);
#endif
