/* Options of gsim-sweep that have no letter. */
#ifndef GSIM_USAGE_SWEEP_H
#define GSIM_USAGE_SWEEP_H
#include "tools/usage.h"

enum { O_VARY = 256, O_WHEN, O_PLAN, O_FILES, O_SOURCE, O_LOAD, O_SIZE, O_FUNCTIONAL,
	O_STATISTICS, O_CSV, O_LINES, O_PLOT, O_KIND, O_X, O_SERIES, O_Y, O_SHARD, O_PRINT_JOBS,
	O_SLURM, O_TASKS, O_SBATCH, O_NO_WAIT, O_INPUTS, O_DRY_RUN, O_RETRY, O_SECONDS, O_VERSION };
extern const UsageProgram usage_sweep;
#endif
