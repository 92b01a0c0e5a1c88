/* Loads that cannot fault: what a pass asks before it puts a load where the program has none.
 *
 * An address is safe at a place where the access lies in a symbol of known size, by the ranges of its affine
 * form; where on every way to the place the same bytes, or more around them, have been accessed already;
 * where they are accessed on every way from there to the function's end; and between two such addresses that
 * are close together. Mapping does not change while a kernel runs, so stores, atomic operations and barriers
 * in between do not matter; the same bytes means the same affine form of the address (memdep.h) in values
 * that nothing has given anew in between. Guarded accesses prove nothing, nor do loads that are marked
 * nonfaulting. A way ends where the thread may end: behind calls that may exit and guarded aborts nothing is
 * certain. Endless ways without an end do not count, as anywhere in code motion: a thread that hangs is one
 * that has no result.
 *
 * A place is a number of an instruction: in front of that one, with registers as they are there; the number
 * of instructions is no place, as nothing comes behind a terminator. All questions are asked before the
 * function is changed. */
#ifndef GSIM_SAFE_LOADS_H
#define GSIM_SAFE_LOADS_H
#include "passes/analysis/memdep.h"

typedef enum {
	SAFE_NOT,                      /* it may fault, as far as can be told */
	SAFE_BOUNDS,                   /* it lies in a variable or a parameter */
	SAFE_BEFORE, SAFE_AFTER,       /* accessed on every way to the place; from it on */
	/* between two such addresses, nearer to each other than two allocations are (isa/memory.h) */
	SAFE_BETWEEN
} SafeKind;
extern const char *const safe_name[SAFE_BETWEEN + 1];

typedef struct SafeLoads SafeLoads;
SafeLoads *safe_loads_build(Arena *, const Cfg *, const Dom *, const Ssa *, const Liveness *, const MemDep *,
	const struct EffectTable *);

/* Would a load of so many bytes at the address (a register and offset, a symbol, a parameter: as a source of
   ld) fault there? */
SafeKind safe_address(const SafeLoads *, Space, const Opd *address, int size, int block, int ins);
/* The same of an address as a form of 64 bits, of the atoms of the MemDep, in what registers have there; not
   one that takes it that no index wrapped. */
SafeKind safe_form(const SafeLoads *, Space, const MemForm *, int size, int block, int ins);
/* Would this load, without its guard, executed there with the registers as they are there? One that is marked
   nonfaulting is asked like any other. */
SafeKind safe_load(const SafeLoads *, const Ins *load, int block, int ins);

/* each load, and whether something else makes it safe where it stands */
void safe_print(const Cfg *, const SafeLoads *, StrBuf *);
#endif
