/* EXEC masks at compile time.
 *
 * Blocks lie in reverse post-order with contiguous loops, and the warp goes through them in that order, sweep
 * by sweep of a loop. Where lanes may wait to be run there is a *stop* with a saved mask: F, in front of a
 * block, for lanes that come to it from before; B, behind the last block of a loop, for lanes that go back to
 * its header. At the end of a block the lanes that do not go on to the next stop are added to the masks of
 * their stops, and each stop takes the lanes of its mask into EXEC. In LLVM's terms a stop is, for nested
 * ifs, if, else and end_cf, for loops if_break and loop, and in front of blocks that are entered from several
 * constructs the flow block of a structuriser, whose predicate is the saved mask.
 *
 * sim/reconv/exec_mask/ is one mechanism: plan.c decides, place.c writes the code, exec_mask.c is the run
 * time. No other mechanism includes its files. */
#ifndef GSIM_EXEC_MASK_H
#define GSIM_EXEC_MASK_H
#include "lib/chain.h"
#include "passes/analysis/analysis.h"
#include "sim/reconv/core.h"

/* The mechanism's operations on masks: an operand that is a number names a saved mask. */
enum { OWN_XADD, OWN_XDROP, OWN_XJOIN, OWN_XTAKE, OWN_XCLEAR, OWN_XZ, OWN_XNZ, OWN_XFIRST, OWN_XDIFF,
	MASK_OPS };

typedef struct MaskPlan {
	LowerFn *l;
	Function *f;
	Arena *arena;
	int threshold;             /* no jump is placed over a region of fewer instructions */

	Cfg *cfg;
	Loops *loops;
	int n;                     /* number of blocks that are reached */
	Block **order;             /* by position: the block */
	int *pos;                  /* by block id: the block's position, -1 = not reached */
	bool *may_end;             /* by position: a guarded exit in the block, or a call, may end lanes */
	bool function_may_end;

	int nstop;
	int *front;                /* by position of a block: number of its stop F */
	int *back;                 /* by loop: number of its stop B */
	/* by stop: position of the block in front of which (F) or behind which (B) the stop lies */
	int *stop_pos;
	int *stop_loop;            /* by stop: the loop of a B, -1 for an F */

	/* by position: the block ends with a branch that all lanes decide alike and that stays a jump */
	bool *scalar;
	int *stay;                 /* by position: the stop for which lanes remain in EXEC, -1 = none */
	Chains stops;              /* sets of stops */
	Chain *at;                 /* by position: stops at which lanes may wait while the block runs */
	/* by stop: stops, this one included, at which lanes may wait when control comes to this one */
	Chain *arrive;
	bool *carried;             /* by stop: control may come to it while EXEC is not empty */
	/* by stop: how often lanes are added to its mask before the mask is taken; a place in a loop that the
	   stop is not in counts as more than one */
	int *adds;
	Graph *flow;               /* control flow: node k is block k by position, node n + e is stop e */
	int *idom;                 /* immediate dominators in flow */
} MaskPlan;

void mask_prepare(MaskPlan *);     /* makes one return, and a block for each indirect call that may diverge */
void mask_plan(MaskPlan *);                    /* fills in all of the plan */
/* The stop at which lanes wait that go from position `from` to block `to`. */
int mask_stop_of(const MaskPlan *, int from, const Block *to);
/* May lanes wait at the stop? */
static inline bool mask_waits(const MaskPlan *p, int stop) { return chain_has(p->arrive[stop], stop); }
static inline int mask_next(Chain s, int from) /* the first member from there on; -1: none */
{
	while (s && s->v < from)
		s = s->next;
	return s ? s->v : -1;
}
/* The first stop of set s behind the F of block k; -1 = none. */
static inline int mask_rest(const MaskPlan *p, int k, Chain s) { return mask_next(s, p->front[k] + 1); }
bool mask_targets_equal(const Block *);        /* do all ways out of the block lead to one block? */
/* Does the block begin with xfirst? If so, it runs several times, and each time makes a call for some of the
   lanes. */
bool mask_is_waterfall(const Block *);
void mask_place(MaskPlan *);                   /* rewrites the function */
#endif
