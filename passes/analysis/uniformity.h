/* Uniformity: which branches all lanes of a warp that execute together decide alike, and which values they share. */
#ifndef GSIM_UNIFORMITY_H
#define GSIM_UNIFORMITY_H
#include "passes/analysis/ssa.h"

typedef struct UniformityOptions {
	bool loads;                    /* a load from one address gives one value, even where others may store to it in between (--ld-uniform) */
	bool exits;                    /* a branch one of whose sides ends the thread at once is not divergent: who is left goes one way (Ocelot) */
	bool anywhere;                 /* lanes meet wherever they are at one instruction, those of other iterations and other warps, too */
	int steps;                     /* for the names of successors, by block (64); negative: none, so that every join is the frontier's */
} UniformityOptions;

typedef struct Uniformity {
	bool *divergent;               /* by block: the terminator may part lanes */
	BitSet regs;                   /* registers that may differ somewhere */
	const Ssa *ssa;
	bool *version;                 /* by version: it may differ where it is written */
	bool *use;                     /* by place in ssa->use: it may differ there, as version says or because lanes come from different iterations */
} Uniformity;
/* Everything made on the way: for callers that keep no analyses. */
Uniformity *uniformity_build(Arena *, const Cfg *);
struct Reaching;
Uniformity *uniformity_solve(Arena *, const Cfg *, const Dom *, const Dom *pdom, const Ssa *, const struct Reaching *, UniformityOptions);
#endif
