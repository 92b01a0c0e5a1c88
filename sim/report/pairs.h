/* The runs of two grids beside each other. */
#ifndef GSIM_PAIRS_H
#define GSIM_PAIRS_H
#include "sim/report/report.h"

/* A run of both grids, or of one: the other is NULL. */
typedef struct Pair { const JsonValue *of[2]; } Pair;
typedef Vec(Pair) Pairs;

/* Runs with the same mechanism, as it was asked for, and passes: those of the first grid in its order, then
   those that only the second has. Of several such runs of a grid the first belongs to the first of the other
   one, and so on. */
Pairs pairs_of(const JsonValue *before, const JsonValue *after);

const char *run_passes(const JsonValue *run);             /* the passes of a run; "none": it has none */
/* How a run ended if not well: "failed: livelock in block L (k.ir:15)", "refused: ...", a line; "" = it
   completed. */
const char *run_outcome(Arena *, const JsonValue *run);
const char *run_name(Arena *, const JsonValue *run);      /* "token, passes dce" */
#endif
