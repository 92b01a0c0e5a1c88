/* Figures over time: what a timed run has counted in each interval of its clock, all launches together.

   Interval k has the cycles k * cycles to (k + 1) * cycles - 1. An event is counted in the interval in which
   it happens: what an SM does, in the cycle in which it does it; what L2 counts of a request, in the cycle in
   which the request has come to it; an answer, in the last cycle of its way; what DRAM moves, in the last
   cycle in which it is on the bus. So the sum of a counter over all intervals is the counter's total,
   whatever their length is.

   There are INTERVALS_MOST of them at most, from the first to the last with an event: where there would be
   more, the length doubles, and neighbours become one. What has been counted never leaves this span; so the
   length in the end is the least for which it holds no more, however the run has come there. */
#ifndef GSIM_INTERVALS_H
#define GSIM_INTERVALS_H
#include "sim/record/stats.h"

enum { INTERVALS_MOST = 32768 };       /* of about 600 bytes each */

typedef struct Interval {
#define S(FIELD, ...) uint64_t FIELD;
	STATS(S)                       /* those that are maxima, not sums, stay 0 */
#undef S
	uint64_t stalls[STALL_COUNT];
	uint64_t resident;             /* sum over warps: cycles in which the warp was resident */
} Interval;

typedef struct Intervals {
	Cycle asked, cycles;           /* the length: as asked for, and now */
	uint64_t first;                /* the number of row[0] */
	int n, cap;
	Interval *row;
} Intervals;

Intervals *intervals_new(Cycle asked);
void intervals_free(Intervals *);
/* the interval with this cycle; stays there until the next call */
Interval *intervals_at(Intervals *, Cycle);
/* in these cycles some launch runs, on so many schedulers */
void intervals_run(Intervals *, Cycle from, Cycle to, uint64_t schedulers);
void intervals_merge(Intervals *, const Intervals *);  /* adds the counts of another one of the same clock */
void intervals_double(Intervals *);

/* What an SM has counted, as its statistics stand: all but L2 and DRAM, which count for it elsewhere. Of
   stalls, no_warp is what is missing for as many as there are issues and stalls, modulo 2^64: intervals_run
   adds these. */
void interval_of_stats(Interval *, const LaunchStats *);
void interval_add(Interval *, const Interval *);
void interval_take(Interval *, const Interval *);       /* subtracts */
bool interval_any(const Interval *);                    /* has anything been counted? */

/* Figures by number: those of stat_info, then stalls, then resident warps. */
enum { INTERVAL_FIGURES = sizeof(Interval) / sizeof(uint64_t) };
typedef struct FigurePath { char text[64]; } FigurePath;
/* false: it is no sum, this kind of run does not measure it, or it is left out */
bool interval_figure(const LaunchStats *total, int i, FigurePath *);
static inline uint64_t interval_get(const Interval *x, int i)
{
	return ((const uint64_t *)(const void *)x)[i];
}
#endif
