/* Reconvergence points: what the compiler does for mechanisms whose lanes meet at post-dominators. */
#ifndef GSIM_POINTS_H
#define GSIM_POINTS_H
#include "sim/reconv/core.h"

/* A lower hook. It sets MIns.rpc of each branch to the branch's immediate post-dominator (exits count as
   edges of the graph), or to the block that !reconverge names, and marks these blocks for reach. */
bool reconv_lower_ipdom(LowerFn *, Diag *);
/* Marks blocks for reach. joins: blocks to which several others lead; loops: blocks to which an edge leads
   back. */
void reconv_lower_reach(LowerFn *, bool joins, bool loops);
#endif
