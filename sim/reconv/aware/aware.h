/* Delayed reconvergence: where lanes that leave a spin loop may wait for the others. Between aware.c and
   points.c.

   sim/reconv/aware/ is one mechanism: no other includes its files. */
#ifndef GSIM_RECONV_AWARE_H
#define GSIM_RECONV_AWARE_H
#include "sim/reconv/common/points.h"
#include "sim/reconv/core.h"
/* Points as reconv_lower_ipdom has them, but behind what a spin loop may be waiting for. */
bool aware_lower_delayed(LowerFn *, Diag *);
#endif
