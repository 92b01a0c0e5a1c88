/* What is known at a place in the code of the values that every way to it has stored. Shared by the files of
   forward-stores. */
#ifndef GSIM_FORWARD_PLACES_H
#define GSIM_FORWARD_PLACES_H
#include "passes/transform/facts.h"
#include "passes/transform/forward/forward.h"

/* Bytes that plain stores write or loads read as one element. Elements with the same form of the address, the
   same width and the same space have the same spot. */
typedef struct Spot {
	/* number of its first fact in ForwardPlaces.held, or -1; how many elements of stores, of loads have
	   the spot */
	int first, stores, loads;
	/* width in bits; the register into which each value is copied that is stored there, -1: none so
	   far */
	int width, reg;
} Spot;

/* The fact "the spot's bytes hold what was stored there last, in all threads or in those for which the guard
   holds". Where the fact is known, the address and the guard are the same as at that store. */
typedef struct HeldFact {
	/* guard: the version of its register; -1: the fact is about all threads. access: a store of the
	   bytes */
	int spot, guard, access;
	bool guard_neg;                /* the guard holds where its register is false */
	int next, value;               /* the spot's next fact; the first Stored about this one; -1: none */
	int mine;                      /* is there no other thread that writes the bytes? -1: not asked yet */
} HeldFact;

/* The fact "what was stored last, as the fact `held` says, is still in the operand `value`". next: the next
   one about that fact; next_of_reg: the next one with the same register; -1: none. */
typedef struct Stored { int held, next, next_of_reg; Opd value; } Stored;

typedef struct ForwardPlaces {
	Analyses *an;
	Function *f;
	const ForwardOptions *o;
	const Cfg *c;
	const Ssa *ssa;
	const MemDep *mem;
	Arena arena;
	Keys keys;                     /* numbers of spots, by address, width and space */
	Vec(Spot) spot;
	/* by access: index in `of` of the first of its elements; -1: it is no plain load or store */
	int *element;
	Vec(int) of;                   /* by element: its spot */
	Vec(HeldFact) held;
	/* in sets of facts, bit k stands for held fact k, and bit held.n + k for stored fact k */
	Vec(Stored) stored;
	IntList *ends;                 /* by version: held facts that end where the version is written */
	/* by version: held facts about the threads for which it is true, and those for which it is false */
	IntList *guarded;
	/* by block: the version by which its branch chooses between two blocks; -1: it has no such branch */
	int *decides;
	IntList *turns;                /* by cycle of the nest: held facts that end where its header begins */
	int *reg;                      /* by register: its first one in `stored`; -1: it has none */
	BitSet *before;                /* by block: the facts that are known where it begins */
	MemAsk ask;
	int64_t patience;              /* how many questions to memory dependence may still be asked */
} ForwardPlaces;

/* Finds the facts that are known where blocks begin. False: no load can be replaced. */
bool places_find(ForwardPlaces *);
void places_free(ForwardPlaces *);
/* The set holds the facts that are known before the block's begin, before an instruction; it becomes that of
   the facts that are known behind it. Facts that end there are added to lost, which may have no words: then
   they are not noted. */
void places_begin(ForwardPlaces *, int block, BitSet set, BitSet lost);
void places_step(ForwardPlaces *, int block, int ins, BitSet set, BitSet lost);
int ins_elements(const Ins *);         /* how many elements the load or store has */
static inline int places_bits(const ForwardPlaces *w) { return w->held.n + w->stored.n; }
static inline Opd *ins_element(const Ins *i, int k)
{
	return i->op == OP_ST ? ins_src(i, 1 + k) : ins_dst(i, k);
}
#endif
