/* How often loops turn, for unroll. */
#ifndef GSIM_UNROLL_H
#define GSIM_UNROLL_H
#include "passes/analyses.h"
#include "passes/pass.h"

/* A branch that every turn of a loop comes to, and by which its executions leave: in turn `turn`, from 0 on,
   if they have not left elsewhere before. block -1: there is none of which this is known. */
/* stay: the branch's successor by which threads go on with the loop */
typedef struct CountedExit { int block, turn, stay; } CountedExit;

/* latch: the nearest block that dominates all edges back. Looks at the blocks of the loop between its header
   and that one. */
CountedExit unroll_count(PassRun *, const Loop *, int latch);
#endif
