/* Finds what the exits of a loop depend on. Where that is a value which other threads write, they may decide
   how long lanes stay in the loop. */
#ifndef GSIM_EXIT_SLICE_H
#define GSIM_EXIT_SLICE_H
#include "passes/analysis/analysis.h"

/* Calls visit for each instruction of the slice: an instruction of the loop belongs to it that computes a
 * register which a branch that leaves the loop, or another instruction of the slice, reads. Branches inside
 * the loop that decide which instructions come about play no part, nor does the order of instructions, and
 * values are not followed through memory. Time: the loop's instructions are gone through once for each
 * register that joins the slice, at most. */
void exit_slice(Arena *, const Cfg *, const Loop *, void (*visit)(void *, const Ins *), void *self);
#endif
