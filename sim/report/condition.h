/* Conditions on two reports, as --fail-if of gsim-compare has them:

     [kernel NAME:] [ratio.|after.|change.]FIGURE OPERATOR NUMBER[%]

   FIGURE is a path in `total` (cycles, memory.dram.reads, active_lanes[32]), or code.*; behind a kernel's
   name, or * for each kernel, a path in its row of `kernels`. The value that is compared is the ratio after /
   before, after's own value, or the change after - before. A ratio of 0 to 0 is 1, of 0 to more is
   infinite. */
#ifndef GSIM_CONDITION_H
#define GSIM_CONDITION_H
#include "sim/report/pairs.h"

typedef enum { VALUE_RATIO, VALUE_AFTER, VALUE_CHANGE } ConditionKind;
typedef struct Condition {
	const char *text;              /* the condition as the user has written it */
	/* name of the kernel that has the figure; NULL: the whole run has it; "*": each kernel has it */
	const char *kernel;
	const char *path;
	ConditionKind value;
	int op;                        /* the operator, an index in `operators` of condition.c */
	double bound;
} Condition;

/* Reads a condition. False: error says what was expected, column says where, counted from 1. */
bool condition_parse(Arena *, const char *text, Condition *, const char **error, int *column);

typedef struct Judgement {
	int judged;                    /* number of comparisons made */
	int holds;                     /* in how many of these comparisons the condition holds */
	int failed;                    /* runs after that have failed, while the run before has not */
	int open;                      /* comparisons that should have been made and could not be */
} Judgement;

/* Judges conditions on pairs of runs. named: each line names the run that it is about. out: gets a line for
   each condition that holds, for each comparison that could not be made, and for what was left out: runs and
   kernels without a counterpart, and pairs whose run before has failed. A condition that is judged nowhere
   counts as open. */
Judgement conditions_judge(const Condition *, int n, const GridPair *, int npairs, bool named, StrBuf *out);
#endif
