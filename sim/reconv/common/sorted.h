/* Groups of lanes in an order: by pc, or by call depth and then pc; the first runs. For tf_stack, min_pc and
 * min_sp_pc. Counted: depth = groups, the running one included; pushes = groups entered; merges = groups that
 * joined another. The warp's first group is not counted as a push, nor is its last as a pop. */
#ifndef GSIM_RECONV_SORTED_H
#define GSIM_RECONV_SORTED_H
#include "sim/reconv/core.h"

typedef struct Listed {
	uint32_t pc, depth;            /* depth: 0 where the order is by pc alone */
	Mask mask;
	Cycle since;     /* for the mechanism: 0 when the group is entered, unchanged when another joins it */
	Mask want;                     /* for the mechanism, likewise */
} Listed;

typedef struct Sorted {
	StackSpill spill;
	int n, run;                    /* g[run] runs; g[n - 1] is the first of the order */
	Listed g[64];
} Sorted;

typedef struct SortedRules {
	bool by_depth;
	bool stack;                    /* entries are on chip or in memory: divergence.depth */
	/* cycles: for each position walked; for a spill and a fill, where divergence.spill = constant */
	Cycle insert, spill, fill;
} SortedRules;

void sorted_launch(Warp *, Mask lanes, uint32_t pc);
/* The running group is taken out and the paths put in; none runs until sorted_select. */
void sorted_move(Warp *, Split *, const Path *, int n, const SortedRules *);
/* The running group has ended: it is taken out. */
void sorted_exit(Warp *, Split *, const SortedRules *);
void sorted_some_exit(Warp *, Split *, Mask);
/* Group g[at] runs; at = -1: the first in the order. If there is no group, the warp ends. */
void sorted_select(Warp *, Split *, int at, const SortedRules *);
int sorted_depth(const Warp *);
void sorted_show(const Warp *, Rows *);
bool sorted_held(const Warp *, int lane, Held *);
#define SORTED_HOLDS "runs the first group in the order of addresses only; one behind it waits until those " \
	"in front have come there or ended"
size_t sorted_size(const Config *);
#endif
