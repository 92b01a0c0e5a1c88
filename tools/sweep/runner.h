/* Runs points of a plan, one after the other, in this process. Modules and machine files are read once. */
#ifndef GSIM_SWEEP_RUNNER_H
#define GSIM_SWEEP_RUNNER_H
#include "tools/job.h"
#include "tools/sweep/plan.h"

enum { POINT_KEY = 33 };               /* 32 hexadecimal digits */
enum { RECORD_SCHEMA = 1 };            /* schema_version of records */

typedef struct RunnerModule RunnerModule;
typedef struct RunnerMachine RunnerMachine;

typedef struct Runner {
	const Plan *plan;
	volatile sig_atomic_t *interrupted;
	Arena arena;
	Vec(RunnerModule *) module;
	Vec(RunnerMachine *) machine;
	StrMap module_at, machine_at;
} Runner;

void runner_free(Runner *);
/* The effective configuration of a point. False: it has none, and diag says why. */
bool runner_config(Runner *, const Point *, Config *, Diag *);
/* The identity of a point: a hash of all that its results follow from, which is the module's and the
   workload's text, the arguments, the effective configuration, passes, plug-ins and the version of gsim.
   Equal points of different plans have equal keys, on every host. */
void runner_key(Runner *, const Point *, char key[POINT_KEY]);
/* Runs the point and writes its record, one line of JSON (tools/sweep/results.h). False: it was interrupted,
   and there is no record. */
bool runner_run(Runner *, const Point *, const char *key, StrBuf *record);
/* Writes the record of a point whose process ended before it had one. */
void runner_put_lost(const Plan *, const Point *, const char *key, const char *status, const char *why,
	StrBuf *record);
#endif
