/* The order in which actions of SMs on what they share (memory, the trace, free slots) take effect: by cycle;
   in the same cycle, by the number of the SM; those of one SM in the same cycle, as that SM made them. So no
   result depends on which host thread ran which SM. */
#ifndef GSIM_ORDER_H
#define GSIM_ORDER_H
#include "sim/machine/machine.h"

/* next[i]: the cycle of the first action of SM i that has not taken effect yet; NEVER = none is left. Returns
   the SM whose action is next, or -1 if none is left. */
static inline int order_first(const Cycle *next, int n)
{
	int first = 0;
	for (int i = 1; i < n; i++)
		first = next[i] < next[first] ? i : first;
	return next[first] == NEVER ? -1 : first;
}
#endif
