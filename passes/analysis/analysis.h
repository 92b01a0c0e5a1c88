/* Analyses of one function. All results are in the arena given, and are indexed by Block.id (cfg_build calls
   function_number). They become stale when the function's blocks or instructions change.

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
	int n;                     /* number of blocks */
	int *npred;
	/* pred[id][k]: the reachable blocks with an edge to the block, each once, even if both ways of its
	   branch lead there */
	Block ***pred;
	int nreach;                /* number of blocks reachable from the entry */
	/* the reachable blocks in reverse post-order, each loop in one piece (no block outside a loop stands
	   between two blocks of it) */
	Block **rpo;
	int *rpo_index;            /* position in rpo, -1 = unreachable */

	Graph *graph;              /* successors and predecessors by id, of reachable blocks only */
	BitSet reach;
	/* blocks from which every path aborts the launch (OPF_FATAL); empty where the entry would be one of
	   them */
	BitSet fatal;
	Nest *nest;                /* the nest of cycles of which loops_build makes its loops */
} Cfg;
Cfg *cfg_build(Arena *, Function *);
/* Are blocks and edges still what they were when the Cfg was made? Every analysis that is made from a Cfg
   asserts this. */
static inline bool cfg_fresh(const Cfg *c) { return c->stamp == c->f->graph_stamp; }
/* Has block b other successors than s, and s other ways in than from b? The function's begin is a way into
   its first block. */
static inline bool is_critical_edge(const Cfg *c, int b, int s)
{
	return c->graph->succ[b].n > 1 && c->graph->pred[s].n + (s == 0) > 1;
}

/* A tree of dominators, or of post-dominators; idom.c computes it. */
typedef struct Dom {
	int n, root;
	/* immediate dominator, -1 for the root and for unreachable nodes; depth in the tree, 0 for the
	   root */
	int *idom, *depth;
	/* first: number of the node in a depth-first walk through the tree; last: the greatest number below
	   it. a dominates b when first[b] lies within first[a] .. last[a] */
	int *first, *last;
} Dom;
/* Fills first and last of a tree, or of several, for which the caller has filled the other members. */
void dom_number(Arena *, Dom *);
Dom *dom_build(Arena *, const Cfg *);
Dom *dom_of_graph(Arena *, const Graph *, bool backward, int root);
/* Post-dominators; node n is the virtual exit. Blocks from which no exit can be reached get a pseudo edge to
   it from the first block (in rpo) of each such strongly connected component. Edges to fatal blocks do not
   count: threads that go there meet nobody again. The fatal blocks themselves go to the virtual exit.
   exit_edges = true: ret, exit and the end of the kernel are edges to the virtual exit (the textbook's
   IPDOM). exit_edges = false: reconvergence points for machines that take threads that have ended out of the
   mask. Early exits are ignored then. An exit block is a main exit when paths to it fork somewhere (a block
   has two successors that both reach it). The last main exit in rpo is taken, and edges are cut that lead
   from blocks that reach it to blocks that do not; an edge to a block that reaches another main exit is cut
   only if it starts behind a fork of the paths to the exit taken. Then the same is done with the blocks that
   are left, those that do not reach the exit taken. So `A: T or F; T: exit or J; F: J` has J as the immediate
   post-dominator of A and T. Where exit is the only way out, or several exits have nothing in common, nothing
   is cut, and both values of exit_edges give the same tree. */
Dom *pdom_build(Arena *, const Cfg *, bool exit_edges);
/* Graph of the reachable blocks and the virtual exit n, with the edges to the exit, pseudo edges included;
   fatal = false: without the edges that lead from other blocks to fatal ones. */
Graph *cfg_exit_graph(Arena *, const Cfg *, bool fatal);
/* cfg_exit_graph without edges from or to fatal blocks: the graph on which structured() works */
Graph *cfg_flow_graph(Arena *, const Cfg *);
void fatal_blocks(const Function *, const Graph *, BitSet fatal); /* adds them to the set (Cfg.fatal) */
/* The block at which lanes that part at the end of a block are to meet: the one that the source asks for
   (Block.reconverge) when it post-dominates the block, else the immediate post-dominator; -1 or n =
   nowhere. */
int pdom_point(const Dom *, const Block *);
/* pdom_point of each block with a branch, but so that regions nest: where lanes of a branch around the block
   have to meet at a point in front of the one that the source asks for, the block gets that nearer point. -1:
   no branch. */
int *pdom_points(Arena *, const Cfg *, const Dom *);
bool dom_dominates(const Dom *, int a, int b);       /* true, too, when a is b */
int dom_common(const Dom *, int a, int b);           /* nearest common ancestor; -1 when there is none */

/* Loops come from a nest of cycles: each strongly connected component is a loop, whose header is its first
   block in rpo; then the header is taken out, and what is left of the component is searched in the same way
   (irreducible cycles, too). */
typedef struct Loop {
	int header, parent, depth; /* parent: index of the enclosing loop or -1; depth from 1 */
	/* the blocks of the loop, of inner loops too, are rpo[first] up to, not including, rpo[first + n];
	   the header is the first one */
	int first, n;
	bool reducible;            /* every edge into the loop goes to the header */
	Vec(int) latch;            /* the blocks of the loop with an edge to the header */
} Loop;
/* of[id]: innermost loop around the block, or -1; in `loop` outer loops come before inner ones */
typedef struct Loops { int n; Loop *loop; int *of; } Loops;
Loops *loops_build(Arena *, const Cfg *);
static inline bool loop_has(const Cfg *c, const Loop *l, int block)
{
	return c->rpo_index[block] >= l->first && c->rpo_index[block] - l->first < l->n;
}
#define loop_each(C, L, B) for (Block **B##_at = (C)->rpo + (L)->first, *B; \
	B##_at < (C)->rpo + (L)->first + (L)->n && (B = *B##_at, true); B##_at++)
BitSet loop_blocks(Arena *, const Cfg *, const Loop *); /* the loop's blocks as a set */
/* By loop, the blocks outside it that are successors of its blocks, in reverse post-order. A block to which
   threads leave several loops at once is in the list of each. */
IntList *loop_exits(Arena *, const Cfg *, const Loops *);

/* Which registers are live: read later, before they are written. A definition under a guard does not end
   that. Paths that no thread takes do not count: a thread that has branched on a predicate branches the same
   way on it again, as long as nothing has written the predicate. On such a path neither count reads under a
   guard that does not hold there, nor the source that a choice (selp) does not choose there. A set is kept as
   a list of its words that are not 0, ascending: the registers that live across blocks may grow in number
   with blocks, those that live at one place rarely do. */
typedef struct LiveWord { int at; uint64_t w; } LiveWord;      /* w: the set's bits from number 64 * at on */
typedef struct LiveSet { LiveWord *word; int n, cap; } LiveSet;
typedef struct Liveness {
	int n, *reg;               /* n: how many registers live across blocks; reg: their numbers */
	/* by register: its place in reg, which is its bit in the sets; -1: the register lives within blocks
	   only */
	int *bit;
	LiveSet *in, *out;         /* by block: registers that live at its start, at its end */
} Liveness;
Liveness *liveness_build(Arena *, const Cfg *);
LiveWord *live_word(LiveSet, int bit);               /* the word with that bit; NULL: all its bits are 0 */
bool live_has(const Liveness *, LiveSet, int reg);
int live_count(LiveSet);
typedef struct LiveWalk { LiveSet set; int k; uint64_t left; bool on; } LiveWalk;
static inline int live_next(LiveWalk *w)             /* the next bit of the set; -1: there is none */
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
/* For a walk from a block's end to its start with a set of registers, by number, that is empty before and
   after: liveness_enter puts in what lives at the block's end, liveness_leave takes out what lives at its
   start. */
void liveness_enter(const Liveness *, int block, BitSet set);
void liveness_leave(const Liveness *, int block, BitSet set);
void liveness_print(const Cfg *, const Liveness *, StrBuf *);
/* changes the set from what is live after the instruction to what is live before it */
void liveness_step(const Function *, const Ins *, BitSet set);

/* Liveness of one register after the other, where all paths of the graph count. Who asks about few registers,
   or goes through them one by one, needs no sets, which may be as large as blocks times registers.
   live_range_of takes time in proportion to the number of blocks in which the register lives. */
/* A block in a list. next: the list's next place, -1: none; lanes: for which threads the block reads the
   register (liveness.c) */
typedef struct LivePlace { int block, next, lanes; } LivePlace;
typedef struct LiveRange {
	Arena *arena;
	const Cfg *c;
	int n, *reg, *bit;         /* as in Liveness */
	/* by bit: the first in a list of places, -1 = none. read: blocks that read the register before they
	   write it; kill: blocks that write it for certain */
	int *read, *kill;
	LivePlace *place; int nplace, cap;
	/* of the register asked for last, by block: is `stamp` when the register lives at the block's start,
	   lives at its end, is written there for certain */
	int stamp, *starts, *ends, *killed;
	/* the blocks at whose start, at whose end, the register asked for last lives */
	int *start, nstart, *end, nend;
} LiveRange;
LiveRange *live_range(Arena *, const Cfg *);
void live_range_of(LiveRange *, int bit);

/* Structural reduction: {self-loop; sequence; branch whose arms meet; while} are repeated until one node
   remains, the virtual exit included. true = the function is structured. residue (may be NULL; n bits) gets
   the first block of each node that remains otherwise. Fatal blocks do not count: what aborts the launch
   needs no structure. */
bool structured(Arena *, const Cfg *, BitSet *residue);
/* Would the function be structured if a loop might also be left from several places for one block? */
bool structured_but_breaks(const Cfg *);
bool function_structured(Function *);               /* structured(), without a Cfg */
typedef struct Structure { bool structured; BitSet residue; } Structure;
Structure *structure_build(Arena *, const Cfg *);   /* the answer of structured(), with the residue */
/* Is the edge unstructured by definition 1 of the linearization paper? For reports alone; structured()
   decides whether a function is, since some unstructured graphs have no such edge. pdom is built with
   exit_edges = true. */
bool unstructured_edge(const Cfg *, const Dom *, const Dom *pdom, const Loops *, int from, int to);
#endif
