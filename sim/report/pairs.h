/* The runs of two grids beside each other. */
#ifndef GSIM_PAIRS_H
#define GSIM_PAIRS_H
#include "sim/report/report.h"

/* A run of both grids, or of one: the other is NULL. name: NULL, or what messages call the pair, in place of
   mechanism and passes. */
typedef struct GridPair { const JsonValue *of[2]; const char *name; } GridPair;
typedef Vec(GridPair) Pairs;

/* Pairs the runs of two grids that have the same mechanism, as it was asked for, and the same passes. Runs of
   the first grid come first, in its order, then those that only the second one has. If a grid has several
   such runs, the first of them belongs to the first of the other grid, and so on. */
Pairs pairs_of(const JsonValue *before, const JsonValue *after);

/* sim/report/compare_grids.c: compares the runs of each pair in a row; those whose results differ are said
   first. */
void report_compare_pairs(const Pairs *, ReportForm, StrBuf *);

const char *run_passes(const JsonValue *run);             /* the passes of a run; "none": it has none */
/* How a run ended, if not well: "failed", "bad input", "interrupted"; "" = it completed. */
const char *run_ending(const JsonValue *run);
/* The same with its reason, in one line: "failed: livelock in block L (k.ir:15)", "bad input: ...". */
const char *run_outcome(Arena *, const JsonValue *run);
const char *run_name(Arena *, const JsonValue *run);      /* name of a run, as "token, passes dce" */
#endif
