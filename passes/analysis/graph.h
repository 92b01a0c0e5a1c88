/* Small directed graphs, on which the analyses compute: nodes are 0..n-1, there are no parallel edges, and
   all memory is the graph's arena's. */
#ifndef GSIM_GRAPH_H
#define GSIM_GRAPH_H
#include "lib/bitset.h"

typedef struct IntList { int *v; int n, cap; } IntList;
void list_add(Arena *, IntList *, int);              /* appends the number unless the list has it already */
void list_remove(IntList *, int);                    /* takes the number out, keeps the order of the others */
bool list_has(const IntList *, int);

typedef struct Graph { Arena *arena; int n; IntList *succ, *pred; } Graph;
Graph *graph_new(Arena *, int n);
void graph_edge(Graph *, int from, int to);          /* adds an edge, if there is none yet */
void graph_cut(Graph *, int from, int to);
void graph_isolate(Graph *, BitSet);                 /* cuts every edge from or to a node of the set */
/* adds the nodes all of whose successors are in the set, if they have any, until there are no more */
void graph_lead(const Graph *, BitSet);
/* adds to `into` the node `from`, and all that can be reached from it without a node of `avoid` */
void graph_reach(const Graph *, bool backward, int from, BitSet avoid, BitSet into);

/* The cycle nest of the subgraph `in`. Each strongly connected component is a loop; its header is the entry
   with the smallest number (an entry has a predecessor outside the component; when there is none, the
   smallest node is the header). Then the header is taken out, and what is left of the component is searched
   in the same way. In tangles of more than a hundred nodes the header may be another entry, where finding the
   smallest would take too long (nest.c). */
typedef struct Nest {
	int nloop;
	int *header, *parent;      /* by loop; outer loops come first; parent -1 = none */
	int *of;                   /* node -> innermost loop, -1 = none */
} Nest;
/* Is the loop `inner` (-1: none) the same as `loop`, or inside it? */
static inline bool nest_within(const Nest *n, int inner, int loop)
{
	while (inner > loop)       /* outer loops have smaller numbers */
		inner = n->parent[inner];
	return inner == loop;
}
/* Writes the nodes of `in` to order and returns their number. Strongly connected components stand in
   topological order; of several that may come next, the one with the smallest header does. Each component
   stands in one piece, its header first, and what is left of it is ordered in the same way. nest may be
   NULL. */
int graph_order(Arena *, const Graph *, BitSet in, int *order, Nest *nest);

/* writes the nodes that root reaches, in plain reverse post-order; returns their number */
int graph_rpo(const Graph *, bool backward, int root, int *order);

/* Writes the immediate dominators of those nodes of `order` that its first one, the root, reaches; -1 for the
   root and all other nodes. depth: depth in the tree. */
void graph_idom(const Graph *, bool backward, const int *order, int norder, int *idom, int *depth);

/* Structural reduction in place: {self-loop; sequence; branch whose arms meet; while} until nothing changes
   (reduction.h). into[x] = the node into which x was merged, x itself when it remains. Nodes in keep are
   never merged; root (-1: none) has an edge from outside. Nodes that are merged together are entered only at
   the one that remains, and are left from one block or to one node. Returns how many nodes of `in` remain. */
int graph_reduce(Graph *, int root, BitSet in, BitSet keep, int *into);
int graph_into(const int *into, int x);
#endif
