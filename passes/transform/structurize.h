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
	Block *block;    /* the first block; NULL: the virtual exit, or the node in front of the entry */
	/* of a node that reduction has left: the innermost loop around it that is not done yet */
	int loop;
	int next;                      /* the next node in that loop's list, -1 = none */
	int region;                    /* the number of the last region that it was in */
	/* free for the function that looks at a region: place of the node there, node of its copy, a value */
	int number;
	int blocks;                    /* how many blocks, and instructions, the node has */
	int64_t instructions;
	/* a block of it in which threads execute an operation together; such a node is never copied. NULL:
	   there is none */
	Block *together;
} StructNode;

typedef struct StructEdge { Block *from; int k; } StructEdge; /* from->succ[k]: a strand of the reduction */

typedef struct Structurize {
	PassRun *r;
	Edit e;
	int64_t most_blocks, most_instructions, instructions;
	/* how many nodes were copied forward, loops copied backward, loops cut; how many blocks were
	   copied */
	int forward, backward, cuts, copied;
	bool asked;         /* it has been asked whether threads may wait for others in the function */
	const char *why;               /* why the pass has given up, or NULL */
	Loc where;                     /* the place in the source that made the pass give up */

	Arena arena;
	Reduction red;
	Vec(StructNode) node;
	Vec(StructEdge) edge;
	Vec(Block *) map;              /* by number of a block, its copy; empty between copies */
	int exit;
	/* the loops of what reduction left at first; they are done from inside out, and copies join the loop
	   in which they are */
	Nest nest;
	Tree loops;         /* the loops of nest; the root is nest.nloop, for the whole function */
	/* by loop: the first of its list of nodes; one that has been merged stands for the node that it went
	   into */
	int *first;

	/* the region looked at: its number; the loop's header, or the function's entry; its n nodes */
	int region, entry, *of, n;
} Structurize;

/* the first operation of the block that threads execute together, or NULL */
const Ins *structurize_together(Structurize *, const Block *);
static inline bool structurize_inside(const Structurize *w, int x)
{
	return w->node.v[x].region == w->region;
}
int structurize_node(Structurize *, Block *, int loop);  /* adds a node for the block; returns its number */
int structurize_strand(Structurize *, Block *from, int k);
/* Puts the nodes of that loop into w->of; loop nest.nloop: those of the function that are in no loop. */
void structurize_region(Structurize *, int loop);

void structurize_peel(Structurize *);  /* backward copy: a loop with several ways in gets one */
bool structurize_simple(const Structurize *); /* does the loop go back, and leave, from one place only? */
void structurize_cut(Structurize *, int loop); /* cut: makes the loop do that */
void structurize_copy(Structurize *);  /* forward copy, until no way leads past a node at which others meet */
#endif
