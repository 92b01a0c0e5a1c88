/* Which loops of a function may spin: their threads turn round until another thread does something. */
#ifndef GSIM_ITS_SPINS_H
#define GSIM_ITS_SPINS_H
#include "sim/code/lower_fn.h"

typedef Vec(const Block *) Spins;

/* Adds the first blocks of the loops in which a thread may wait for what another one does
   (passes/analysis/waits.h), and of those that sleep. Asked before the mechanism puts its operations into the
   function, which may do anything as far as the analysis knows. */
void its_find_spins(LowerFn *, Spins *);
#endif
