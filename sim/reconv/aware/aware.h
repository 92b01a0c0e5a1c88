/* Delayed reconvergence: points.c decides for aware.c where lanes that have left a spin loop may wait for the
   others.

   sim/reconv/aware/ is one mechanism: no other mechanism includes files of this folder. */
#ifndef GSIM_RECONV_AWARE_H
#define GSIM_RECONV_AWARE_H
#include "sim/reconv/common/points.h"
#include "sim/reconv/core.h"
/* A lower hook as reconv_lower_ipdom, but it moves points behind the writes for which a spin loop may be
   waiting. */
bool aware_lower_delayed(LowerFn *, Diag *);
#endif
