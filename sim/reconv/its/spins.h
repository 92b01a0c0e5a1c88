/* Where a function may spin: threads turn round until another thread does something. */
#ifndef GSIM_ITS_SPINS_H
#define GSIM_ITS_SPINS_H
#include "isa/effects.h"
#include "sim/code/lower_fn.h"

typedef struct Spin {
	const Block *at;               /* first block of a loop; call: a block with a call that may spin */
	bool call;
	bool waits;                    /* threads wait there for what others do; else they only sleep */
	/* the loop itself writes what may let others go on, besides the instruction that waits: it does not
	   take lanes that have left */
	bool frees;
} Spin;
typedef struct Spins {
	Vec(Spin) place;
	Vec(const Block *) frees;      /* blocks in which a thread may let others go on that wait */
} Spins;

/* Adds the loops and calls in which a thread may wait for what another one does (passes/analysis/waits.h),
   and loops that sleep. Asked before the mechanism puts its operations into the function, which may do
   anything as far as the analysis knows. */
void its_find_spins(LowerFn *, Spins *);
/* May an instruction with these effects let others go on that wait? */
static inline bool its_frees(const Effects *e)
{
	return e->writes & (SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_SHARED));
}
void its_spins_free(Spins *);
#endif
