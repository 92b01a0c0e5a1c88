/* Inside the search for regions (find.c): a cycle nest whose levels are acyclic graphs (level.c). */
#ifndef GSIM_LINEARIZE_FIND_H
#define GSIM_LINEARIZE_FIND_H
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/tree.h"

typedef struct Super {         /* a cycle that is not structured, known by its first node */
	int first_member, last_member;     /* lists through Find.member */
	Vec(int) out, in;          /* edges that leave it, to different nodes each; edges that enter it */
	bool many_in;              /* it is entered at several nodes */
} Super;

typedef struct Find {
	Lin *l;
	Reduction *r;
	Arena arena;
	Nest nest;
	int *first, *link;         /* nodes of each level (loop + 1) */
	int *level;                /* of each node: the loop in whose list it stands */
	int *list;                 /* the nodes of the region looked at */
	bool merging;              /* the level is a loop of a nest that is to become one region */
	Vec(int) extra;          /* nodes that stand for regions of this level, and are in its list not yet */
	int *super, *member;       /* node -> a node nearer to the first of the cycle it lies in, or itself */
	Super **of;                /* by a cycle's first node; NULL: the node is no cycle */
	int *local, *stamp, now;   /* number in the level looked at, when the stamp is now's */
	int *seen, visit;
	bool (*found)(Lin *, LinRegion *);
} Find;

/* The level looked at: 0 the root above its entries, 1 where it begins (the cycle's first node, or e), then
   nodes, then where it ends (the first node again, or x), and the root of the post-dominators. */
typedef struct Level {
	Arena arena;
	int loop, head;            /* head: the cycle's first node; -1: the whole function */
	int n, end, root, *node;
	Graph *g;
	int *order, norder;
	Tree dom, pdom;
	/* the nearest node on the way up the post-dominators, itself included, where a region may end */
	int *meet;
} Level;

/* -1: what is in no loop; its graph, topological order and dominators */
void level_build(Find *, Level *, int loop);
/* the first node of the outermost cycle so far that node x has gone into, or x */
int find_super(Find *, int x);
static inline bool find_alive(const Find *d, int x) { return d->r->node[x].into == x; }
#endif
