/* A sweep as an array job of Slurm. Each task runs a shard of the points from a copy of the program and of
   what it reads, so that nothing that changes meanwhile matters. What counts as done is what has a record:
   shards that lack some when the job has ended are submitted again. */
#ifndef GSIM_SWEEP_SLURM_H
#define GSIM_SWEEP_SLURM_H
#include "tools/sweep/table.h"

typedef struct SlurmWork {
	const char *words;             /* this command's options and modules, as a shell reads them */
	const char *options;           /* for sbatch, likewise; "" = none */
	int tasks;                     /* of the array job; 0: chosen by the number of points */
	bool wait;                     /* until all points have records */
	bool progress, quiet;          /* on standard error: how many tasks are left; nothing */
	volatile sig_atomic_t *interrupted;    /* nonzero: the job is cancelled */
} SlurmWork;

/* False: Slurm cannot be used, or points were not run though it was tried again; diag says why. */
bool slurm_run(const SlurmWork *, Sweep *, Diag *);
#endif
