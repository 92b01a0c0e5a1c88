/* Rows of a grid that tie: the runs did the same, so that one line of the table stands for all of them, and a
   line below says why, as far as that was measured. */
#ifndef GSIM_TIES_H
#define GSIM_TIES_H
#include "sim/report/grid.h"

/* For each row the number of the first one with which it ties, its own if there is none before it. Rows tie
   if both runs ended well and every statistic of the kernel's launches is equal in both but those of the
   mechanism's own structure (pushes, pops and merges). The caller frees the list. */
int *ties_find(const GridTable *);
/* What stands in the table in row i, the first of those that tie with it: the names of all, or how many more
   there are. passes: the table has a column for these. */
const char *ties_model(Arena *, const GridTable *, const int *first, int i, bool passes);
const char *ties_passes(Arena *, const GridTable *, const int *first, int i);
/* Puts a line for each set of rows that tie: which they are, and why. */
void ties_put(const GridTable *, const int *first, bool passes, ReportForm, StrBuf *);
#endif
