/* Memory dependence: the address of every access as an affine form of indices of threads and blocks, kernel
 * parameters, symbols and versions of registers, and whether two accesses may meet.
 *
 * Forms are exact. A 64-bit form counts modulo 2^64, so that every sum of products can be written as a form.
 * The extension of a 32-bit value is spread over the value's terms only where their ranges show that it does
 * not wrap; otherwise the extension is a term of its own. Ranges come from PTX's limits (at most 1024 threads
 * a block in x and y, 64 in z; 2^31 - 1 blocks in x, 65535 in y and z), from reqntid and maxntid, and from
 * what the caller knows of the launch.
 *
 * A register to which each turn of a reducible cycle adds the same amount is its value when the cycle was
 * entered, plus this amount times the number of the turn: a pointer that walks through an array has the array
 * as its base.
 *
 * Nothing is stored about pairs of accesses: a question compares two forms when it is asked. With each answer
 * comes what it assumes beyond the code (MemAsk.rests). */
#ifndef GSIM_MEMDEP_H
#define GSIM_MEMDEP_H
#include "passes/analysis/memform.h"
#include "passes/analysis/ssa.h"

typedef struct MemAccess {
	int block, ins;
	int size;                  /* bytes; 0: not known (calls) */
	uint8_t reads, writes;     /* SPACE_BITs of the spaces that the access may read, may write */
	/* the access keeps its place among all others (Effects.ordered), whatever its address */
	bool ordered;
	bool generic;              /* the address is a generic one */
	int form[2];             /* forms of its address; -1: not known. [1] holds if no 32-bit index wraps */
} MemAccess;

/* What is known of launches. Zero-initialise. */
typedef struct MemFacts {
	uint32_t grid[3], block[3]; /* extents of the grid and of a block; 0: not known */
	/* by parameter, by symbol: the buffers to which it may lead (buffers.h). NULL, or a set without
	   words: not known */
	const BitSet *param_leads, *symbol_leads;
} MemFacts;

typedef struct MemDep {
	const Cfg *c;
	const Ssa *ssa;
	const Module *m;
	uint32_t grid[3], block[3]; /* of MemFacts and the function's head; 0 = unknown */
	const BitSet *param_leads, *symbol_leads;
	uint32_t most[3];          /* most threads of a block in each dimension */
	int nform, natom, naccess;
	MemForm *form;
	MemAtom *atom;
	/* accesses, barriers, fences and calls of reachable blocks, in reverse post-order */
	MemAccess *access;
	/* by block: its accesses are access[first[b]] up to, not including, access[first[b] + count[b]] */
	int *first;
	int *count;
	/* by version: 1 + its form; 0: it is an atom of its own. [1] holds if no 32-bit index wraps */
	int *value[2];
} MemDep;
struct EffectTable;
MemDep *memdep_build(Arena *, const Cfg *, const Ssa *, const EffectTable *, MemFacts);

/* ---- questions ---- */

enum { /* what an answer may assume */
	/* an address made from a symbol or a pointer parameter stays in the buffer to which that one leads:
	   so addresses made from two that lead to different buffers never meet */
	MEM_IN_BOUNDS = 1,
	/* the same, and the buffers to which two pointer parameters, or one and a symbol, lead do not
	   overlap */
	MEM_RESTRICT = 2,
	/* integers of fewer than 64 bits that are extended to make an address have not wrapped, read as the
	   extension reads them (signed or unsigned) */
	MEM_NO_WRAP = 4,
	MEM_ONE_DIMENSION = 8,     /* grids and blocks extend in x alone */
	MEM_ASSUMPTIONS = 4
};
extern const char *const mem_assumption[MEM_ASSUMPTIONS];

enum {
	/* Both addresses are made from what registers hold at one moment, at a place that the definitions of
	   all registers in both dominate. */
	MEM_MOMENT = -2,
	/* Any two executions of the accesses in one call of the function. A number from 0 on: two executions
	   in the same iteration of that cycle (Cfg.nest). */
	MEM_EVER = -1
};

typedef struct MemAsk {
	unsigned allow;            /* MEM_* assumptions, or-ed */
	int within;       /* for questions about one thread: MEM_MOMENT, MEM_EVER, or the number of a cycle */
	unsigned rests;  /* set by a question: the assumptions on which its answer rests, as few as suffice */
	int64_t count[MEM_ASSUMPTIONS]; /* by assumption: how many answers so far have rested on it */
} MemAsk;

/* a, b: indices in `access`. Of a device function one call is looked at: questions about several threads are
   answered for kernels; in other functions two threads may always meet. The questions are about bytes alone,
   whether these are read or written; memdep_orders is about order. */
/* may two accesses of one thread share a byte? */
bool memdep_may_alias(const MemDep *, MemAsk *, int a, int b);
/* do two of one thread certainly touch the same bytes? */
bool memdep_must_alias(const MemDep *, MemAsk *, int a, int b);
/* may accesses of two different threads of one block share a byte, at any time? */
bool memdep_block_may_alias(const MemDep *, MemAsk *, int a, int b);
/* the same for threads of two different blocks */
bool memdep_grid_may_alias(const MemDep *, MemAsk *, int a, int b);
/* where the two accesses share a byte, does one thread certainly do both? */
bool memdep_same_thread(const MemDep *, MemAsk *, int a, int b);
/* Is no byte that access a touches touched by another thread of the grid, by any access of the function? Goes
   through all accesses. */
bool memdep_same_thread_only(const MemDep *, MemAsk *, int a);
/* Must the two accesses keep their order in one thread? Yes where one is a barrier, fence, ordered access or
   a call that has one, or where one writes and they may alias. Passes that move accesses ask this with
   MEM_MOMENT (nothing that the address depends on changes in between) or a wider `within`. */
bool memdep_orders(const MemDep *, MemAsk *, int a, int b);
/* the same where the first access is not one of the function's */
bool memdep_orders_access(const MemDep *, MemAsk *, const MemAccess *, int b);
/* index in `access`; -1: the instruction has nothing to do with memory */
int memdep_find(const MemDep *, int block, int ins);

/* The form of the version as a value of so many bits; -1: it has fewer. MemForms must number forms as the
   MemDep does. */
int memdep_value(const MemDep *, MemForms *, int version, int bits);
int memdep_version_bits(const MemDep *, int version);
/* the atom of the parameter or symbol from which the address is made; -1: not known */
int memdep_base(const MemDep *, int form);
void memdep_form_text(const MemDep *, int form, StrBuf *);
void memdep_print(const Cfg *, const MemDep *, StrBuf *);
#endif
