/* Fusion of two kernels whose launches stand one behind the other: may it be, and the fused kernel.
 *
 * The fused kernel executes the body of the first kernel, then that of the second; every return of the first
 * body goes to the join between them. In one block nothing of the second body begins before the first body
 * has ended, where that matters: a block barrier stands at the join. Between blocks nobody waits, so no
 * block's second body may touch what another block's first body writes, nor write what that reads (Fukuhara,
 * doctoral thesis 2023, section 5.3.1, takes that for granted; here it is shown by affine forms of addresses,
 * passes/analysis/memdep.h, on the fused kernel itself).
 *
 * What a verdict rests on besides the code: addresses made from a parameter or variable stay in what that
 * leads to (MEM_IN_BOUNDS), and parameters lead to the buffers that passes/analysis/buffers.h says. */
#ifndef GSIM_FUSION_H
#define GSIM_FUSION_H
#include "isa/edit.h"
#include "lib/hash.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef struct FusionOptions {
	/* a barrier of the whole grid may stand between the bodies, where all blocks are resident at once */
	bool grid_barrier;
	/* dependences between different blocks, and waits for blocks that are not resident, are taken not to
	   be there: counted, and results are not claimed */
	bool assume_no_grid_sync;
	bool assume_no_wrap;           /* MEM_NO_WRAP is taken */
	bool same_kernel;              /* launches of one and the same kernel are fused, too */
	/* by name of a fused kernel: of how many of the source's it is made; fusion_make adds to it; NULL:
	   nobody counts */
	StrMap *bodies;
} FusionOptions;

/* what is between the bodies: nothing, a block barrier, a barrier of the grid */
typedef enum { FUSION_NOTHING, FUSION_BLOCK, FUSION_GRID } FusionBetween;
extern const char *const fusion_between[];

typedef struct FusionVerdict {
	bool may;
	FusionBetween between;
	unsigned assumed;              /* MEM_* that it rests on */
	bool no_grid_sync;             /* it rests on assume_no_grid_sync, */
	/* and so it does where how much shared memory launches are given is not known: that both have room is
	   taken for granted */
	bool unmeasured;
	bool dependence;              /* it was refused for a dependence between blocks, or would have been */
	Loc at[2];                 /* of the dependence: the accesses of the first and of the second kernel */
	/* of a refusal, and of a dependence: a clause for a remark; lives as long as the Fusion */
	const char *why;
} FusionVerdict;

/* One run of a fusion pass over a module: the options and the fused kernels made so far. */
typedef struct Fusion Fusion;
Fusion *fusion_open(PassRun *, const FusionOptions *);
void fusion_close(Fusion *);

/* May the launches, standing one right behind the other before instruction `ins` of the block, become one?
   Their operands are read as registers stand at that place, wherever the statements are now: neither of them
   need stand there. Returns verdict->may. The module stays as it is. */
bool fusion_judge(Fusion *, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
	FusionVerdict *);
/* Makes the fused kernel, or finds the one made before, and returns the launch of it, with operands of its
   own, which the caller puts in the place of both. Host instructions that it takes are put before instruction
   `ins` of the block: as many more instructions does the block have then. The verdict is that of fusion_judge
   for this place, and nothing may have changed since. Counts what the verdict rests on (pass_assumption). */
Ins fusion_make(Fusion *, Analyses *host, Edit *, Block *, int ins, const Ins *first, const Ins *second,
	const FusionVerdict *);
#endif
