/* What SMs do to what they share takes effect in the order (cycle, SM, and within an SM as it came), whoever
   ran them. */
#ifndef GSIM_ORDER_H
#define GSIM_ORDER_H
#include "sim/machine/machine.h"

/* next[i]: the cycle of what SM i has done next, NEVER = nothing more. The SM whose turn it is, -1: all is
   done. */
static inline int order_first(const Cycle *next, int n)
{
	int first = 0;
	for (int i = 1; i < n; i++)
		first = next[i] < next[first] ? i : first;
	return next[first] == NEVER ? -1 : first;
}
#endif
