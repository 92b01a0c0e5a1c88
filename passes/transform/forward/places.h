/* What is known of stored values on every way to a place in the code, between the files of forward-stores. */
#ifndef GSIM_FORWARD_PLACES_H
#define GSIM_FORWARD_PLACES_H
#include "passes/transform/facts.h"
#include "passes/transform/forward/forward.h"

/* Bytes that stores write and loads read, one element at a time: the same form of the address, width and
   space. */
typedef struct Spot {
	int first, stores, loads;      /* first: of its facts, or -1 */
	int width, reg;                /* bits; the register that follows what is stored, -1: none so far */
} Spot;

/* "The bytes hold what was stored there last, in all threads or in those for which the guard holds." The
   address and the guard are what they were then. */
typedef struct Held {
	int spot, guard, access;       /* guard: version; -1: in all threads. access: a store of the bytes */
	bool guard_neg;
	int next, value;               /* the spot's next fact; the first of its values; -1 */
	int mine;                      /* does no other thread write there? -1: not asked yet */
} Held;

/* "And that is in the operand still." */
typedef struct Stored { int held, next, next_of_reg; Opd value; } Stored;

typedef struct Places {
	Analyses *an;
	Function *f;
	const ForwardOptions *o;
	const Cfg *c;
	const Ssa *ssa;
	const MemDep *mem;
	Arena arena;
	Keys keys;                     /* of spots */
	Vec(Spot) spot;
	int *element;       /* by access: the first of its elements in of; -1: it is no plain load or store */
	Vec(int) of;                   /* by element: its spot */
	Vec(Held) held;
	Vec(Stored) stored;            /* bits of sets: the number of held facts, then these */
	IntList *ends;                 /* by version: held facts that end where it is written */
	IntList *guarded;           /* by version: held facts about threads for which it holds, or does not */
	int *decides;            /* by block: the version that its branch reads, where guarded has some; -1 */
	IntList *turns;                /* by cycle of the nest: those that end where its header begins */
	int *reg;                      /* by register: the first of its stored facts; -1 */
	BitSet *before;                /* by block: facts where it begins */
	MemAsk ask;
	int64_t patience;              /* questions left */
} Places;

bool places_find(Places *);            /* false: no load can be replaced */
void places_free(Places *);
/* The set goes over the block's begin, then over its instructions. lost: what is no more joins it; may have
   no words. */
void places_begin(Places *, int block, BitSet set, BitSet lost);
void places_step(Places *, int block, int ins, BitSet set, BitSet lost);
int ins_elements(const Ins *);         /* of a load or store */
static inline int places_bits(const Places *w) { return w->held.n + w->stored.n; }
static inline Opd *ins_element(const Ins *i, int k)
{
	return i->op == OP_ST ? ins_src(i, 1 + k) : ins_dst(i, k);
}
#endif
