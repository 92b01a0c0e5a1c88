/* Small directed graphs over 0..n-1 without parallel edges: what the analyses compute on. Everything in one
   arena. */
#ifndef GSIM_GRAPH_H
#define GSIM_GRAPH_H
#include "lib/bitset.h"

typedef struct IntList { int *v; int n, cap; } IntList;
void list_add(Arena *, IntList *, int);              /* appends unless present */
void list_remove(IntList *, int);                    /* keeps the order of the others */
bool list_has(const IntList *, int);

typedef struct Graph { Arena *arena; int n; IntList *succ, *pred; } Graph;
Graph *graph_new(Arena *, int n);
void graph_edge(Graph *, int from, int to);          /* a second one is ignored */
void graph_cut(Graph *, int from, int to);
void graph_isolate(Graph *, BitSet);                 /* cuts every edge from or to these */
/* adds the nodes all of whose successors are in the set, if they have any */
void graph_lead(const Graph *, BitSet);
/* adds from and what it reaches; avoid: not entered */
void graph_reach(const Graph *, bool backward, int from, BitSet avoid, BitSet into);

/* The cycle nest of the subgraph `in`: strongly connected components; the header is the entry with the
   smallest number (an entry has a predecessor outside the component; when there is none, the smallest node);
   header removed, recurse. In tangles of more than a hundred nodes the header may be another entry, where
   finding the smallest would take too long (nest.c). */
typedef struct Nest {
	int nloop;
	int *header, *parent;      /* by loop; outer loops come first; parent -1 = none */
	int *of;                   /* node -> innermost loop, -1 = none */
} Nest;
/* Is the loop (-1: none) that one, or inside it? */
static inline bool nest_within(const Nest *n, int inner, int loop)
{
	while (inner > loop)       /* outer ones come first */
		inner = n->parent[inner];
	return inner == loop;
}
/* Writes the nodes of `in` to order and returns their number: components in topological order, ready ones by
   smallest header, each component contiguous with its header first, the same within it. nest may be NULL. */
int graph_order(Arena *, const Graph *, BitSet in, int *order, Nest *nest);

/* plain reverse post-order; returns the number reached */
int graph_rpo(const Graph *, bool backward, int root, int *order);

/* Immediate dominators over the nodes in order that its first one, the root, reaches; -1 for the root and the
   others. depth: in the tree. */
void graph_idom(const Graph *, bool backward, const int *order, int norder, int *idom, int *depth);

/* Structural reduction in place: {self-loop; sequence; branch whose arms meet; while} until nothing changes
   (reduction.h). into[x] = the node that x was merged into, x itself when it remains. Nodes in keep are never
   merged; root (-1: none) has an edge from outside. What is merged has one entry, its node, and leaves from
   one block or to one node. Returns the number of nodes left of in. */
int graph_reduce(Graph *, int root, BitSet in, BitSet keep, int *into);
int graph_into(const int *into, int x);
#endif
