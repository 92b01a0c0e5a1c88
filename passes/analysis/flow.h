/* Dataflow over bit sets: one solver for every problem in which what comes out of a node is what the node
   generates, and what came in and the node does not kill. */
#ifndef GSIM_FLOW_H
#define GSIM_FLOW_H
#include "passes/analysis/analysis.h"

/* The equations, where an edge p -> x leads in the direction in which information flows (backward: against
 * the graph's edge):
 *
 * 	before(x) = meet over edges p -> x of edge(sent(p)), and boundary where information begins
 * 	after(x)  = gen(x)  | (before(x) & ~kill(x))
 * 	sent(x)   = sgen(x) | (after(x)  & ~skill(x))
 *
 * Forward, information begins at order[0] and at nodes without predecessors; backward, at nodes without
 * successors. gen, kill, sgen and skill have a set for each node. A member that is missing (NULL, or w NULL)
 * counts as empty, boundary too. An edge function must be monotone: if more bits come in, no fewer go out. */
typedef struct Flow {
	const Graph *g;
	/* the nodes that take part, in reverse post-order; all others send nothing */
	const int *order; int norder;
	int bits;
	bool backward;
	bool all;                      /* true: the meet is the intersection; false: the union */
	bool greatest;                 /* true: the greatest solution is wanted; false: the least */
	/* nodes at which the meet is the other of the two (speculation at divergent branches) */
	BitSet other;
	BitSet *gen, *kill, *sgen, *skill;
	BitSet boundary;
	/* changes the set that goes over an edge of the graph; NULL: it goes unchanged */
	void (*edge)(void *self, int from, int to, BitSet);
	void *self;

	BitSet *before, *after;        /* the solution, by node; nodes outside the order: empty */
	int visits;                    /* how many visits of nodes the solution took */
} Flow;
void flow_solve(Arena *, Flow *);

BitSet *flow_sets(Arena *, int n, int bits);         /* n empty sets of so many bits */

/* A graph of half-block points, for motion of code (transformations 1.3): node 2b is N(b), before b's first
   modification, 2b + 1 is X(b), after its last one, with an edge N(b) -> X(b). Coupled equations over N and X
   are then one Flow. order has room for 2 * c->n ints; *norder: how many are written. */
Graph *flow_halves(Arena *, const Cfg *, int *order, int *norder);
#endif
