/* What clean-up passes share: questions about instructions, constants, and facts about registers that hold on
   every way to a block. */
#ifndef GSIM_FACTS_H
#define GSIM_FACTS_H
#include "isa/effects.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/numbering.h"

/* ---- questions about an instruction ---- */
/* register = register, all bits of both; a guard does not matter */
bool ins_copies(const Function *, const Ins *);
/* It writes one register, which depends on the sources alone and on memory in the spaces of *reads that may
   be written. */
bool ins_repeats(const Ins *, uint8_t *reads);
/* spaces in which another value may stand afterwards */
uint8_t ins_clobbers(const EffectTable *, const Ins *);
bool ins_allowed(const Module *, const Function *, const Ins *);
/* The register gets what another one has: a move in the place of an instruction. */
Ins ins_move(Module *, const Function *, const Ins *instead, int dst, int src);

/* ---- constants ---- */
enum { FOLD_SOURCES = 8 };
int64_t fold_immediate(Type, uint64_t bits);   /* the bits of a constant of the type as an operand has them */
Type fold_source_type(const Module *, const Ins *, int k); /* of source k, the parts of pack included */
/* What an instruction of the ALU writes to its one register when its sources, at most FOLD_SOURCES, have
   these bits: both as registers hold them. false: that is not computed. */
bool ins_fold(const Module *, const Function *, const Ins *, const uint64_t *src, uint64_t *result);

/* ---- facts ---- */
/* A fact begins in a block and holds until a register that it is about is defined, a guard or not. */
typedef struct Facts {
	const Cfg *c;
	const EffectTable *effects;
	Keys keys;                 /* the facts */
	struct FactLink **of_reg, **of_block;
	/* Does a fact about memory outlast what the instruction writes there? NULL: never. Asked for each
	   fact as long as patience lasts. */
	bool (*outlasts)(void *self, int fact, int block, int ins);
	void *self;
	int64_t patience;
	BitSet *before;    /* by block: facts that hold on every way to its start; NULL: there are no facts */
} Facts;
Facts facts_open(Arena *, const Cfg *, const EffectTable *);
/* "defined" by ins_clobbers */
static inline int facts_memory(const Facts *x, int space) { return function_values(x->c->f) + space; }
/* one that begins in the block and holds at its end; its number */
int facts_hold(Facts *, int block, const int64_t *key, int n);
void facts_about(Facts *, int fact, int reg);        /* once for each fact and register */
void facts_solve(Facts *);
static inline int facts_count(const Facts *x) { return x->keys.n; }
#endif
