/* Do passes leave the results of a module as they are? The built-in question of gsim-reduce --pass. */
#ifndef GSIM_REDUCE_JUDGE_H
#define GSIM_REDUCE_JUDGE_H
#include "isa/ir.h"
#include "sim/config/config.h"
#include <signal.h>

/* What is wrong with a module behind passes, against the reference interpreter's run of the module as it is.
   VERDICT_UNFIT: nothing can be said, since that run itself fails. */
typedef enum { VERDICT_SAME, VERDICT_DIFFERS, VERDICT_FAILS, VERDICT_REFUSED, VERDICT_CRASHES, VERDICT_UNFIT,
	VERDICTS, VERDICT_WRONG = VERDICTS } Verdict;
extern const char *const verdict_text[VERDICTS];       /* "results differ" */

typedef struct Judge {
	Config config;
	const char *passes;
	int64_t most;                  /* changes that passes may make; INT64_MAX: all */
	/* the one that is interesting; VERDICT_WRONG: each for which the passes are to blame */
	Verdict wanted;
	bool tells;                    /* nothing is interesting: verdicts are to be told apart */
	int64_t steps; /* instructions after which a thread is given up; 0: the configuration's */
	bool races;                    /* a module whose blocks race is unfit */
	const char *note;              /* file that gets the last change and what is wrong; NULL: none */
} Judge;

/* Runs the module as it is, and limits the instructions of threads in later runs to some times what its
   threads have executed. Returns how it went, as an exit status; diag gets errors. */
int judge_measure(Judge *, const Module *, volatile sig_atomic_t *interrupted, Diag *);
/* Judges a module, as TrialTest.judge does; judge: a Judge. Returns 0 if it is interesting, else
   VERDICT_STATUS and the verdict. */
enum { VERDICT_STATUS = 32 };
int judge_module(void *judge, Module *);
/* The module behind the passes, as TrialTest.make does; NULL: they fail. */
Module *judge_make(void *judge, Module *);
#endif
