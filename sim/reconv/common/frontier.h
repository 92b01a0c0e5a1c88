/* Priorities and thread frontiers, for mechanisms whose order of groups is the order of addresses. */
#ifndef GSIM_RECONV_FRONTIER_H
#define GSIM_RECONV_FRONTIER_H
#include "lib/chain.h"
#include "passes/analysis/analysis.h"
#include "sim/reconv/core.h"

/* The row of a mechanism's parameter table that chooses the order of blocks. */
enum { PRIORITY_RPO, PRIORITY_SOURCE };
#define PRIORITY_PARAM { NULL, "priority", CT_ENUM, 0, PRIORITY_RPO, 0, 1, "rpo|source", "", \
	"blocks in reverse post-order with contiguous loops, or as the source has them (for teaching: may " \
	"be a bad order)" }

typedef struct ThreadFrontier {
	int n;
	Block **order;                 /* reachable blocks, highest priority first */
	int *position;                 /* by block id: place in `order`; undefined for unreachable blocks */
	/* by position: the positions of the blocks in which lanes may wait while this block runs; all of them
	   are behind this block's */
	Chain *tf;
} ThreadFrontier;

/* Computes the frontiers, and lays the blocks out in the order of priorities. priority: PRIORITY_RPO, ... */
ThreadFrontier frontier_build(Arena *, LowerFn *, int64_t priority);
/* The largest number of blocks in which lanes may wait at once: one less than the most groups a function can
   have. */
int frontier_most(const ThreadFrontier *);
#endif
