/* SSA as an overlay: the code keeps its registers, side tables say which version of a register each operand
 * reads and writes. Phis are where versions meet that somebody reads later (pruned by liveness). Reaching
 * definitions and webs are read off it. */
#ifndef GSIM_SSA_H
#define GSIM_SSA_H
#include "passes/analysis/analysis.h"

enum { SSA_PHI = -1, SSA_ENTRY = -2 };

typedef struct SsaVersion {
	int reg, block;
	/* position in the block of the instruction that writes it; SSA_PHI; SSA_ENTRY: what is there before
	   the function begins (arguments; else undefined) */
	int ins;
	int old;     /* of a definition that need not take place (ins_kills): what stays then; of others -1 */
	int phi;                       /* its place in Ssa.phi, or -1 */
} SsaVersion;

typedef struct SsaPhi {
	int version;
	/* arg[k]: along the edge from graph->pred[block].v[k]; at an entry block with predecessors the last
	   one: from outside */
	int narg, *arg;
} SsaPhi;

typedef struct Ssa {
	int n;
	SsaVersion *version;
	/* by block: its phis are phi[phi_first[b]] up to, not including, phi[phi_first[b + 1]] */
	int *phi_first;
	SsaPhi *phi;
	/* by block, then by successor in the graph: the block's place among the successor's predecessors */
	int *edge_first, *edge;
	/* by block: the number of its first instruction; instructions of reachable blocks are numbered
	   through */
	int *ins_first;
	int nins;
	int *use_first, *use;          /* by instruction: versions it reads, in the order of ins_uses */
	int *def_first, *def;          /* versions it writes, in the order of ins_defs */
	int *entry;                    /* by register: its version at the entry; -1: nobody asks */
	int *only;                /* by register: the only version that it has; -1: it has none, or several */
} Ssa;
Ssa *ssa_build(Arena *, const Cfg *, const Dom *);

/* version that instruction `ins` of the block reads as its guard; -1: it has none */
int ssa_guard(const Ssa *, const Ins *, int block, int ins);
int ssa_src(const Ssa *, const Ins *, int block, int ins, int k);   /* as source k; -1: that is no register */
int ssa_dst(const Ssa *, const Ins *, int block, int ins, int k);       /* writes as destination k */
/* Where in `use` the versions begin that its marks read, in the order of mark_uses. */
int ssa_mark_use(const Ssa *, const Function *, const Ins *, int number);
/* by version: an instruction reads it, or a phi or a guarded definition that is used does */
bool *ssa_used(Arena *, const Ssa *);

/* Where definitions of one thing meet (iterated dominance frontier): Sreedhar and Gao, A Linear Time
   Algorithm for Placing phi-nodes (POPL 1995). */
typedef struct Frontier {
	const Graph *g;
	const Dom *dom;
	int *child_first, *child;      /* the tree's children, by node */
	int *seen, *marked, stamp;   /* by node: walked, in result or among the definitions, in this search */
	int *key, *heap, nheap, *stack;
	/* only nodes for which it holds are in the result, and only they are walked; NULL: all */
	bool (*wanted)(void *self, int node);
	void *self;
} Frontier;
Frontier *frontier_new(Arena *, const Graph *, const Dom *);
void frontier_add(Frontier *, int node);                                /* a definition there */
/* nodes where they meet; forgets the definitions; returns how many */
int frontier_find(Frontier *, int *result);

void ssa_print(const Cfg *, const Ssa *, StrBuf *);
#endif
