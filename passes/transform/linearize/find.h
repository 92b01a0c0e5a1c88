/* Inside the search for regions (find.c): a cycle nest whose levels are acyclic graphs (level.c). */
#ifndef GSIM_LINEARIZE_FIND_H
#define GSIM_LINEARIZE_FIND_H
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/tree.h"

typedef struct Super {         /* a cycle that is not structured; its first node names it */
	int first_member, last_member;     /* its nodes: a list through Find.member */
	Vec(int) out, in;          /* edges that leave the cycle, one for each node; edges that enter it */
	bool many_in;              /* the cycle is entered at several nodes */
} Super;

typedef struct Find {
	Lin *l;
	Reduction *r;
	Arena arena;
	Nest nest;
	/* by loop + 1: the first node of its level; by node: the next one of the same level; -1 = none */
	int *first, *link;
	int *level;                /* by node: the loop in whose list it stands */
	int *list;                 /* the nodes of the region that is being looked for */
	bool merging;              /* the level is a loop in a nest of loops that is to become one region */
	/* nodes that stand for regions of this level and are not yet in the level's list */
	Vec(int) extra;
	/* by node: a node nearer to the first node of the cycle it lies in, or itself; the next node of that
	   cycle, -1 = none */
	int *super, *member;
	Super **of;                /* by a cycle's first node; NULL: no cycle begins with the node */
	/* by node: its number in the current level; valid when stamp[node] is `now` */
	int *local, *stamp, now;
	int *seen, visit;
	bool (*found)(Lin *, LinRegion *);
} Find;

/* The current level. Its nodes have local numbers: 0 is the root above its entries, 1 is where it begins (the
   cycle's first node, or e); then come the other nodes, then where it ends (the cycle's first node again, or
   x), and last the root of the post-dominators. */
typedef struct Level {
	Arena arena;
	int loop, head;            /* head: the cycle's first node; -1: the whole function */
	int n, end, root, *node;
	Graph *g;
	int *order, norder;
	Tree dom, pdom;
	/* by node: the nearest node upward in the tree of post-dominators, itself included, at which a region
	   may end */
	int *meet;
} Level;

/* Builds the graph, the topological order and the dominators of a loop's level; loop -1: of what is in no
   loop. */
void level_build(Find *, Level *, int loop);
/* Returns the first node of the outermost cycle, of those done so far, that contains node x; or x itself. */
int find_super(Find *, int x);
static inline bool find_alive(const Find *d, int x) { return d->r->node[x].into == x; }
#endif
