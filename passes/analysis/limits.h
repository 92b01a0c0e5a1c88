/* What a machine has room for, as plain numbers that the caller takes from the machine or leaves at the
   defaults, and how much of this room a kernel takes. */
#ifndef GSIM_LIMITS_H
#define GSIM_LIMITS_H
#include "passes/analysis/analysis.h"

typedef struct MachineLimits {
	int64_t warp_size;             /* threads of a warp */
	int64_t block_threads;         /* most threads of one block */
	int64_t block_shared;          /* most bytes of shared memory of one block */
	int64_t thread_registers;      /* most registers of 32 bits of one thread */
	int64_t sms;
	/* of an SM: resident blocks, resident warps, registers of 32 bits, bytes of shared memory */
	int64_t blocks, warps, registers, shared;
	/* a warp gets registers, and a block gets bytes of shared memory, in multiples of these */
	int64_t register_unit, shared_unit;
} MachineLimits;
extern const MachineLimits limits_default;
/* the limits given; the defaults for NULL */
static inline const MachineLimits *limits_of(const MachineLimits *m) { return m ? m : &limits_default; }

/* Registers of 32 bits that a thread of the kernel may take, calls included: an estimate from above. The
   allocator (sim/code/regalloc.c) gives each register one interval over the layout, as is done here; pairs
   that find no aligned place, and what mechanisms add, may take more: a quarter and 8 are added. */
int64_t limits_registers(const MachineLimits *, const EffectTable *, Function *kernel);
/* Registers of 32 bits that the function's own values take, as its code stands: an estimate of the
   allocator's number, neither from above nor from below. */
int64_t limits_words(Function *);
/* limits_warps: how many warps an SM keeps resident when each thread has so many registers. limits_room: the
   most registers with which it keeps as many warps as with `words`, and none is spilled. */
int64_t limits_warps(const MachineLimits *, int64_t words);
int64_t limits_room(const MachineLimits *, int64_t words);

/* How many blocks of the kernel the whole machine certainly keeps resident at once, by the estimate of
   limits_registers; 0: not one fits. block: extents, 0 = not known: then as many threads as a block may
   have. */
int64_t limits_resident(const MachineLimits *, const EffectTable *, Function *kernel, const uint32_t block[3],
	uint32_t dynamic_shared);
#endif
