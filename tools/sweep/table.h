/* What a sweep shows of its points: tables and sums. */
#ifndef GSIM_SWEEP_TABLE_H
#define GSIM_SWEEP_TABLE_H
#include "tools/sweep/results.h"
#include "tools/sweep/workers.h"

/* The points that the plan wants, in its order, with their records. */
typedef struct Sweep {
	Plan *plan;
	const char *folder;
	Results results;
	Task *task;                    /* all points that are wanted */
	int ntasks;
} Sweep;

/* The record of a point, in the arena; NULL: there is none. */
const JsonValue *sweep_record(const Sweep *, const Task *, Arena *);
/* A table with a row for each point: what it is, how it ended, its statistics (RFC 4180). A point without a
   record has the status "not run". False: a point cannot be made. */
bool sweep_csv(const Sweep *, FILE *, Diag *);
/* The records of the points, a line each. */
void sweep_json_lines(const Sweep *, FILE *);
/* "960 of 1000 points: 958 ok, 2 failed", and the first of those that failed, with why. */
void sweep_summary(const Sweep *, StrBuf *);
/* how many points have records that are ok, that are not, and none */
typedef struct SweepCount { int ok, failed, missing; } SweepCount;
SweepCount sweep_count(const Sweep *);
/* The statistic of each task, NAN where a point has none; from malloc. */
double *sweep_values(const Sweep *, const char *statistic);
/* tools/sweep/effect.c: warns of parameters that vary and change nothing. */
void sweep_warn_idle(const Sweep *, Diag *);
/* Warns of points that have other results than others of the same module and arguments. */
void sweep_warn_results(const Sweep *, Diag *);
/* tools/sweep/empty.c: warns of points that left the machine mostly empty, and names them. */
void sweep_warn_empty(const Sweep *, Diag *);
/* Is there such a statistic? All of gsim's have the names of --list statistics; a mechanism's own begin with
   "divergence.". */
bool sweep_has_statistic(const char *name);
#endif
