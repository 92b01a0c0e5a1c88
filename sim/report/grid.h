/* The grid: what each kernel did under every mechanism with every pipeline. The runs come as JSON values. A
 * kernel's launches are added up; a run that did not complete a kernel has a row that says why. */
#ifndef GSIM_REPORT_GRID_H
#define GSIM_REPORT_GRID_H
#include "sim/report/report.h"

typedef enum {
	CYCLES, WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS, OVERHEAD, INSERTED, DIVERGENT, MAX_DEPTH, DEPTH_SUM,
		PUSHES, SPILLS, FILLS,
	MERGES, NOOPS, SLOTS, ISSUED, NONFAULTING, ZERO_LOADS, STALLS_FIRST,
		LEVELS_FIRST = STALLS_FIRST + STALL_COUNT,
		COUNTED = STALLS_FIRST + STALL_FIGURES,
	FETCHES = COUNTED, UTILIZATION, MEAN_DEPTH, FIGURES
} Figure;

/* The figures of a kernel in a run. */
typedef struct Cell {
	const JsonValue *run;
	int launches;
	bool completed;                /* the kernel was launched, and all its launches completed */
	bool well;                     /* the run ended well, too: others may be compared with it */
	bool known[FIGURES];           /* the figure was measured in every launch */
	double v[FIGURES];
	/* cycles of some launch were sampled; all launches' lie between these two, each with a probability of
	   95 % */
	bool sampled;
	double low, high;
} Cell;

typedef struct GridTable {
	const char *kernel;            /* NULL: none was launched in any run */
	int n;                         /* number of runs */
	Cell *cell;
	int base;                      /* the first row that went well, which ratios refer to; -1 = none */
} GridTable;

/* Calls `put` with the table of each kernel, in the order in which the kernels were first launched. */
void grid_each(const JsonValue *runs, void (*put)(const GridTable *, void *self), void *self);
bool grid_measured(const GridTable *, int figure);     /* has some run measured the figure? */
/* one line on how the run ended, if not well; "" = it completed */
const char *grid_outcome(Arena *, const Cell *);
const char *grid_model(const Cell *);
const char *grid_passes(const Cell *);
#endif
