/* Uniformity: which branches all lanes of a warp that execute together decide alike, and which values they
 * share.
 *
 * What a verdict promises: whenever lanes execute an instruction at one time, they have one value in each
 * source that is said to be uniform there. When that is depends on the mechanism. The promise holds for each
 * that lets lanes of a branch wait for each other at a post-dominator (of all ways, or of those that end
 * where one of the exits is), that runs blocks in reverse post-order, loops whole (exec_mask), or the first
 * block in that order; and where lanes that a call parts, or that return at different times, wait for each
 * other behind the call.
 *
 * The option `anywhere` promises it for lanes that meet wherever they are at one instruction: of different
 * iterations, calls, or warps of a block. It is needed for
 *
 *   - dwf, dws and sbi; its, aware and multi_path where parameters let lanes go on without others (time-outs,
 *     yields, opportunistic merging);
 *   - tbc in functions with warp-level operations, whose results its warps carry into warps of other lanes;
 *   - min_pc in modules with calls: it compares places in the code alone, and so runs lanes of different
 *     calls together (min_sp_pc does not);
 *   - spec_reconv in functions with a branch whose point (`!reconverge`) does not post-dominate it: lanes
 *     wait there for those of later iterations.
 *
 * Kernels see warps of at most 32 lanes (doc/semantics.md). Without the option `wide`, lanes means lanes of
 * one of these: on a machine whose warp is two of them, what one finds out by a warp-level operation the
 * other does not share, and a branch on it may part the two. */
#ifndef GSIM_UNIFORMITY_H
#define GSIM_UNIFORMITY_H
#include "passes/analysis/ssa.h"

typedef struct UniformityOptions {
	/* a load from one address gives one value, even where others may store to it in between
	   (--ld-uniform) */
	bool loads;
	/* lanes meet wherever they are at one instruction, even of different iterations or calls */
	bool anywhere;
	bool wide;                    /* a warp of the machine is several of the warps that the kernel sees */
	/* for each block of the function, the steps that carrying names of successors may take
	   (uniformity_joins.c); 0: JOIN_STEPS; negative: none, so that every join comes from the dominance
	   frontier */
	int steps;
} UniformityOptions;

/* Why a version differs (uniformity_why.c). */
typedef enum {
	/* because of the instruction that writes the version; if this is a phi, because of a version that
	   comes into it */
	UNI_VALUE,
	UNI_JOIN,                      /* lanes that part at a branch come to the phi by different ways */
	UNI_LEFT,                      /* because of a branch, lanes leave a cycle in different iterations */
	UNI_MIXED,                    /* because of a branch, lanes of different iterations meet in a cycle */
	/* because of a branch, lanes come by turns to the instruction, whose result depends on which lanes
	   execute it together */
	UNI_TURNS
} UniCauseKind;
/* branch: the branch's block; -1: no single one */
typedef struct UniCause { uint8_t kind; int branch; } UniCause;

typedef struct Uniformity {
	bool *divergent;               /* by block: the terminator may part lanes */
	BitSet regs;                   /* registers that may differ somewhere */
	const Ssa *ssa;
	bool *version;                 /* by version: the version may differ where it is written */
	/* by place in ssa->use: the value may differ there, because its version does or because lanes come
	   from different iterations */
	bool *use;
	UniCause *cause;               /* by version, where it differs: the first cause that was found */
	/* by place in ssa->use, if the use differs and the version does not: the block of the branch by which
	   lanes leave the cycle, or -1 */
	int *left;
} Uniformity;
/* The options for a machine with warps of so many lanes: `wide` for more than PTX_WARP, where a warp is
   several of the kernel's. */
UniformityOptions uniformity_for(int64_t warp_size);

/* Both make all analyses that they need, for callers that keep none. */
Uniformity *uniformity_build(Arena *, const Cfg *, int64_t warp_size);
Uniformity *uniformity_build_for(Arena *, const Cfg *, UniformityOptions);
/* Why branches differ, as text for people: " %tid.x, ld.global:40". A source that differs by itself is a
   special register, an argument of the caller's, an operation by its name and line (` from one address`: a
   load whose address does not differ, and which others may store to in between), or what a branch does to
   lanes, by the branch's block. */
typedef struct UniWhy UniWhy;
UniWhy *uniformity_why_open(const Cfg *, const Uniformity *);
/* why the branch of the block is divergent; the nearest sources first */
void uniformity_why(UniWhy *, int block, StrBuf *);
void uniformity_why_close(UniWhy *);

struct Reaching;
Uniformity *uniformity_solve(Arena *, const Cfg *, const Dom *, const Dom *pdom, const Ssa *,
	const struct Reaching *, UniformityOptions);
#endif
