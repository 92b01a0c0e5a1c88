/* Reconvergence points: what the compiler does for mechanisms whose lanes meet at post-dominators. */
#ifndef GSIM_POINTS_H
#define GSIM_POINTS_H
#include "sim/reconv/core.h"

typedef struct Cfg Cfg;

/* A lower hook. It sets MIns.rpc of each branch to the branch's immediate post-dominator (exits count as
   edges of the graph), or to the block that !reconverge names, and marks these blocks for reach. */
bool reconv_lower_ipdom(LowerFn *, Diag *);
/* Sets MIns.rpc of branches by their blocks' points, and marks these for reach. point: by block, the id of
   another block; what is no block's id leaves the branch without one. */
void reconv_set_points(LowerFn *, const Cfg *, const int *point);
/* Marks blocks for reach. joins: blocks to which several others lead; loops: blocks to which an edge leads
   back. */
void reconv_lower_reach(LowerFn *, bool joins, bool loops);
#endif
