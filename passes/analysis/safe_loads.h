/* Loads that cannot fault: what a pass asks before it puts a load where the program has none.
 *
 * An address is safe at a place where the access lies in a symbol of known size, by the ranges of its affine
 * form; where on every way to the place the same bytes, or more around them, have been accessed already;
 * where on every way from the place to the function's end these bytes are accessed; and between two such
 * addresses that are close together. Mapping does not change while a kernel runs, so stores, atomic
 * operations and barriers in between do not matter. The same bytes means that the address has the same affine
 * form (memdep.h), made of values that nothing has written anew in between. Guarded accesses prove nothing,
 * nor do loads that are marked nonfaulting. A way ends where the thread may end: behind calls that may exit
 * and guarded aborts nothing is certain. Ways that never end do not count, as anywhere in code motion: a
 * thread that hangs has no result.
 *
 * A place is the number of an instruction, and means the point in front of it, with what registers hold
 * there. The number of instructions of a block is no place, as nothing comes behind a terminator. All
 * questions are asked before the function is changed. */
#ifndef GSIM_SAFE_LOADS_H
#define GSIM_SAFE_LOADS_H
#include "passes/analysis/memdep.h"

typedef enum {
	SAFE_NOT,                      /* the load may fault, as far as can be told */
	SAFE_BOUNDS,                   /* the access lies in a variable or a parameter */
	/* the bytes are accessed on every way to the place; on every way from it on */
	SAFE_BEFORE, SAFE_AFTER,
	/* the address is between two such addresses, which are nearer to each other than two allocations are
	   (isa/memory.h) */
	SAFE_BETWEEN
} SafeKind;
extern const char *const safe_name[SAFE_BETWEEN + 1];

typedef struct SafeLoads SafeLoads;
SafeLoads *safe_loads_build(Arena *, const Cfg *, const Dom *, const Ssa *, const Liveness *, const MemDep *,
	const struct EffectTable *);

/* Is a load of so many bytes at the address safe at the place, and why? The address is a register and offset,
   a symbol, or a parameter, as a source of ld. */
SafeKind safe_address(const SafeLoads *, Space, const Opd *address, int size, int block, int ins);
/* The same for an address that is a form of 64 bits over atoms of the MemDep, which have the values of the
   place. The form must not rest on the assumption that no index wraps. */
SafeKind safe_form(const SafeLoads *, Space, const MemForm *, int size, int block, int ins);
/* The same for this load, if it were executed at the place without its guard, with what registers hold there.
   A load that is marked nonfaulting is treated like any other. */
SafeKind safe_load(const SafeLoads *, const Ins *load, int block, int ins);

/* appends each load, and whether something besides the load itself makes it safe where it stands */
void safe_print(const Cfg *, const SafeLoads *, StrBuf *);
#endif
