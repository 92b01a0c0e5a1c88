/* Dataflow over bit sets: one solver for every problem whose transfer is "what is generated, and what came in
   and is not killed". */
#ifndef GSIM_FLOW_H
#define GSIM_FLOW_H
#include "passes/analysis/analysis.h"

/* The equations, with edges as the direction goes:
 *
 * 	before(x) = meet over edges p -> x of edge(sent(p)), and boundary where information begins
 * 	after(x)  = gen(x)  | (before(x) & ~kill(x))
 * 	sent(x)   = sgen(x) | (after(x)  & ~skill(x))
 *
 * Forward, information begins at order[0] and at nodes without predecessors; backward, at nodes without
 * successors. Every set is by node and may be missing (NULL, or w NULL): empty, and boundary empty, too. What
 * an edge function does must be monotone: more in, no less out. */
typedef struct Flow {
	const Graph *g;
	/* the nodes that take part, in reverse post-order; others send nothing */
	const int *order; int norder;
	int bits;
	bool backward;
	bool all;                      /* the meet is the intersection, else the union */
	bool greatest;                 /* of the solutions the greatest, else the least */
	BitSet other;       /* nodes at which the meet is the other one (speculation at divergent branches) */
	BitSet *gen, *kill, *sgen, *skill;
	BitSet boundary;
	/* changes what goes over an edge of the graph; NULL: nothing does */
	void (*edge)(void *self, int from, int to, BitSet);
	void *self;

	BitSet *before, *after;        /* the solution, by node; nodes outside the order: empty */
	int visits;                    /* of nodes, that it took */
} Flow;
void flow_solve(Arena *, Flow *);

BitSet *flow_sets(Arena *, int n, int bits);         /* n empty sets in one piece */

/* Half-block points, for motion of code (transformations 1.3): node 2b is N(b), before b's first
   modification, 2b + 1 is X(b), after its last one, with an edge N(b) -> X(b). Coupled equations over N and X
   are then one Flow. order: of 2 * c->n ints; returns how many. */
Graph *flow_halves(Arena *, const Cfg *, int *order, int *norder);
#endif
