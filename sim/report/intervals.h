/* Figures over time: the intervals of runs (sim/record/intervals.h) as JSON, as a table and as a picture. */
#ifndef GSIM_REPORT_INTERVALS_H
#define GSIM_REPORT_INTERVALS_H
#include "sim/report/report.h"

/* Goes through the intervals in which some launch ran or something was counted, in their order, with the
   launches that ran in each. */
typedef struct Walk {
	const Run *run;
	const Intervals *intervals;
	int at, next;               /* interval to look at; place in `order` of the launch that starts next */
	Vec(int) order;                /* launches that have run, by their starts */
	const Interval *count;         /* of the interval that it has come to */
	Cycle from;
	Vec(int) launch;               /* those that ran in it, in the order of calls */
} Walk;
void walk_open(Walk *, const Run *, const Intervals *);
bool walk_next(Walk *);                        /* false: there are no more */
void walk_close(Walk *);
#endif
