/* Structural reduction, step by step: {self-loop; sequence; branch whose arms meet; while} on a graph that
   the caller may change in between. Every edge knows the edges of the first graph for which it stands
   (strands), every node the nodes that were merged into it. Each step takes constant time but for the edges
   that it moves. */
#ifndef GSIM_REDUCTION_H
#define GSIM_REDUCTION_H
#include "lib/bitset.h"
#include "lib/vec.h"

/* An edge. next_..., prev_...: its neighbours in the lists of both its ends; first .. last: a list of strands
   through Reduction.strand, -1 = none. */
typedef struct RedEdge { int from, to, next_out, prev_out, next_in, prev_in, first, last; } RedEdge;
typedef struct RedNode {
	/* out, in: first edge in each list, -1 = none; nout, nin: lengths. An edge from the node to itself is
	   in both */
	int out, in, nout, nin;
	int self;                  /* the edge from the node to itself, or -1 */
	int into;                  /* the node itself, or the node into which it was merged */
	/* kid, last_kid: list of the nodes that were merged into this one, in their order; next: the next
	   node in the list that this one is in */
	int kid, last_kid, next;
	bool keep;                 /* the node must not be merged, nor anything into it */
	bool loop;                 /* do not take away cycles that begin here */
	bool cycle;                /* the reduction has taken away edges back to its first node */
	bool queued;
} RedNode;

typedef struct Reduction {
	int n, left;               /* n: number of nodes; left: how many have not been merged into others */
	RedNode *node;
	Arena *arena; int cap;
	Vec(RedEdge) edge;
	Vec(int) strand;           /* by strand: the next one in its edge's list, -1 = the last */
	Vec(int) todo;
	/* NULL, or called before every merge of x into b; b keeps its first node */
	void (*merged)(void *self, int b, int x);
	void *self;
} Reduction;

/* a graph of n nodes without edges; the first reduction_run looks at all of them */
void reduction_init(Reduction *, Arena *, int n);
int reduction_node(Reduction *);                       /* adds a node without edges, and returns it */
void reduction_free(Reduction *);
int reduction_strand(Reduction *);                    /* makes a strand, alone in its list, and returns it */
/* adds an edge with the strand (-1: without); if there is the edge already, adds the strand to it */
void reduction_edge(Reduction *, int from, int to, int strand);
void reduction_cut(Reduction *, int edge);
/* adds an edge with the strands of `edge`, which has been cut before */
void reduction_join(Reduction *, int from, int to, int edge);
void reduction_merge(Reduction *, int b, int x);      /* merges x, which has no edges any more, into b */
void reduction_look(Reduction *, int x);      /* says that x's edges have changed: the next run looks at it */
void reduction_run(Reduction *);                      /* does steps until none is left */
/* Merges a loop that is left from several places, if all its ways out lead to one node: its nodes are h, c1,
   c2 ..., of which each but h has one way in, and become h. Returns false when the loop is of another form.
   reduction_run does not do this: although all threads that leave such a loop wait in one place, structured
   code leaves a loop from one place. Call this for inner loops first. */
struct Nest;
bool reduction_relax(Reduction *, const struct Nest *, int loop);
int reduction_find(Reduction *, int x);         /* the node into which x was merged, itself when it remains */
#define red_out(R, X, E) for (int E = (R)->node[X].out, E##_next; \
	E >= 0 && (E##_next = (R)->edge.v[E].next_out, true); E = E##_next)
#define red_in(R, X, E) for (int E = (R)->node[X].in, E##_next; \
	E >= 0 && (E##_next = (R)->edge.v[E].next_in, true); E = E##_next)
#endif
