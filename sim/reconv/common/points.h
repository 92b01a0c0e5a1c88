/* Reconvergence points: what mechanisms that meet at post-dominators need of the compiler. */
#ifndef GSIM_POINTS_H
#define GSIM_POINTS_H
#include "sim/reconv/core.h"

/* A lower hook: immediate post-dominators, exits counted as edges, as MIns.rpc; a reach at each. !reconverge overrides. */
bool reconv_lower_ipdom(LowerFn *, Diag *);
/* ... a reach at blocks that several others lead to, and at those that a branch leads back to. */
void reconv_lower_reach(LowerFn *, bool joins, bool loops);
#endif
