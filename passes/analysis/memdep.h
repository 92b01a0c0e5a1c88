/* Memory dependence: the address of every access as an affine form of indices of threads and blocks, kernel
 * parameters, symbols and versions of registers, and whether two accesses may meet.
 *
 * Forms are exact. A 64-bit form is meant modulo 2^64, and there every sum of products is one; the extension
 * of a 32-bit value is spread over its terms only where their ranges show that it does not wrap, and is a
 * term of its own otherwise. Ranges come from PTX's limits (at most 1024 threads a block in x and y, 64 in z;
 * 2^31 - 1 blocks in x, 65535 in y and z), from reqntid and maxntid, and from what the caller knows of the
 * launch.
 *
 * A register that each turn of a reducible cycle adds the same to is what it was when the cycle was entered,
 * plus that times the number of the turn: a pointer that walks through an array has the array as its base.
 *
 * Nothing is stored about pairs: a question compares two forms when it is asked. What an answer assumes
 * beyond the code is said by it. */
#ifndef GSIM_MEMDEP_H
#define GSIM_MEMDEP_H
#include "passes/analysis/memform.h"
#include "passes/analysis/ssa.h"

typedef struct MemAccess {
	int block, ins;
	int size;                  /* bytes; 0: not known (calls) */
	uint8_t reads, writes;     /* SPACE_BITs it may read and write */
	bool ordered;          /* keeps its place among all accesses (Effects.ordered), wherever it goes to */
	bool generic;              /* the address is a generic one */
	int form[2];               /* its address; -1: not known. [1]: as if no 32-bit index wrapped */
} MemAccess;

/* What is known of launches. Zero-initialise. */
typedef struct MemFacts {
	uint32_t grid[3], block[3]; /* 0 = unknown */
	/* by parameter, by symbol: the buffers that it may lead to (buffers.h). NULL, or a set without words:
	   unknown */
	const BitSet *param_leads, *symbol_leads;
} MemFacts;

typedef struct MemDep {
	const Cfg *c;
	const Ssa *ssa;
	const Module *m;
	uint32_t grid[3], block[3]; /* facts, with those of the function's head */
	const BitSet *param_leads, *symbol_leads;
	uint32_t most[3];          /* threads of a block along each dimension */
	int nform, natom, naccess;
	MemForm *form;
	MemAtom *atom;
	/* accesses, barriers, fences and calls of reachable blocks, in reverse post-order */
	MemAccess *access;
	int *first;        /* by block: its accesses are access[first[b]] up to access[first[b] + count[b]] */
	int *count;
	/* by version, [1] as if no 32-bit index wrapped: its form + 1; 0: it is an atom of its own */
	int *value[2];
} MemDep;
struct EffectTable;
MemDep *memdep_build(Arena *, const Cfg *, const Ssa *, const EffectTable *, MemFacts);

/* ---- questions ---- */

enum { /* what an answer may assume */
	/* an address made from a symbol or a pointer parameter stays in what that leads to: so what leads to
	   different buffers is apart */
	MEM_IN_BOUNDS = 1,
	/* so it does, and what two pointer parameters, or one and a symbol, lead to does not overlap */
	MEM_RESTRICT = 2,
	/* narrow integers that are extended to make an address have not wrapped, as read by the extension */
	MEM_NO_WRAP = 4,
	MEM_ONE_DIMENSION = 8,     /* grids and blocks extend in x alone */
	MEM_ASSUMPTIONS = 4
};
extern const char *const mem_assumption[MEM_ASSUMPTIONS];

enum {
	/* both addresses with what registers hold at one moment: where the definitions that both read
	   dominate */
	MEM_MOMENT = -2,
	/* any two executions in one call of the function; a number from 0: in the same iteration of that
	   cycle (Cfg.nest) */
	MEM_EVER = -1
};

typedef struct MemAsk {
	unsigned allow;            /* MEM_* assumptions, or-ed */
	int within;                /* MEM_MOMENT, MEM_EVER, or a cycle: for questions about one thread */
	unsigned rests;            /* set: those the last answer rests on, as few as will do */
	int64_t count[MEM_ASSUMPTIONS]; /* how many answers so far have rested on each */
} MemAsk;

/* a, b: places in `access`. Calls of a device function are looked at one at a time: what holds between
   threads is asked of kernels only; elsewhere they may meet. Bytes alone count here, whether they are read or
   written; order is memdep_orders's. */
bool memdep_may_alias(const MemDep *, MemAsk *, int a, int b);        /* one thread: may they share a byte? */
bool memdep_must_alias(const MemDep *, MemAsk *, int a, int b);   /* one thread: the same bytes for certain */
/* two different threads of one block, at any time */
bool memdep_block_may_alias(const MemDep *, MemAsk *, int a, int b);
bool memdep_grid_may_alias(const MemDep *, MemAsk *, int a, int b);    /* threads of two different blocks */
/* where they share a byte, one thread does both */
bool memdep_same_thread(const MemDep *, MemAsk *, int a, int b);
/* No byte that a comes to is touched by another thread of the grid, by any access of the function. Goes
   through all of them. */
bool memdep_same_thread_only(const MemDep *, MemAsk *, int a);
/* Must they keep their order in one thread? Yes where one is a barrier, fence, ordered access or a call that
   has one, or where one writes and they may alias. Passes that move accesses ask this with MEM_MOMENT
   (nothing that the address depends on changes in between) or a wider `within`. */
bool memdep_orders(const MemDep *, MemAsk *, int a, int b);
/* the same for an access that is none of the function's */
bool memdep_orders_access(const MemDep *, MemAsk *, const MemAccess *, int b);
int memdep_find(const MemDep *, int block, int ins);   /* -1: the instruction has nothing to do with memory */

/* What the version is, with so many bits, where forms are numbered as in the MemDep: -1: it has fewer. */
int memdep_value(const MemDep *, MemForms *, int version, int bits);
int memdep_version_bits(const MemDep *, int version);
/* the atom of the parameter or symbol that the address is made from; -1 */
int memdep_base(const MemDep *, int form);
void memdep_form_text(const MemDep *, int form, StrBuf *);
void memdep_print(const Cfg *, const MemDep *, StrBuf *);
#endif
