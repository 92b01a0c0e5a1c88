/* Uniformity: which branches all lanes of a scope that execute together decide alike, and which values they
 * share. The scope is a warp of the machine, a thread block or the grid.
 *
 * What a verdict on warps promises: whenever lanes execute an instruction at one time, they have one value in
 * each source that is said to be uniform there. When that is depends on the mechanism. The promise holds for
 * each that lets lanes of a branch wait for each other at a post-dominator (of all ways, or of those that end
 * where one of the exits is), that runs blocks in reverse post-order, loops whole (exec_mask), or the first
 * block in that order; and where lanes that a call parts, or that return at different times, wait for each
 * other behind the call.
 *
 * The option `anywhere` promises it for lanes that meet wherever they are at one instruction: of different
 * iterations, calls, or warps of a block. It is needed for
 *
 *   - dwf, dws and sbi; its, aware and multi_path where parameters let lanes go on without others (time-outs,
 *     yields, opportunistic merging);
 *   - tbc in functions with warp-level operations, whose results its warps carry into warps of others, or
 *     that read what a warp of neighbours alone shares (%warpid, %tid.y with reqntid);
 *   - min_pc in modules with calls: it compares places in the code alone, and so runs lanes of different
 *     calls together (min_sp_pc does not);
 *   - spec_reconv in functions with a branch whose point (`!reconverge`) does not post-dominate it: lanes
 *     wait there for those of later iterations.
 *
 * Kernels see warps of at most 32 lanes (doc/semantics.md). On a machine whose warp is several of these, what
 * one finds out by a warp-level operation the others do not share, and a branch on it may part them. Threads
 * of a block stand in warps in the order of their numbers, %tid.x first: where the extents of a block are
 * known (reqntid, or the options), lanes of a warp share %tid.y if a row is a multiple of the warp.
 *
 * Threads of a block or of the grid do not execute together. A verdict on these scopes promises what would
 * hold if all threads of the scope were one warp, on a stack that lets them wait at post-dominators. What
 * a thread computes does not depend on that, since only values count that are the same whenever they are
 * computed, so this follows for threads as they run: all of them execute the same row of those blocks in
 * which they are not apart (uniformity_apart), and what is uniform in one of these is equal in all threads
 * when they come to the same place of the row. `.uni` speaks of warps, and says nothing of larger scopes.
 *
 * Exits part nobody: lanes that have ended are not there to differ. So what lanes make of a branch on one
 * side of which they end is not different ways: nothing changes for those that go on, in the loop around it
 * neither. That holds
 *
 *   - for a way to a block where threads end at once, and for one that leads to blocks of its own, which
 *     nobody enters otherwise and nobody leaves but by ending (uniformity_meet.c). Where a way of ends meets
 *     others, as before a common store, lanes of different ways, or of different turns of a loop, meet;
 *   - for the end of a kernel as well as for `ret` in a device function: lanes that have returned are in the
 *     function no more. In the caller lanes wait behind the call for each other, and all that a call
 *     returns, or changes, is divergent;
 *   - not for code that aborts the launch (OPF_FATAL): there nobody goes on;
 *   - for values and branches. Whether lanes are there is another question: behind `if (c) exit` with a
 *     divergent c only some are. A barrier does not wait for threads that have ended, and warp-level
 *     operations without them give the others one result, so both are in order there. But a pass that lets
 *     threads go on which ended before makes them be missed; uniformity_apart takes them as apart from those
 *     that go on. A device function's `ret` ends no thread: a barrier behind `if (c) ret` does wait for those
 *     that have returned. */
#ifndef GSIM_UNIFORMITY_H
#define GSIM_UNIFORMITY_H
#include "passes/analysis/ssa.h"

typedef enum { UNI_WARP, UNI_BLOCK, UNI_GRID } UniScope;

typedef struct UniformityOptions {
	UniScope scope;
	int64_t warp_size;             /* lanes of a warp of the machine; 0: PTX_WARP */
	/* extents of a block, of the grid; 0: not known. What the function requires (reqntid) need not be
	   given. */
	uint32_t block[3], grid[3];
	/* a load from one address gives one value, even where others may store to it in between
	   (--ld-uniform) */
	bool loads;
	/* lanes meet wherever they are at one instruction, even of different iterations or calls */
	bool anywhere;
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
	UniformityOptions options;
	bool *divergent;               /* by block: lanes may decide differently at its terminator */
	/* by block: lanes that part at its terminator go on in several ways. A way to a block that does
	   nothing but end the thread does not count. */
	bool *parts;
	bool sreg[SREG_COUNT];         /* by special register: it differs among lanes */
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
/* Both make all analyses that they need, for callers that keep none. uniformity_build: in a warp of so many
   lanes. */
Uniformity *uniformity_build(Arena *, const Cfg *, int64_t warp_size);
Uniformity *uniformity_build_for(Arena *, const Cfg *, UniformityOptions);
/* The blocks to which lanes of the scope may come while others do not, or not equally often: those between a
   divergent branch and its post-dominator, ends of threads counted as one place. Lanes that have ended, and
   will not come, are apart from those that go on. */
BitSet uniformity_apart(Arena *, const Cfg *, const Uniformity *);
/* The same where exits part nobody: the blocks to which some lanes may come while others are elsewhere in the
   function. */
BitSet uniformity_parted(Arena *, const Cfg *, const Uniformity *);
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
