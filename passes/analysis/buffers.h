/* Liveness of buffers in a host function: which of them may still be read, by launches, copies, functions of
 * Lua, the host itself, or as its result.
 *
 * A buffer is an `alloc` of the function, all that it allocates in a loop included, or a variable of the
 * module in global or constant memory. Which of them an address may lead to is followed through registers of
 * 64 bits, along the graph; what is loaded from memory or comes from a function of Lua may lead to any. What
 * launches read and write is what touched.h says of their kernels, and rests on what that rests on. A buffer
 * that is written as a whole has no content before: by a fill or copy of its size, a store as large as a
 * variable, a launch whose threads each write their part. Neither has one that is freed. Where the function
 * ends, every buffer that has not been freed is the program's result, and read: that is what runs compare
 * (gsim -b, --verify). A function that aborts has no result.
 *
 * Results hold until the function changes, or a kernel that it launches. */
#ifndef GSIM_BUFFERS_H
#define GSIM_BUFFERS_H
#include "passes/analysis/touched.h"

typedef struct Buffer {
	int block, ins;            /* its alloc; -1: it is a variable */
	int symbol;                /* the variable; -1 */
	uint64_t size;             /* bytes; 0: not known */
	bool one;                  /* it stands for one allocation: its alloc is in no loop */
	const char *name;    /* register or variable; where several allocs have the register, with the line */
} Buffer;

/* An instruction that touches device memory. Sets are of buffers. */
typedef struct BufferUse {
	int block, ins;
	BitSet reads, writes;      /* it may; to free is to write */
	BitSet kills;              /* it writes these as a whole, for certain, or makes or frees them */
} BufferUse;

typedef struct Buffers {
	int n;
	Buffer *buffer;
	int nuse;
	BufferUse *use;           /* of reachable blocks, by block, in their order; in a block in its order */
	int *first, *count;        /* by block: its uses are use[first[b]] up to use[first[b] + count[b]] */
	BitSet **place;           /* [block][register]: which buffers it may lead to where the block begins */
	/* by block: buffers that may be read from its begin, its end on, before they are written as a
	   whole */
	BitSet *in, *out;
} Buffers;
Buffers *buffers_build(Arena *, const Cfg *, const Loops *, const EffectTable *);
/* By operand, of those that are read before instruction `ins` of the block: the buffers that it may lead to
   join the set. NULL: none is asked for. */
void buffers_lead(const Buffers *, const Cfg *, const Module *, int block, int ins, const Opd *const *, int n,
	const BitSet *);
/* The set after the instruction becomes that before it. */
void buffers_step(const BufferUse *, BitSet live);
void buffers_print(const Cfg *, const Buffers *, StrBuf *);
#endif
