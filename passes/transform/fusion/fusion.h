/* Fusion of two kernels whose launches stand one behind the other: judges whether the launches may become
 * one, and makes the fused kernel.
 *
 * The fused kernel executes the body of the first kernel, then that of the second; every return of the first
 * body becomes a jump to the join between them. If it matters that no thread of a thread block begins the
 * second body before all threads of the block have ended the first one, a block barrier stands at the join.
 * Different blocks do not wait for each other (unless FusionOptions.grid_barrier allows that), so no block's
 * second body may touch what another block's first body writes, nor write what the other one reads. Fukuhara,
 * doctoral thesis 2023, section 5.3.1, takes this for granted; here it is shown by affine forms of addresses
 * (passes/analysis/memdep.h) on the fused kernel itself.
 *
 * Besides the code a verdict rests on two assumptions: an address made from a parameter or a variable stays
 * in the memory to which the parameter leads, or in the variable (MEM_IN_BOUNDS); and parameters lead to the
 * buffers that passes/analysis/buffers.h finds. */
#ifndef GSIM_FUSION_H
#define GSIM_FUSION_H
#include "isa/edit.h"
#include "lib/hash.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef struct FusionOptions {
	/* a barrier of the whole grid may stand between the bodies if all blocks are certain to be resident
	   at once */
	bool grid_barrier;
	/* dependences between different blocks, and waits for blocks that may not be resident, are ignored;
	   each fusion that rests on this is counted, and its results may be wrong */
	bool assume_no_grid_sync;
	bool assume_no_wrap;           /* verdicts may rest on MEM_NO_WRAP */
	bool same_kernel;              /* two launches of one and the same kernel may be fused, too */
	/* by name of a fused kernel: the number of kernels of the source of which it is made; fusion_make
	   adds the kernels that it makes; NULL: each kernel counts as one */
	StrMap *bodies;
} FusionOptions;

/* what stands between the two bodies: nothing, a block barrier, a barrier of the whole grid */
typedef enum { FUSION_NOTHING, FUSION_BLOCK, FUSION_GRID } FusionBetween;
extern const char *const fusion_between[];

typedef struct FusionVerdict {
	bool may;
	FusionBetween between;
	unsigned assumed;              /* MEM_* assumptions on which the verdict rests */
	bool no_grid_sync;             /* the verdict rests on FusionOptions.assume_no_grid_sync */
	/* how much shared memory the launches are given is not known; assume_no_grid_sync takes it for
	   granted that both kernels together have room */
	bool unmeasured;
	/* the bodies depend on each other between different blocks; options may allow the fusion all the
	   same */
	bool dependence;
	/* of the dependence: the places of the first kernel's access and of the second kernel's access */
	Loc at[2];
	/* why the launches are refused, or what the dependence is: a clause for a remark; lives as long as
	   the Fusion */
	const char *why;
} FusionVerdict;

/* One run of a fusion pass over a module: the options and the fused kernels made so far. */
typedef struct Fusion Fusion;
Fusion *fusion_open(PassRun *, const FusionOptions *);
void fusion_close(Fusion *);

/* Tells whether the launches `first` and `second` may become one at a place: right before instruction `ins`
   of the block. Neither launch need stand there now; the registers that their operands name are taken with
   the values that they have at that place. Returns verdict->may. Does not change the module. */
bool fusion_judge(Fusion *, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
	FusionVerdict *);
/* Makes the fused kernel, or finds it if it was made before. Returns a launch of it, with operands of its
   own, which the caller has to put in the place of both launches. If operands have to be computed, inserts
   host instructions for that before instruction `ins` of the block, which then has so many more instructions.
   The verdict must be that of fusion_judge for this place, and nothing may have changed since. Counts the
   assumptions on which the verdict rests (pass_assumption). */
Ins fusion_make(Fusion *, Analyses *host, Edit *, Block *, int ins, const Ins *first, const Ins *second,
	const FusionVerdict *);
#endif
