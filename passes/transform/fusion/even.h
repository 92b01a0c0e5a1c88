/* Where threads of a thread block, or of the grid, may be apart: blocks to which some come and others do not,
   or not equally often, as far as the branches that they meet tell. */
#ifndef GSIM_FUSION_EVEN_H
#define GSIM_FUSION_EVEN_H
#include "passes/analysis/ssa.h"

/* By block. What all threads read alike: parameters, constant memory, extents and, in one thread block, its
   number; whatever else comes from memory, and what warps agree on, may differ. pdom: with exits as edges. */
BitSet even_apart(Arena *, const Cfg *, const Dom *pdom, const Ssa *, bool grid);
#endif
