/* Lexical expressions: what is computed from which registers and immediates, whatever register gets the
 * result. Each pattern of operation, types, modifiers and sources is one expression, and has a number. The
 * analysis finds where each expression is computed, and what modifies it: a write to one of its sources, or
 * to memory that it loads. Code motion (transformations 1.3) needs these numbers, and sets of them. */
#ifndef GSIM_EXPRESSIONS_H
#define GSIM_EXPRESSIONS_H
#include "passes/analysis/flow.h"
#include "passes/analysis/memdep.h"
#include "isa/effects.h"

/* An instruction that computes an expression. first: nothing in its block modifies the expression in front of
   it; last: nothing modifies the expression behind it. */
typedef struct Occurrence { int block, ins, expression; bool first, last; } Occurrence;

/* Whom to ask whether a write modifies a load, by addresses: at most `patience` questions are asked; from
   then on every write to a load's space modifies it. */
typedef struct ExpressionMemory { const MemDep *dep; MemAsk ask; int64_t patience; } ExpressionMemory;

/* Ascending lists, whose length in all is bounded by that of the code, not by blocks times expressions. */
typedef struct BlockExpressions {
	const int *first; int nfirst;  /* expressions computed before the block modifies them (NComp) */
	const int *last; int nlast;    /* expressions computed after the block modifies them last (XComp) */
	const int *written; int nwritten; /* registers that the block writes */
} BlockExpressions;

typedef struct Expressions {
	int n;
	const Ins **pattern;           /* by expression: one instruction that computes it */
	int noccurrence;
	/* occurrences of all expressions, in reverse post-order of blocks, in a block by place */
	Occurrence *occurrence;
	/* by register: the expressions that read it are reader[reader_first[r]] up to, not including,
	   reader[reader_first[r + 1]] */
	int *reader_first, *reader;
	uint8_t *reads;   /* by expression: the spaces from which it loads and to which something may write */
	/* by block: the expressions that the block computes first and last, and the registers that it
	   writes */
	BlockExpressions *of;
	uint8_t *clobbers;             /* by block: spaces that it may write */
	bool *stops;                   /* by block: a thread may end within the block */
	ExpressionMemory *memory;      /* NULL: spaces alone decide */
	/* occurrence_first: by expression, its first occurrence; occurrence_next: by occurrence, the next one
	   of the same expression; -1: there is none */
	int *occurrence_first, *occurrence_next;
	int *first, *last, *written;   /* where the lists of all blocks are */
} Expressions;
/* Expressions are instructions without a guard that may be computed again (ins_repeats). They are the same by
 * the numbers of their values (values.h), in which registers count as themselves. What other
 * instructions (stores, calls) may change in memory is taken from their effects, by spaces. An instruction
 * behind which a thread may not go on modifies every load: a load must not be moved in front of it. The table
 * may be NULL: then a call may do anything. */
Expressions *expressions_build(Arena *, const Cfg *, const EffectTable *);
/* The same, but a write modifies only those loads that memory dependence cannot tell apart from it, at any
   two times in one call of the function. */
Expressions *expressions_build_asking(Arena *, const Cfg *, const EffectTable *, ExpressionMemory *);
/* does the block write a source of the expression, or may it write memory that the expression loads (not
   Transp)? */
bool expressions_modified(const Expressions *, int block, int e);
/* For the dataflow solver, by block: sets of the expressions with numbers from `from` to below `to`; bit 0 is
   expression `from`. */
typedef struct ExpressionSets { BitSet *first, *last, *modified; } ExpressionSets;
ExpressionSets *expressions_sets(Arena *, const Cfg *, const Expressions *, int from, int to);
/* Adds to the sets what one block does with the expressions from `from` to below `to`; bit[e] is the bit of
   expression e, -1: it is left out. Takes time in proportion to what the block does with these. */
void expressions_of_block(const Expressions *, int block, const int *bit, int from, int to, BitSet first,
	BitSet last, BitSet modified);
void expressions_print(const Cfg *, const Expressions *, StrBuf *);
#endif
