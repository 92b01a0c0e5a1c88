/* Which version a register holds at a place: in front of instruction `ins` of a block, or, where ins is the
   block's number of instructions, at its end. */
#ifndef GSIM_VERSIONS_H
#define GSIM_VERSIONS_H
#include "passes/analysis/ssa.h"

typedef struct Versions {
	const Cfg *c;
	const Dom *dom;
	const Ssa *ssa;
	const Liveness *live;
	/* by register: its versions are sorted[first[r]] up to, not including, sorted[first[r + 1]], in order
	   of a walk through the tree of dominators; up: by place in that list, the place of the next version
	   above in the tree, -1: there is none */
	int *first, *sorted, *up;
} Versions;
Versions *versions_build(Arena *, const Cfg *, const Dom *, const Ssa *, const Liveness *);
/* The version that the register holds at the place: of those written at places that dominate this one, the
   last. -1: none is, or nobody reads any more what the register holds; then versions may have met where SSA
   has no phi. */
int version_at(const Versions *, int reg, int block, int ins);
/* The version that comes to the place on all ways, whether somebody reads it there or not. -1: several do, or
   what was there when the function began. Takes time in proportion to the ways. */
int version_on_ways(const Cfg *, const Ssa *, int reg, int block, int ins);
#endif
