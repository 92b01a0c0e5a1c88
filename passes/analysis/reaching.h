/* Reaching definitions, chains from definitions to uses, and webs, read off the SSA overlay: its size is that
 * of the code, that of explicit chains may be its square. A guarded definition does not kill. What is in a
 * register when the function begins (an argument's value; else it is undefined) counts as a definition. */
#ifndef GSIM_REACHING_H
#define GSIM_REACHING_H
#include "passes/analysis/ssa.h"

/* use: number of the use within the instruction, in the order of ins_uses */
typedef struct Reading { int block, ins, use; } Reading;

typedef struct Reaching {
	const Ssa *ssa;
	/* by version: instructions read it directly at read[read_first[v]] up to read[read_first[v + 1]] */
	int *read_first;
	Reading *read;
	/* by version: the phis' and guarded definitions' versions that take it over */
	int *into_first, *into;
	struct ReachingWalk { int *seen, *stack, stamp; } *walk; /* of the last question */
} Reaching;
Reaching *reaching_build(Arena *, const Cfg *, const Ssa *);

/* The definitions (versions, none of a phi) that may have written what reading `version` gets; returns how
   many. def: room for ssa->n. */
int reaching_defs(const Reaching *, int version, int *def);
/* Where what definition `version` writes may be read. read: room for as many as there are uses. */
int reaching_uses(const Reaching *, int version, Reading *read);

/* Webs: the finest partition of versions in which a use and all definitions that reach it are in one. */
typedef struct Webs {
	int n, *of;  /* by version: its web; -1: what is there before the function begins, and nobody reads */
	int *reg;                  /* by web */
	bool *fixed;  /* by web: it holds an argument or a result, whose register the function's head names */
} Webs;
Webs *webs_build(Arena *, const Cfg *, const Ssa *);

void reaching_print(const Cfg *, const Reaching *, StrBuf *);
void webs_print(const Cfg *, const Webs *, StrBuf *);
#endif
