/* What the compiler does for aware.c: points.c decides where lanes that have left a spin loop may wait for
   the others (delayed reconvergence), waits.c at which points waiting has to end (time-outs).

   sim/reconv/aware/ is one mechanism: no other mechanism includes files of this folder. */
#ifndef GSIM_RECONV_AWARE_H
#define GSIM_RECONV_AWARE_H
#include "sim/reconv/common/points.h"
#include "sim/reconv/core.h"
/* A lower hook as reconv_lower_ipdom, but it moves points behind the writes for which a spin loop may be
   waiting. */
bool aware_lower_delayed(LowerFn *, Diag *);
/* Writes may_wait, by the points of the branches, which are known already. */
void aware_find_waits(LowerFn *);
#endif
