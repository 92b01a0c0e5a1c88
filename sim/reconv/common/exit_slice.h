/* What a loop's exits depend on: other threads may decide how long lanes stay in it. */
#ifndef GSIM_EXIT_SLICE_H
#define GSIM_EXIT_SLICE_H
#include "passes/analysis/analysis.h"

/* Calls visit for each instruction of the loop that the branches which leave it depend on: it computes a
 * register that such a branch or another instruction of the slice reads. pdom: post-dominators, or NULL. With
 * them, a branch that decides whether an instruction of the slice is executed belongs to it, too.
 * Flow-insensitive; values are not followed through memory. Time: the loop's instructions, as often as
 * registers join the slice. */
void exit_slice(Arena *, const Cfg *, const Dom *pdom, const Loop *, void (*visit)(void *, const Ins *),
	void *self);
#endif
