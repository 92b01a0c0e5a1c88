/* What two files share: safe_loads.c, which knows what is accessed where, and safe_loads_ask.c, which knows
   addresses. */
#ifndef GSIM_SAFE_LOADS_OWN_H
#define GSIM_SAFE_LOADS_OWN_H
#include "passes/analysis/safe_loads.h"
#include "passes/analysis/versions.h"

/* A place that counts for a fact. access: the fact's access takes place there; else the fact ends there, as
   its form gets a new value; ins -1: where the block begins */
typedef struct FactEvent { int block, ins; bool access; } FactEvent;
typedef struct Fact {
	const MemForm *form;
	Space space;
	int size;
	/* its events are event[first] up to, not including, event[first + n], in order of blocks and places;
	   of one instruction the access comes first */
	int first, n;
} Fact;
/* by block, sets of facts whose address is accessed on all ways to its start (in), from its end on (out) */
typedef struct Solved { BitSet *in, *out; } Solved;
typedef struct InsPlace { int block, ins; } InsPlace;

struct SafeLoads {
	Arena *arena;
	const Cfg *c;
	const Ssa *ssa;
	const Versions *versions;
	const MemDep *d;
	int nfact, nevent, nend;
	Fact *fact;                 /* in order of the terms of the form, its constant, the space, the size */
	FactEvent *event;
	InsPlace *end;                    /* places within blocks at which threads may end */
	BitSet endless;                /* blocks from which there is no way to an end */
	Solved *solved;         /* by window of 64 facts; in, out NULL: this window has not been solved yet */
	/* atom_of: by version, symbol_atom: by symbol: its atom; -1: it has none */
	int *atom_of, *symbol_atom;
};

int safe_compare_terms(const MemForm *, const MemForm *);      /* order of forms, without their constants */
/* is the fact's address accessed on every way to the place? */
bool safe_accessed_before(const SafeLoads *, int fact, int block, int ins);
/* is the fact's address accessed on every way from the place on? */
bool safe_accessed_after(const SafeLoads *, int fact, int block, int ins);
#endif
