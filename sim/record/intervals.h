/* Figures over time: what a timed run has counted in each interval of its clock, all launches together.

   Interval k has the cycles k * cycles to (k + 1) * cycles - 1. An event is counted in the interval in which
   it happens: what an SM does, in the cycle in which it does so; what L2 counts of a request, in the cycle in
   which the request has come to L2; an answer, in the last cycle of its way; what DRAM moves, in the last
   cycle in which the data are on the bus. So the sum of a counter over all intervals is the counter's total,
   whatever the length of intervals is.

   There are at most INTERVALS_MOST intervals, from the first to the last with an event: where there would be
   more, the length of all is doubled, and two neighbours become one. Events are never taken out of this span;
   so the length at the end is the least with which the span has no more intervals than that, in whatever
   order the events came. */
#ifndef GSIM_INTERVALS_H
#define GSIM_INTERVALS_H
#include "sim/record/stats.h"

enum { INTERVALS_MOST = 32768 };       /* the most intervals; each has about 600 bytes */

typedef struct Interval {
#define S(FIELD, ...) uint64_t FIELD;
	STATS(S)                       /* figures that are maxima, not sums, stay 0 */
#undef S
	uint64_t stalls[STALL_COUNT];
	uint64_t resident;             /* sum over warps: cycles in which the warp was resident */
} Interval;

typedef struct Intervals {
	Cycle asked, cycles;           /* cycles of an interval: as asked for, and now */
	uint64_t first;                /* the number of the interval in row[0] */
	int n, cap;
	Interval *row;
} Intervals;

Intervals *intervals_new(Cycle asked);
void intervals_free(Intervals *);
/* The interval with this cycle; the pointer is valid until the next call of any of these functions. */
Interval *intervals_at(Intervals *, Cycle);
/* Notes that in the cycles from `from` to `to` - 1 some launch ran on a machine with so many schedulers. */
void intervals_run(Intervals *, Cycle from, Cycle to, uint64_t schedulers);
/* adds the second's counts, made with the same clock */
void intervals_merge(Intervals *, const Intervals *);
void intervals_double(Intervals *);

/* Fills in what an SM has counted, from its statistics. Figures of L2 and DRAM are 0: these are counted
   elsewhere. no_warp is minus the number of issues and other stalls, modulo 2^64, since intervals_run adds
   all scheduler-cycles to it. */
void interval_of_totals(Interval *, const Totals *);
void interval_add(Interval *, const Interval *);
void interval_take(Interval *, const Interval *);       /* subtracts */
bool interval_any(const Interval *);                    /* has anything been counted? */

/* Figures by number: those of stat_info, then stalls, then resident warps. */
enum { INTERVAL_FIGURES = sizeof(Interval) / sizeof(uint64_t) };
typedef struct FigurePath { char text[64]; } FigurePath;
/* Fills in the path of figure i. False: the figure is no sum, this kind of run does not measure it, or
   reports leave it out. */
bool interval_figure(const LaunchStats *total, int i, FigurePath *);
static inline uint64_t interval_get(const Interval *x, int i)
{
	return ((const uint64_t *)(const void *)x)[i];
}
#endif
