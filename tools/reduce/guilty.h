/* Which pass of a pipeline makes a module wrong, and which of its changes. */
#ifndef GSIM_REDUCE_GUILTY_H
#define GSIM_REDUCE_GUILTY_H
#include "tools/reduce/judge.h"
#include "tools/reduce/trial.h"

typedef struct Guilty {
	int step, steps;               /* the first pass that makes it wrong, from 1, of so many */
	const char *pass;              /* its text: "unroll(factor=2)" */
	const char *until;             /* the pipeline up to it */
	int64_t change;                /* the first change of `until` that makes it wrong, from 1 */
	const char *what, *why;        /* that change, and what is wrong then; "": nothing is known */
	bool alone;                    /* the pass alone makes the module wrong, too */
	Verdict all;                   /* what is wrong with all passes; VERDICTS: not known */
} Guilty;

/* How the search ended. GUILTY_NONE: passes leave the module as it should be, or, by `text`, nothing can be
   said. */
typedef enum { GUILTY_FOUND, GUILTY_NONE, GUILTY_INTERRUPTED, GUILTY_ERROR } GuiltyEnd;

/* Searches, by halves, the first pass and its first change for which a trial is interesting. t->self is a
   Judge, whose passes and limit are set; behind the search they are those with which the module is to be
   reduced: the pass alone, or where it is sound alone, the pipeline up to it. If t->judge is set, the verdict
   is what is wrong with all passes. text: gets a sentence where nothing was found. */
GuiltyEnd guilty_find(const TrialTest *t, Module *, const char *passes, Arena *, Guilty *, const char **text);
#endif
