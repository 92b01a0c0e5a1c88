/* Lexical expressions: what is computed from which registers and immediates, whatever register gets it. One number for each pattern of operation, types,
 * modifiers and sources; where each is computed, and what ends its value. Numbers and sets are what code motion (transformations 1.3) needs. */
#ifndef GSIM_EXPRESSIONS_H
#define GSIM_EXPRESSIONS_H
#include "passes/analysis/flow.h"
#include "isa/effects.h"

typedef struct Occurrence { int block, ins, expression; } Occurrence;

typedef struct Expressions {
	int n;
	const Ins **pattern;           /* by expression: one instruction that computes it */
	int noccurrence;
	Occurrence *occurrence;        /* in reverse post-order of blocks, then by place */
	int *reader_first, *reader;    /* by register: the expressions that read it are reader[reader_first[r]] up to reader[reader_first[r + 1]] */
	BitSet *first, *last;          /* by block: computed before anything in the block modifies it; behind the last that does (NComp, XComp) */
	BitSet *modified;              /* by block: a source is written, or memory that it loads may be (not Transp) */
} Expressions;
/* Candidates: what effects_pure says may be taken for another, without guard and with one destination, and plain loads. What stores and the like in
 * another instruction may change is asked of effects: by spaces. table may be NULL: a call may do anything. */
Expressions *expressions_build(Arena *, const Cfg *, const EffectTable *);
void expressions_print(const Cfg *, const Expressions *, StrBuf *);
#endif
