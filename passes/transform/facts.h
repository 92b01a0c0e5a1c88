/* What clean-up passes share: questions about instructions, constants, and facts about registers that hold on
   every way to a block. */
#ifndef GSIM_FACTS_H
#define GSIM_FACTS_H
#include "isa/effects.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/values.h"

/* ---- questions about an instruction ---- */
/* Returns the spaces in which the instruction may change values. */
uint8_t ins_clobbers(const EffectTable *, const Ins *);
bool ins_allowed(const Module *, const Function *, const Ins *); /* is the instruction valid IR? */
/* Returns a move from register src to register dst that takes the place, and has the guard, of `instead`. */
Ins ins_move(Module *, const Function *, const Ins *instead, int dst, int src);

/* ---- constants ---- */
enum { FOLD_SOURCES = 8 };
int64_t fold_immediate(Type, uint64_t bits);   /* a constant's bits as an operand of that type has them */
Type fold_source_type(const Module *, const Ins *, int k); /* of source k; of pack, the type of one part */
/* Computes what an instruction of the ALU writes to its one register when its sources, at most FOLD_SOURCES,
   have these bits; all bits are as registers hold them. Returns false when that cannot be computed. */
bool ins_fold(const Module *, const Function *, const Ins *, const uint64_t *src, uint64_t *result);

/* ---- facts ---- */
/* A fact begins in a block and holds until a register is defined that the fact is about, under a guard or
   not. */
typedef struct Facts {
	const Cfg *c;
	const EffectTable *effects;
	Keys keys;                 /* the facts */
	struct FactLink **of_reg, **of_block;
	/* Does a fact about memory still hold when the instruction has written there? NULL: never. This is
	   asked for each fact, `patience` times at most; then the answer is taken to be no. */
	bool (*outlasts)(void *self, int fact, int block, int ins);
	void *self;
	int64_t patience;
	BitSet *before;    /* by block: facts that hold on every way to its start; NULL: there are no facts */
} Facts;
Facts facts_open(Arena *, const Cfg *, const EffectTable *);
/* The number by which facts name the memory of a space, as they name registers by theirs. That memory is
   "defined" by every instruction of which ins_clobbers returns the space. */
static inline int facts_memory(const Facts *x, int space) { return function_values(x->c->f) + space; }
/* Notes a fact that begins in the block and holds at the block's end. Returns its number. */
int facts_hold(Facts *, int block, const int64_t *key, int n);
/* Notes that the fact is about that register, or that memory. To be called once for each fact and
   register. */
void facts_about(Facts *, int fact, int reg);
void facts_solve(Facts *);                           /* fills in `before` */
static inline int facts_count(const Facts *x) { return x->keys.n; }
#endif
