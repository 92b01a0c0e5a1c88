/* SSA as an overlay: the code keeps its registers, and side tables say which version of a register each
 * operand reads and writes. Phis stand where versions meet that somebody reads later (pruned by liveness).
 * Reaching definitions and webs are read off this overlay. */
#ifndef GSIM_SSA_H
#define GSIM_SSA_H
#include "passes/analysis/analysis.h"

enum { SSA_PHI = -1, SSA_ENTRY = -2 };

typedef struct SsaVersion {
	int reg, block;
	/* position in the block of the instruction that writes it; SSA_PHI; SSA_ENTRY: what is there before
	   the function begins (arguments; else undefined) */
	int ins;
	/* of a definition that need not take place (ins_kills): the version that stays then; else -1 */
	int old;
	int phi;                       /* number in Ssa.phi of the phi that writes it, or -1 */
} SsaVersion;

typedef struct SsaPhi {
	int version;
	/* arg[k]: the version that comes along the edge from graph->pred[block].v[k]; an entry block with
	   predecessors has one more, the last: the version from outside */
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
	/* by block: the number of its first instruction; the instructions of all reachable blocks have
	   consecutive numbers */
	int *ins_first;
	int nins;
	/* by number of an instruction n: the versions that it reads are use[use_first[n]] up to, not
	   including, use[use_first[n + 1]], in the order of ins_uses */
	int *use_first, *use;
	/* the same for the versions that it writes, in the order of ins_defs: def[def_first[n]] and so on */
	int *def_first, *def;
	int *entry;      /* by register: its version at the function's entry; -1: nobody reads that version */
	int *only;                /* by register: the only version that it has; -1: it has none, or several */
} Ssa;
Ssa *ssa_build(Arena *, const Cfg *, const Dom *);

/* the instruction that writes the version; NULL: a phi does, or it is there when the function begins */
static inline const Ins *ssa_writer(const Cfg *c, const Ssa *s, int version)
{
	const SsaVersion *v = &s->version[version];
	return v->ins < 0 ? NULL : &c->f->block.v[v->block]->ins.v[v->ins];
}
/* version that instruction `ins` of the block reads as its guard; -1: it has none */
int ssa_guard(const Ssa *, const Ins *, int block, int ins);
/* version read as source k; -1: no register */
int ssa_src(const Ssa *, const Ins *, int block, int ins, int k);
/* version written as destination k; -1: no register */
int ssa_dst(const Ssa *, const Ins *, int block, int ins, int k);
/* The first place in `use` of the versions that the marks of instruction `number` read, in the order of
   mark_uses. */
int ssa_mark_use(const Ssa *, const Function *, const Ins *, int number);
/* By version: does an instruction read the version, or a phi or a guarded definition that is itself used? */
bool *ssa_used(Arena *, const Ssa *);

/* Finds where definitions of one variable meet (iterated dominance frontier): Sreedhar and Gao, A Linear Time
   Algorithm for Placing phi-nodes (POPL 1995). */
typedef struct DomFrontier {
	const Graph *g;
	const Dom *dom;
	int *child_first, *child;      /* the dominator tree's children, by node */
	/* by node, for this search: seen is stamp: walked; marked is stamp: a definition, -stamp: in the
	   result */
	int *seen, *marked, stamp;
	int *key, *heap, nheap, *stack;
	/* only nodes for which this returns true are walked and are in the result; NULL: all */
	bool (*wanted)(void *self, int node);
	void *self;
} DomFrontier;
DomFrontier *frontier_new(Arena *, const Graph *, const Dom *);
void frontier_add(DomFrontier *, int node);                                /* adds a definition at the node */
/* writes the nodes where the definitions meet, forgets the definitions, and returns how many nodes */
int frontier_find(DomFrontier *, int *result);

void ssa_print(const Cfg *, const Ssa *, StrBuf *);
#endif
