/* Lexical expressions: what is computed from which registers and immediates, whatever register gets it. One
 * number for each pattern of operation, types, modifiers and sources; where each is computed, and what ends
 * its value. Numbers and sets are what code motion (transformations 1.3) needs. */
#ifndef GSIM_EXPRESSIONS_H
#define GSIM_EXPRESSIONS_H
#include "passes/analysis/flow.h"
#include "passes/analysis/memdep.h"
#include "isa/effects.h"

/* first: nothing in its block modifies the expression before it; last: nothing does behind it. */
typedef struct Occurrence { int block, ins, expression; bool first, last; } Occurrence;

/* What memory dependence is asked about loads: as often as patience lasts; then whatever writes to a load's
   space modifies it. */
typedef struct ExpressionMemory { const MemDep *dep; MemAsk ask; int64_t patience; } ExpressionMemory;

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
	/* by register: the expressions that read it are reader[reader_first[r]] up to reader[reader_first[r +
	   1]] */
	int *reader_first, *reader;
	uint8_t *reads;                /* by expression: spaces that it loads from and something may write */
	BlockExpressions *of;          /* by block */
	uint8_t *clobbers;             /* by block: spaces that it may write */
	bool *stops;                   /* by block: a thread may end within it */
	ExpressionMemory *memory;      /* NULL: nobody is asked */
	/* by expression, its first occurrence; by occurrence, the same expression's next one; -1: there is
	   none */
	int *occurrence_first, *occurrence_next;
	int *first, *last, *written;   /* all blocks' lists */
} Expressions;
/* Candidates: what effects_pure says may be taken for another, without guard and with one destination, and
 * plain loads. Results of different widths are different expressions. What stores and the like in another
 * instruction may change is asked of effects: by spaces. An instruction behind which a thread may not go on
 * modifies every load, which must not come before it. table may be NULL: a call may do anything. */
Expressions *expressions_build(Arena *, const Cfg *, const EffectTable *);
/* The same, where writes modify a load that memory dependence cannot tell them from, at any time of one call
   of the function. */
Expressions *expressions_build_asking(Arena *, const Cfg *, const EffectTable *, ExpressionMemory *);
/* a source is written there, or memory that it loads may be (not Transp) */
bool expressions_modified(const Expressions *, int block, int e);
/* For the solver: sets of the expressions with numbers from `from` to below `to`; bit 0 is the first. They
   have a bit for each block and each of these. */
typedef struct ExpressionSets { BitSet *first, *last, *modified; } ExpressionSets;
ExpressionSets *expressions_sets(Arena *, const Cfg *, const Expressions *, int from, int to);
/* The same for one block and expressions from `from` to below `to` that have a bit (-1: none); in time
   proportional to what the block does with these. */
void expressions_of_block(const Expressions *, int block, const int *bit, int from, int to, BitSet first,
	BitSet last, BitSet modified);
void expressions_print(const Cfg *, const Expressions *, StrBuf *);
#endif
