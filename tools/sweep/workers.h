/* Points are run by processes of this computer. A point whose process ends is lost alone: it gets a record
   that says so, and another process takes over. */
#ifndef GSIM_SWEEP_WORKERS_H
#define GSIM_SWEEP_WORKERS_H
#include "tools/sweep/runner.h"

/* a point to be run */
typedef struct Task { uint64_t number; char key[POINT_KEY]; } Task;

typedef struct Work {
	Plan *plan;
	const char *folder;            /* of results */
	const Task *task;
	int ntasks, processes;
	int seconds;                   /* a point that takes longer is ended; 0: none is */
	bool progress;                 /* on standard error */
	volatile sig_atomic_t *interrupted;    /* nonzero: the points that run are given up */
} Work;

typedef struct WorkDone { int done, failed; } WorkDone;        /* failed: of those done, not ok */

/* Runs the tasks. False: it could not go on, and diag says why. An interrupt ends it early; that is no
   error. */
bool work_run(const Work *, WorkDone *, Diag *);
#endif
