/* Looks for races between blocks of a run. If neither RunOptions.races nor race_launches is set, these
   functions do nothing. */
#ifndef GSIM_HOST_RACES_H
#define GSIM_HOST_RACES_H
#include "isa/races.h"
#include "sim/host/run.h"

void run_races_open(Run *, Pending *);         /* has the launch's accesses noted when it runs */
/* Adds the races of a launch to its statistics. Called when the launch has run and is the last of
   run->launch; launches of a stream must come in their order. */
void run_races_found(Run *, Pending *);
void run_races_judge(Run *);                   /* fails the run if races were found */
void run_races_free(Run *);
#endif
