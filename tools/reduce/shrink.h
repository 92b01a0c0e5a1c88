/* Making a module smaller as long as it stays interesting. */
#ifndef GSIM_REDUCE_SHRINK_H
#define GSIM_REDUCE_SHRINK_H
#include "lib/diag.h"
#include "tools/reduce/trial.h"

typedef struct ShrinkSize { int functions, blocks, instructions; } ShrinkSize;

typedef struct Shrink {
	const TrialTest *test;
	int processes;                 /* candidates that are tried at the same time */
	bool progress;                 /* is shown on standard error */
	bool undefined;                /* registers may be read that nothing writes */
	Module *best;                  /* the smallest one that is interesting; begins as the input */
	int tried;                     /* how many candidates */
	double began, shown;           /* s */
	Diag *diag;
} Shrink;

/* Tries the ways of tools/reduce/edits.h again and again until none makes the module smaller. The input must
   be interesting. The result does not depend on `processes`. False: it was interrupted, or failed with an
   error in diag; best is then what was reached. */
bool shrink(Shrink *);
ShrinkSize shrink_size(const Module *);        /* functions: those with a body */
/* Is the module valid, and are its registers written before they are read? */
bool shrink_valid(const Module *, bool undefined);
#endif
