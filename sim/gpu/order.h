/* The order in which actions of SMs on what they share (memory, the trace, free slots) take effect: by cycle;
   in the same cycle, by the number of the SM; those of one SM in the same cycle, as that SM made them. So no
   result depends on which host thread ran which SM. */
#ifndef GSIM_ORDER_H
#define GSIM_ORDER_H
#include "sim/machine/machine.h"

/* The first action of each SM that has not taken effect yet, as a heap. */
typedef struct Turn { Cycle cycle; int sm; } Turn;
typedef struct Order { Vec(Turn) turn; } Order;

static inline bool turn_before(Turn a, Turn b)
{
	return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
}

/* Moves the turn at index i, which may come too late for its place, down to where it belongs. */
static inline void order_sift(Order *o, int i)
{
	Turn t = o->turn.v[i];
	for (int k; (k = 2 * i + 1) < o->turn.n; i = k) {
		k += k + 1 < o->turn.n && turn_before(o->turn.v[k + 1], o->turn.v[k]);
		if (!turn_before(o->turn.v[k], t))
			break;
		o->turn.v[i] = o->turn.v[k];
	}
	o->turn.v[i] = t;
}

/* Adds an SM with the cycle of its first action; NEVER: it has none. SMs are added in ascending order. */
static inline void order_add(Order *o, int sm, Cycle cycle)
{
	Turn t = { cycle, sm };
	if (cycle == NEVER)
		return;
	vec_push(&o->turn, t);
	int i = o->turn.n - 1;
	for (int up; i > 0 && turn_before(t, o->turn.v[up = (i - 1) / 2]); i = up)
		o->turn.v[i] = o->turn.v[up];
	o->turn.v[i] = t;
}

/* The SM whose action is next; -1: none is left. */
static inline int order_first(const Order *o) { return o->turn.n ? o->turn.v[0].sm : -1; }

/* The next action of the first SM is in that cycle; NEVER: it has no more. */
static inline void order_next(Order *o, Cycle cycle)
{
	if (cycle == NEVER)
		o->turn.v[0] = o->turn.v[--o->turn.n];
	else
		o->turn.v[0].cycle = cycle;
	if (o->turn.n)
		order_sift(o, 0);
}
#endif
