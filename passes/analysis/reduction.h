/* Structural reduction, step by step: {self-loop; sequence; branch whose arms meet; while} on a graph that
   may be changed in between. Every edge knows the edges of the first graph that it stands for (strands),
   every node the nodes that have gone into it. Each step takes constant time but for the edges it moves. */
#ifndef GSIM_REDUCTION_H
#define GSIM_REDUCTION_H
#include "lib/bitset.h"
#include "lib/vec.h"

/* An edge in the lists of its ends; first .. last: a list of strands through Reduction.strand, -1 = none. */
typedef struct RedEdge { int from, to, next_out, prev_out, next_in, prev_in, first, last; } RedEdge;
typedef struct RedNode {
	int out, in, nout, nin;    /* first edge in each list, -1 = none; an edge to itself stands in both */
	int self;                  /* that edge, or -1 */
	int into;                  /* itself, or the node that it went into */
	/* nodes that went into it, in their order; the next in the list it is in itself */
	int kid, last_kid, next;
	bool keep;                 /* never merged, and nothing into it */
	bool loop;                 /* cycles that begin here stay */
	bool cycle;                /* edges back to its first node have been taken away */
	bool queued;
} RedNode;

typedef struct Reduction {
	int n, left;               /* nodes; those that remain */
	RedNode *node;
	Arena *arena; int cap;
	Vec(RedEdge) edge;
	Vec(int) strand;           /* the next one in its list, -1 = the last */
	Vec(int) todo;
	/* NULL, or told of every merge, before it; b keeps its first node */
	void (*merged)(void *self, int b, int x);
	void *self;
} Reduction;

/* no edges; all nodes are looked at by the first reduction_run */
void reduction_init(Reduction *, Arena *, int n);
int reduction_node(Reduction *);                       /* one more, without edges */
void reduction_free(Reduction *);
int reduction_strand(Reduction *);                    /* a new one, alone */
/* strand -1: none; joins an edge that is there */
void reduction_edge(Reduction *, int from, int to, int strand);
void reduction_cut(Reduction *, int edge);
/* an edge with the strands of that one, which has been cut */
void reduction_join(Reduction *, int from, int to, int edge);
void reduction_merge(Reduction *, int b, int x);      /* x, which has no edges any more, goes into b */
void reduction_look(Reduction *, int x);              /* in the next run: its edges have changed */
void reduction_run(Reduction *);                      /* until no step is left */
/* The nodes h, c1, c2 ... of a loop, each but h with one way in, that all leave it for one node outside only,
   become h; false: the loop is another one. No part of reduction_run: all threads that leave wait in one
   place, yet structured code leaves a loop from one place. Inner loops first. */
struct Nest;
bool reduction_relax(Reduction *, const struct Nest *, int loop);
int reduction_find(Reduction *, int x);            /* the node that x has gone into, itself when it remains */
#define red_out(R, X, E) for (int E = (R)->node[X].out, E##_next; \
	E >= 0 && (E##_next = (R)->edge.v[E].next_out, true); E = E##_next)
#define red_in(R, X, E) for (int E = (R)->node[X].in, E##_next; \
	E >= 0 && (E##_next = (R)->edge.v[E].next_in, true); E = E##_next)
#endif
