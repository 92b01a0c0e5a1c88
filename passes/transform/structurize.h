/* Inside the pass structurize: what is left of the graph when structural reduction ends, and the three ways to go on from there. */
#ifndef GSIM_STRUCTURIZE_H
#define GSIM_STRUCTURIZE_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef struct Structurize {
	PassRun *r;
	Edit e;
	int64_t most_blocks, most_instructions, instructions;
	int forward, backward, cuts, copied;   /* nodes, loops, loops, blocks */
	const char *why;               /* it was given up, or NULL */

	/* of this round */
	Arena arena;
	const Cfg *c;
	Graph *g;                      /* what is left: each node one block or several that were merged, known by their entry's number */
	int *into;
	Nest nest;
	BitSet touched;                /* nodes that this round has changed, and those beside them */
	BitSet region;                 /* the nodes looked at: an innermost loop, or all */
	int entry;                     /* of the region; the loop's header */
	bool cyclic;
} Structurize;

static inline int structurize_node(const Structurize *w, const Block *b) { return graph_into(w->into, b->id); }

bool structurize_beside(Structurize *, bool add); /* is a node of the region, or one beside it, touched? add: all are now */
bool structurize_peel(Structurize *);  /* backward copy: a loop with several ways in gets one; false: it has one, or w->why */
bool structurize_cut(Structurize *);   /* cut: a loop goes back and leaves at one place; false: it does, or w->why */
bool structurize_copy(Structurize *);  /* forward copy: a place where ways meet that lead apart again; false: there is none, or w->why */
#endif
