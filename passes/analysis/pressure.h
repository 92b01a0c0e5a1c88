/* Register pressure: how many registers live at once, counted as the register file of the machine counts
 * them: a value of up to 32 bits is one, a 64-bit value two, predicates are apart, the carry flag is none.
 * The allocator (sim/code/regalloc.c) needs at least as many for a function, and more where intervals have
 * holes, pairs find no place, or a call's frame and what the mechanism adds want registers. */
#ifndef GSIM_PRESSURE_H
#define GSIM_PRESSURE_H
#include "passes/analysis/analysis.h"

typedef struct LiveRegs { int words, preds; } LiveRegs; /* numbers of registers of 32 bits, of predicates */

typedef struct RegPressure {
	LiveRegs most;                 /* the most at any place, words and predicates each by itself */
	/* the instruction, the first in reverse post-order, while which the most words live */
	int block, ins;
	/* by block: how many live at its start (in), at its end (out), and at most (worst: words and
	   predicates each at the worst place for it). Unreachable blocks: 0 */
	LiveRegs *in, *out, *worst;
} RegPressure;
RegPressure *pressure_build(Arena *, const Cfg *, const Liveness *);

/* The registers that one value of the type takes. */
static inline LiveRegs pressure_of(Type t)
{
	return t == T_PRED ? (LiveRegs){ 0, 1 } : (LiveRegs){ type_bits[t] > 32 ? 2 : 1, 0 };
}
/* The most words that live at once in the function as it stands. Passes that keep below max-pressure call
   this between their edits. Takes as long as liveness. */
int pressure_max(Function *);

void pressure_print(const Cfg *, const RegPressure *, StrBuf *);
#endif
