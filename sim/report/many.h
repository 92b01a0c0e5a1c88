/* Several reports beside each other. The first is the baseline, to which ratios refer. */
#ifndef GSIM_MANY_H
#define GSIM_MANY_H
#include "sim/report/by_place.h"

enum { MANY_MOST = 256, MANY_SCHEMA = 1 };     /* most runs; version of what many_json writes */

typedef struct ManyRun {
	const JsonValue *report;
	const char *name;              /* of its column: no other run has it */
	const char *file;              /* that the report was read from; NULL: gsim has just made it */
	const char *label;             /* which of the file's runs it is; "": the only one */
	const char *outcome;           /* how it ended, if not well, so that its figures are left out; "" */
	/* "baseline"; "equal", "differ", "unknown": as compared with the baseline's; "": not compared */
	const char *results;
	RunCompared compared;          /* where results are known */
} ManyRun;

typedef struct Many {
	Arena arena;
	Vec(ManyRun) run;
} Many;

/* A figure of all runs. v: for each run its value; NULL: the run does not have it, or ended badly. */
typedef struct ManyFigure { const char *kernel, *path; const JsonValue **v; } ManyFigure;
typedef Vec(ManyFigure) ManyFigures;

/* Adds a run. The texts must live as long as the list. label NULL: the file has no other. */
void many_add(Many *, const JsonValue *report, const char *file, const char *label);
/* Adds all runs of a file: its only one, those of a grid, before and after. False: it is no report of
   gsim. */
bool many_add_file(Many *, const JsonValue *, const char *file);
/* Names the runs, and compares their results. To be called once, behind the last one that is added. */
void many_settle(Many *);
void many_free(Many *);

/* Collects each number of `total`, or of each kernel, that some run has, in the order of the reports. */
void many_figures(Many *, ManyFigures *);
void many_kernel_figures(Many *, ManyFigures *);
/* The ratio to the baseline. False: there is none, as a figure is missing, or only the baseline's is 0. */
bool many_ratio(const JsonValue *baseline, const JsonValue *v, double *ratio);
/* The table of places of all runs. */
void many_places(Many *, PlaceTable *, PlaceKind);

/* "branches.lost", "lines.stalls", or without a figure: what --by takes. False: it is none of these. */
bool many_by_named(const char *text, PlaceKind *, int *figure);
#define MANY_BY "branches or lines, or a figure of these: branches.lost, branches.divergent, " \
	"branches.executed, branches.cycles, lines.warp_instructions, lines.thread_instructions, " \
	"lines.lost, lines.stalls"

/* sim/report/many_text.c */
void many_text(Many *, ReportForm, StrBuf *);
/* only the table of a figure by places: a row for each, a column for each run */
void many_text_by(Many *, PlaceKind, int figure, ReportForm, StrBuf *);
/* the same of the runs of a grid; by: what --by takes */
void report_grid_by(const JsonValue *runs, const char *by, StrBuf *);
/* sim/report/many_export.c: tidy CSV, a row for each figure of each run; JSON. doc/gsim.md has the columns
   and keys. */
void many_csv(Many *, StrBuf *);
void many_json(Many *, StrBuf *);
/* puts the keys matched_by, branches and lines of two reports, as many_json does */
void report_places_json(const JsonValue *before, const JsonValue *after, JsonSink *);
#endif
