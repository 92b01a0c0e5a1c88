/* What a run measured, for programs and for people. */
#ifndef GSIM_REPORT_H
#define GSIM_REPORT_H
#include "lib/json.h"
#include "sim/run.h"

/* What was run, beside the run itself. */
typedef struct Title {
	const char *module, *config;   /* files; config NULL: the defaults */
	const char *passes;            /* "" = none */
} Title;

/* sim/report_json.c */
void report_launch(const LaunchStats *, JsonSink *);                /* one object */
void report_json(Run *, const Title *, JsonSink *);                 /* the whole report: one object */

/* sim/report_text.c: one screen */
void report_text(Run *, const Title *, StrBuf *);

/* sim/report_compare.c: two reports as read from JSON. A screen, or every figure. */
void report_compare(const JsonValue *before, const JsonValue *after, bool full, StrBuf *);
/* --grid: one line for each report of an array. */
void report_grid(const JsonValue *runs, StrBuf *);

/* Shares of parts in their sum as tenths of a percent that add up to exactly 1000 (0 when the sum is 0). */
void report_shares(const uint64_t *part, int n, int *tenths);
#endif
