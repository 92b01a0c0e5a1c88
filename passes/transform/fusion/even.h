/* Finds the blocks of a function in which threads of a thread block, or of the grid, may be apart: blocks
   that some threads execute and others do not, or not equally often, as far as the branches before them
   tell. */
#ifndef GSIM_FUSION_EVEN_H
#define GSIM_FUSION_EVEN_H
#include "passes/analysis/ssa.h"

/* Returns the set of these blocks, by number. grid: asks about all threads of the grid, else about those of
   one thread block. Parameters, constant memory, the extents of grid and block and, within one thread block,
   its number are taken to be the same for all threads; whatever else is loaded, and results of warp-level
   operations, may differ. pdom: post-dominators with exits as edges (pdom_build with exit_edges true). */
BitSet even_apart(Arena *, const Cfg *, const Dom *pdom, const Ssa *, bool grid);
#endif
