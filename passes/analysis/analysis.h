/* Analyses over one function. All results live in the arena given, are indexed by Block.id (function_number
   is called by cfg_build) and become stale when the function's blocks or instructions change.

   passes/analysis/ may include isa/ and lib/; lowering (sim/code/) and mechanisms use it, too. */
#ifndef GSIM_ANALYSIS_H
#define GSIM_ANALYSIS_H
#include "isa/effects.h"
#include "lib/bitset.h"
#include "lib/strbuf.h"
#include "passes/analysis/graph.h"

typedef struct Cfg {
	Function *f;
	uint64_t stamp;            /* the function's graph stamp when this was made */
	int n;                     /* blocks */
	int *npred;
	Block ***pred;         /* pred[id][k]: reachable ones; a block that branches twice to b stands once */
	int nreach;                /* blocks reachable from the entry */
	/* those, in reverse post-order with loops contiguous (no block outside a loop between two of it) */
	Block **rpo;
	int *rpo_index;            /* position in rpo, -1 = unreachable */

	Graph *graph;              /* successors and predecessors by id, of reachable blocks only */
	BitSet reach;
	/* blocks from which every path aborts the launch (OPF_FATAL); none where the entry is one */
	BitSet fatal;
	Nest *nest;                /* what loops_build makes its loops of */
} Cfg;
Cfg *cfg_build(Arena *, Function *);
/* Blocks and edges are still what they were. Whatever is made from a Cfg asserts it. */
static inline bool cfg_fresh(const Cfg *c) { return c->stamp == c->f->graph_stamp; }

/* Dominators; idom.c computes them. */
typedef struct Dom {
	int n, root;
	int *idom, *depth;         /* idom[root] = -1, unreachable = -1; depth of the tree */
	/* in a walk through the tree: a dominates what begins between its first and last */
	int *first, *last;
} Dom;
/* Fills first and last: of a tree, or several, that somebody has put together. */
void dom_number(Arena *, Dom *);
Dom *dom_build(Arena *, const Cfg *);
Dom *dom_of_graph(Arena *, const Graph *, bool backward, int root);
/* Post-dominators; node n is the virtual exit. Blocks from which no exit can be reached get a pseudo edge to
   it from the first block (in rpo) of each such strongly connected component. Edges to fatal blocks do not
   count: threads that go there meet nobody again. The fatal blocks themselves go to the virtual exit.
   exit_edges = true: ret, exit and the end of the kernel are edges to the virtual exit (the textbook's
   IPDOM). exit_edges = false: reconvergence points for machines that strip exited lanes. Early exits are
   ignored: an exit block is a main exit when paths to it fork somewhere (a block with two successors that
   both reach it). The last main exit in rpo is taken; at the blocks that reach it, edges to blocks that do
   not are cut, unless these reach another main exit and the block does not lie behind a fork of this one;
   then again for the blocks that are left. So `A: T or F; T: exit or J; F: J` has J behind A and T; where
   exit is the only way out, or several exits have nothing in common, nothing is cut and the two agree. */
Dom *pdom_build(Arena *, const Cfg *, bool exit_edges);
/* Reachable blocks and the virtual exit n with its (pseudo) edges; fatal = false: without the edges that lead
   to fatal blocks. */
Graph *cfg_exit_graph(Arena *, const Cfg *, bool fatal);
Graph *cfg_flow_graph(Arena *, const Cfg *);  /* the same, without fatal blocks: what structure is asked of */
void fatal_blocks(const Function *, const Graph *, BitSet fatal); /* adds them, by the graph's edges */
/* Where the branch at the end of a block reconverges: what the source asks for (Block.reconverge) when that
   post-dominates the block, else the immediate post-dominator; -1 or n = nowhere. */
int pdom_point(const Dom *, const Block *);
/* That of each block with a branch, so that regions nest: what the source asks for, but not behind a point at
   which lanes of a branch around have to meet before. -1: no branch. */
int *pdom_points(Arena *, const Cfg *, const Dom *);
bool dom_dominates(const Dom *, int a, int b);       /* reflexive */
int dom_common(const Dom *, int a, int b);           /* nearest common ancestor; -1 when there is none */

/* Cycle nest: strongly connected components, header = first in rpo, header removed, recurse (irreducible
   cycles too). */
typedef struct Loop {
	int header, parent, depth; /* parent: index of the enclosing loop or -1; depth from 1 */
	/* its blocks, inner loops' too, are rpo[first] up to rpo[first + n]; the header is the first one */
	int first, n;
	bool reducible;            /* every entry edge goes to the header */
	Vec(int) latch;            /* sources of back edges to the header */
} Loop;
/* of[id] = innermost loop or -1; outer loops come first */
typedef struct Loops { int n; Loop *loop; int *of; } Loops;
Loops *loops_build(Arena *, const Cfg *);
static inline bool loop_has(const Cfg *c, const Loop *l, int block)
{
	return c->rpo_index[block] >= l->first && c->rpo_index[block] - l->first < l->n;
}
#define loop_each(C, L, B) for (Block **B##_at = (C)->rpo + (L)->first, *B; \
	B##_at < (C)->rpo + (L)->first + (L)->n && (B = *B##_at, true); B##_at++)
BitSet loop_blocks(Arena *, const Cfg *, const Loop *); /* the same as a set */
/* By loop, the blocks outside that are successors of blocks inside, in reverse post-order. Ways out of deep
   nests are in many lists. */
IntList *loop_exits(Arena *, const Cfg *, const Loops *);

/* Which registers are read later, before they are written. A guarded definition does not kill. Ways of the
   graph that no thread goes, since it has branched on the same value of the same predicate before, do not
   count, nor do, on such ways, reads behind guards and choices. Sets are kept as their words that are not
   empty, ascending: registers that live across blocks may grow in number with blocks, those that live at once
   rarely do. */
typedef struct LiveWord { int at; uint64_t w; } LiveWord;      /* bits from 64 at on */
typedef struct LiveSet { LiveWord *word; int n, cap; } LiveSet;
typedef struct Liveness {
	int n, *reg;               /* registers that live across blocks, by number */
	int *bit;         /* by register: its place in reg and in the sets; -1: it lives within blocks only */
	LiveSet *in, *out;         /* by block */
} Liveness;
Liveness *liveness_build(Arena *, const Cfg *);
LiveWord *live_word(LiveSet, int bit);               /* the one with that bit, or NULL */
bool live_has(const Liveness *, LiveSet, int reg);
int live_count(LiveSet);
typedef struct LiveWalk { LiveSet set; int k; uint64_t left; bool on; } LiveWalk;
static inline int live_next(LiveWalk *w)             /* -1: there is none */
{
	while (!w->left) {
		if (w->k == w->set.n)
			return -1;
		w->left = w->set.word[w->k++].w;
	}
	int bit = w->set.word[w->k - 1].at * 64 + __builtin_ctzll(w->left);
	w->left &= w->left - 1;
	return bit;
}
#define live_each(L, SET, R) \
	for (LiveWalk R##_walk = { (SET), 0, 0, true }; R##_walk.on; R##_walk.on = false) \
		for (int R##_bit, R; (R##_bit = live_next(&R##_walk)) >= 0 && (R = (L)->reg[R##_bit], true);)
/* For a walk from a block's end to its start over an empty set of registers by number: what lives at the end
   goes in; at the start, what is left of it out. */
void liveness_enter(const Liveness *, int block, BitSet set);
void liveness_leave(const Liveness *, int block, BitSet set);
void liveness_print(const Cfg *, const Liveness *, StrBuf *);
/* what is live before the instruction, given after it */
void liveness_step(const Function *, const Ins *, BitSet set);

/* The same, by all ways of the graph, for one register after the other: what asks about few of them, or goes
   through them one by one, needs no sets, which may be as large as blocks times registers. live_range_of
   takes as long as the blocks in which the register lives are many. */
/* lanes: for which threads it is read (liveness.c) */
typedef struct LivePlace { int block, next, lanes; } LivePlace;
typedef struct LiveRange {
	Arena *arena;
	const Cfg *c;
	int n, *reg, *bit;         /* as in Liveness */
	/* by bit: the first in a list of places, -1 = none: blocks that read it before they write it, that
	   write it for certain */
	int *read, *kill;
	LivePlace *place; int nplace, cap;
	/* of the last one asked for, by block: stamp when it lives at its start, at its end, when it is
	   written there */
	int stamp, *starts, *ends, *killed;
	int *start, nstart, *end, nend;     /* those blocks */
} LiveRange;
LiveRange *live_range(Arena *, const Cfg *);
void live_range_of(LiveRange *, int bit);

/* Structural reduction: repeat {self-loop; sequence; branch whose arms meet; while} until one node remains,
   the virtual exit included. true = the function is structured. residue (may be NULL; n bits) gets the first
   block of each node that remains otherwise. Fatal blocks are not asked for: what aborts the launch needs no
   structure. */
bool structured(Arena *, const Cfg *, BitSet *residue);
bool structured_but_breaks(const Cfg *);    /* when a loop may also leave from several places for one block */
bool function_structured(Function *);               /* the same, without a Cfg */
typedef struct Structure { bool structured; BitSet residue; } Structure;
Structure *structure_build(Arena *, const Cfg *);   /* both in one */
/* Definition 1 of the linearization paper, for reports: structured() decides, since some unstructured graphs
   have no such edge. pdom with exit edges. */
bool unstructured_edge(const Cfg *, const Dom *, const Dom *pdom, const Loops *, int from, int to);
#endif
