/* How much of the machine a timed run has used. Where most of the machine was empty, cycles tell how long one
   warp takes, not what many warps do to each other: neither caches and bandwidth nor the scheduler and
   occupancy matter then as they do on a machine that is full. What threads do is the same: instructions, SIMD
   utilisation, depths of stacks. */
#ifndef GSIM_FILLED_H
#define GSIM_FILLED_H
#include "sim/report/report.h"

/* Why a machine is mostly empty: the grids bring warps to few schedulers; or they would have brought enough,
   but most warps had ended, or not begun, for most of the time. */
typedef enum { FILLED_WELL, FILLED_SMALL_GRID, FILLED_SHORT_TIME } FilledWhy;

typedef struct Filled {
	double no_warp;                /* share of all scheduler-cycles in which the scheduler had no warp */
	/* share of the machine's room for threads, under the limits of occupancy, that grids could fill */
	double grid;
	int sms, sms_used;             /* all SMs; those that had a block */
	bool several;                  /* there were several grids */
	FilledWhy why;
} Filled;

/* False: the run was not timed, or nothing has run. A machine of one SM is always filled well: it is made to
   be looked at. */
bool run_filled(Run *, Filled *);
/* The remark of a text report, two lines; nothing if the machine was filled. */
void filled_text(Run *, StrBuf *);
void filled_json(Run *, JsonSink *);           /* the key `filled`: an object, or null */
/* Puts the remark on n reports of which cycles are compared: one line; nothing if no machine was mostly
   empty. Entries may be NULL. */
void filled_compare(const JsonValue *const *reports, int n, ReportForm, StrBuf *);
bool filled_is_empty(const JsonValue *report);         /* the report says: the machine was mostly empty */
#endif
