/* SMs change what they share (memory, the trace, free slots) in the order of cycles; in one cycle, in the
   order of SMs; and each SM in the order in which it did so. So no result depends on which host thread ran
   which SM. */
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
