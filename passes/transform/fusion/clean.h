/* Removes what fused kernels no longer need. If a thread loads in the second body what it has stored itself
 * in the first body, the value stays in a register, and the load goes. If nobody reads the stored value any
 * more, the store goes, too (Fukuhara, doctoral thesis 2023, figure 5.1). */
#ifndef GSIM_FUSION_CLEAN_H
#define GSIM_FUSION_CLEAN_H
#include "passes/transform/fusion/fusion.h"

/* Cleans up the kernels from number `first` on. They must be made by a run of fusion, and nobody but the
 * module's host functions may launch them. First it replaces loads of what the thread has stored itself
 * (forward_stores), with what all launches of the kernel have in common of grids and buffers. Then it removes
 * stores and reductions through a parameter if nobody reads the parameter's buffers any more, neither behind
 * one of these launches (passes/analysis/buffers.h) nor in the kernel. Then the usual clean-up passes run.
 * Adds counts and remarks to the run. Returns true if some kernel has changed. */
bool fusion_clean(PassRun *, int first, const FusionOptions *);
#endif
