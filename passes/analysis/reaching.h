/* Reaching definitions, chains from definitions to uses, and webs, read off the SSA overlay, whose size is
 * that of the code; explicit chains may take the square of that. Behind a guarded definition earlier ones
 * reach on. What is in a register when the function begins (an argument's value; else it is undefined) counts
 * as a definition. */
#ifndef GSIM_REACHING_H
#define GSIM_REACHING_H
#include "passes/analysis/ssa.h"

/* use: number of the use within the instruction, in the order of ins_uses */
typedef struct Reading { int block, ins, use; } Reading;

typedef struct Reaching {
	const Ssa *ssa;
	/* by version: the places that read the version itself are read[read_first[v]] up to, not including,
	   read[read_first[v + 1]] */
	int *read_first;
	Reading *read;
	/* by version: the versions of phis and guarded definitions that may take over its value are
	   into[into_first[v]] up to into[into_first[v + 1]] */
	int *into_first, *into;
	struct ReachingWalk { int *seen, *stack, stamp; } *walk; /* scratch space of the last question */
} Reaching;
Reaching *reaching_build(Arena *, const Cfg *, const Ssa *);

/* Writes to def the definitions (versions, none of a phi) that may have written the value that a read of
   `version` gets; returns how many. def has room for ssa->n. */
int reaching_defs(const Reaching *, int version, int *def);
/* Writes to `read` where the value that definition `version` writes may be read; returns how many places.
   `read` has room for as many as there are uses. */
int reaching_uses(const Reaching *, int version, Reading *read);

/* Webs: the finest partition of versions in which a use and all definitions that reach it are in the same
   part. */
typedef struct Webs {
	int n, *of; /* by version: its web; -1: a version from before the function begins that nobody reads */
	int *reg;                  /* by web: the register of its versions */
	bool *fixed;  /* by web: it holds an argument or a result, whose register the function's head names */
} Webs;
Webs *webs_build(Arena *, const Cfg *, const Ssa *);

void reaching_print(const Cfg *, const Reaching *, StrBuf *);
void webs_print(const Cfg *, const Webs *, StrBuf *);
#endif
