/* Figures over time: the intervals of runs (sim/record/intervals.h) as JSON, as a table and as a picture. */
#ifndef GSIM_REPORT_INTERVALS_H
#define GSIM_REPORT_INTERVALS_H
#include "sim/report/report.h"

/* Goes through the intervals in which some launch ran or something was counted, in their order, with the
   launches that ran in each. */
typedef struct IntervalWalk {
	const Run *run;
	const Intervals *intervals;
	/* index of the next interval to look at; index in `order` of the launch that starts next */
	int at, next;
	Vec(int) order;                /* launches that have run, in the order of their starts */
	const Interval *count;         /* what was counted in the interval that walk_next has come to */
	Cycle from;                    /* first cycle of that interval */
	Vec(int) launch;               /* launches that ran in that interval, in the order of calls */
} IntervalWalk;
void walk_open(IntervalWalk *, const Run *, const Intervals *);
bool walk_next(IntervalWalk *);                        /* false: there are no more */
void walk_close(IntervalWalk *);
#endif
