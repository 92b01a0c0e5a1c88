/* Lexical expressions: what is computed from which registers and immediates, whatever register gets it. One number for each pattern of operation, types,
 * modifiers and sources; where each is computed, and what ends its value. Numbers and sets are what code motion (transformations 1.3) needs. */
#ifndef GSIM_EXPRESSIONS_H
#define GSIM_EXPRESSIONS_H
#include "passes/analysis/flow.h"
#include "isa/effects.h"

typedef struct Occurrence { int block, ins, expression; } Occurrence;

/* Lists, ascending: how large they are follows from the code, not from blocks times expressions. */
typedef struct BlockExpressions {
	const int *first; int nfirst;  /* computed before anything in the block modifies it (NComp) */
	const int *last; int nlast;    /* computed behind the last that does (XComp) */
	const int *written; int nwritten; /* registers */
} BlockExpressions;

typedef struct Expressions {
	int n;
	const Ins **pattern;           /* by expression: one instruction that computes it */
	int noccurrence;
	Occurrence *occurrence;        /* in reverse post-order of blocks, then by place */
	int *reader_first, *reader;    /* by register: the expressions that read it are reader[reader_first[r]] up to reader[reader_first[r + 1]] */
	uint8_t *reads;                /* by expression: spaces that it loads from and something may write */
	BlockExpressions *of;          /* by block */
	uint8_t *clobbers;             /* by block: spaces that it may write */
	int *first, *last, *written;   /* all blocks' lists */
} Expressions;
/* Candidates: what effects_pure says may be taken for another, without guard and with one destination, and plain loads. What stores and the like in
 * another instruction may change is asked of effects: by spaces. table may be NULL: a call may do anything. */
Expressions *expressions_build(Arena *, const Cfg *, const EffectTable *);
bool expressions_modified(const Expressions *, int block, int e); /* a source is written there, or memory that it loads may be (not Transp) */
/* For the solver: sets of the expressions with numbers from `from` to below `to`; bit 0 is the first. They have a bit for each block and each of these. */
typedef struct ExpressionSets { BitSet *first, *last, *modified; } ExpressionSets;
ExpressionSets *expressions_sets(Arena *, const Cfg *, const Expressions *, int from, int to);
void expressions_print(const Cfg *, const Expressions *, StrBuf *);
#endif
