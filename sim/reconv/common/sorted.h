/* A sorted list of the groups of a warp, for tf_stack, min_pc and min_sp_pc. Groups come in the order of
 * their pcs, the lowest first, or the deepest call first and then by pc. The first of the order runs, unless
 * the mechanism chooses another one.
 *
 * Counted: depth = groups, the running one included; pushes and pops = groups put into the list and taken out
 * of it; merges = groups that joined another. The warp's first group is not counted as a push, nor its last
 * as a pop. */
#ifndef GSIM_RECONV_SORTED_H
#define GSIM_RECONV_SORTED_H
#include "sim/reconv/core.h"

typedef struct Listed {
	uint32_t pc, depth;            /* depth: of calls; 0 where the order is by pc alone */
	Mask mask;
	/* For the mechanism: 0 in a new group, unchanged when lanes join a group. min_pc keeps here since
	   when the group has waited, and for which lanes it has been put aside. */
	Cycle since;
	Mask want;
} Listed;

typedef struct Sorted {
	StackSpill spill;
	int n, run;                    /* g[run] runs; g[n - 1] is the first of the order */
	Listed g[64];
} Sorted;

typedef struct SortedRules {
	bool by_depth;
	bool stack;                    /* at most divergence.depth groups are on chip, others in memory */
	/* cycles: for each position that an insertion walks along the list; for a spill and for a fill where
	   divergence.spill = constant */
	Cycle insert, spill, fill;
} SortedRules;

void sorted_launch(Warp *, Mask lanes, uint32_t pc);
/* Takes out the running group and puts in a group for each path; no group runs until sorted_select. */
void sorted_move(Warp *, Split *, const Path *, int n, const SortedRules *);
/* Takes out the running group, which has ended. */
void sorted_exit(Warp *, Split *, const SortedRules *);
void sorted_some_exit(Warp *, Split *, Mask);
/* Lets group g[at] run; at = -1: the first of the order. If there is no group, the warp has no split any
   more. */
void sorted_select(Warp *, Split *, int at, const SortedRules *);
int sorted_depth(const Warp *);
void sorted_show(const Warp *, Rows *);
bool sorted_held(const Warp *, int lane, Held *);
#define SORTED_HOLDS "runs the first group in the order of addresses only; one behind it waits until those " \
	"in front have come there or ended"
size_t sorted_size(const Config *);
#endif
