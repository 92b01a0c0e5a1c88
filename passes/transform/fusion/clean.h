/* What fused kernels no longer need. Where the first body's threads store what they themselves load in the
 * second one, the value stays in a register; where nobody reads what they have stored any more, the store
 * goes, too (Fukuhara, doctoral thesis 2023, figure 5.1). */
#ifndef GSIM_FUSION_CLEAN_H
#define GSIM_FUSION_CLEAN_H
#include "passes/transform/fusion/fusion.h"

/* Cleans up the kernels from number `first` on, which a run of fusion has made and the module's host
 * functions launch, and no one else: forward-stores, with what all these launches say of grids and buffers;
 * stores and reductions through parameters whose buffers nobody reads any more, behind any of these launches
 * (passes/analysis/buffers.h) or in the kernel, go; then the usual clean-ups. Counts and remarks go to the
 * run. True: some kernel has changed. */
bool fusion_clean(PassRun *, int first, const FusionOptions *);
#endif
