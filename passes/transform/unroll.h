/* Counts how often loops turn, for the pass unroll. */
#ifndef GSIM_UNROLL_H
#define GSIM_UNROLL_H
#include "passes/analyses.h"
#include "passes/pass.h"

/* A branch to which every turn of a loop comes, and by which all threads leave the loop in turn `turn`,
   counted from 0, if they have not left elsewhere before. block -1: of no branch this is known. */
/* stay: the branch's successor by which threads go on with the loop */
typedef struct CountedExit { int block, turn, stay; } CountedExit;

/* Looks for such a branch at the ends of the loop's blocks between its header and `latch`, the nearest block
   that dominates the starts of all edges back. */
CountedExit unroll_count(PassRun *, const Loop *, int latch);
#endif
