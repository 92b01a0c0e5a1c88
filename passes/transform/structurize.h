/* Inside the pass structurize: what is left of the graph when structural reduction ends, and the three ways
   to go on from there. The reduction goes on with what each of them has changed; nothing is looked at twice
   that has not changed. */
#ifndef GSIM_STRUCTURIZE_H
#define GSIM_STRUCTURIZE_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/analysis/reduction.h"
#include "passes/analysis/tree.h"
#include "passes/pass.h"

/* A node of the reduction: one block or several that were merged. */
typedef struct StructNode {
	Block *block;                  /* the first one; NULL: the virtual exit, or outside */
	int loop;              /* of a node that is left: the innermost loop around it that is not done yet */
	int next;                      /* in that loop's list of nodes, -1 = none */
	int region;                    /* the number of the region that it was in last */
	int number;        /* free for whoever looks at a region: its place there, its copy's node, a value */
	int blocks;
	int64_t instructions;
	Block *together;  /* in which threads execute an operation together, or NULL; such are never copied */
} StructNode;

typedef struct StructEdge { Block *from; int k; } StructEdge; /* from->succ[k]: a strand of the reduction */

typedef struct Structurize {
	PassRun *r;
	Edit e;
	int64_t most_blocks, most_instructions, instructions;
	int forward, backward, cuts, copied;   /* nodes, loops, loops, blocks */
	bool asked;                    /* what threads may wait for in the function is known */
	const char *why;               /* it was given up, or NULL */
	Loc where;                     /* because of what stands there */

	Arena arena;
	Reduction red;
	Vec(StructNode) node;
	Vec(StructEdge) edge;
	Vec(Block *) map;              /* by number of a block, its copy; empty between copies */
	int exit;
	/* of what reduction left at first; loops are done inside out, and copies join the loop they are in */
	Nest nest;
	Tree loops;                    /* its loops, under nest.nloop, which stands for the whole function */
	int *first;   /* by loop: its list of nodes; those that have been merged stand for what they are in */

	/* the region looked at: its number, the loop's header or the function's entry, its nodes */
	int region, entry, *of, n;
} Structurize;

/* the first operation that threads execute together, or NULL */
const Ins *structurize_together(Structurize *, const Block *);
static inline bool structurize_inside(const Structurize *w, int x)
{
	return w->node.v[x].region == w->region;
}
int structurize_node(Structurize *, Block *, int loop);  /* a new one */
int structurize_strand(Structurize *, Block *from, int k);
/* w->of becomes the nodes of that loop, the last one those of the function that are in no loop */
void structurize_region(Structurize *, int loop);

void structurize_peel(Structurize *);  /* backward copy: a loop with several ways in gets one */
bool structurize_simple(const Structurize *); /* the loop goes back and leaves at one place */
void structurize_cut(Structurize *, int loop); /* cut: it does then */
void structurize_copy(Structurize *);  /* forward copy, until ways that have met do not lead apart again */
#endif
