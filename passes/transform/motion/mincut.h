/* Minimum cuts of small directed graphs. */
#ifndef GSIM_MINCUT_H
#define GSIM_MINCUT_H
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define CUT_ENDLESS ((int64_t)1 << 50)  /* a capacity that no cut crosses */

typedef struct CutEdge { int to, next; int64_t left; } CutEdge; /* edge k ^ 1 is edge k the other way */
typedef struct Cut {
	int n;
	Vec(CutEdge) edge;
	Vec(int) head, level, at, queue;
} Cut; /* zero-initialise */

void cut_open(Cut *, int n);           /* n nodes and no edges; what was there goes */
void cut_close(Cut *);
int cut_edge(Cut *, int from, int to, int64_t capacity); /* its number */
/* a flow to begin with: what goes into a node, source and sink apart, goes out of it */
void cut_use(Cut *, int edge, int64_t flow);
int64_t cut_solve(Cut *, int source, int sink); /* what flows besides; CUT_ENDLESS or more: there is no cut */
/* Behind that: on the source's side of the smallest such side. */
static inline bool cut_inside(const Cut *c, int node) { return c->level.v[node] >= 0; }
#endif
