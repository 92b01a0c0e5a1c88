/* Reconvergence points: what mechanisms that meet at post-dominators need of the compiler. */
#ifndef GSIM_POINTS_H
#define GSIM_POINTS_H
#include "sim/reconv/core.h"

/* A lower hook: MIns.rpc of a branch is its immediate post-dominator (exits counted as edges) or what
   !reconverge says; each is marked for reach. */
bool reconv_lower_ipdom(LowerFn *, Diag *);
/* Marks blocks for reach: joins: those that several others lead to; loops: those that a branch leads back
   to. */
void reconv_lower_reach(LowerFn *, bool joins, bool loops);
#endif
