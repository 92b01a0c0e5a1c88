/* Minimum cuts of small directed graphs. */
#ifndef GSIM_MINCUT_H
#define GSIM_MINCUT_H
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define CUT_ENDLESS ((int64_t)1 << 50)  /* capacity of an edge that no cut may cross */

/* to: the node to which the edge leads; next: another edge out of the same node, -1: none; left: the capacity
   that no flow uses yet. Edge k ^ 1 is edge k the other way. */
typedef struct CutEdge { int to, next; int64_t left; } CutEdge;
typedef struct Cut {
	int n;
	Vec(CutEdge) edge;
	Vec(int) head, level, at, queue;
} Cut; /* zero-initialise */

void cut_open(Cut *, int n);           /* makes a graph of n nodes without edges; an old one is forgotten */
void cut_close(Cut *);
int cut_edge(Cut *, int from, int to, int64_t capacity); /* adds an edge; returns its number */
/* Sends flow over an edge before cut_solve. When all such flows are given, as much must go out of each node
   as goes into it, except for source and sink. */
void cut_use(Cut *, int edge, int64_t flow);
/* Returns how much more can flow from source to sink; CUT_ENDLESS or more: there is no cut. */
int64_t cut_solve(Cut *, int source, int sink);
/* After cut_solve: is the node on the source's side of the minimum cut? Of several minimum cuts this is the
   one with the fewest nodes on the source's side. */
static inline bool cut_inside(const Cut *c, int node) { return c->level.v[node] >= 0; }
#endif
