/* Liveness of buffers in a host function: which of them may still be read, by launches, by copies, by
 * functions of Lua, by the host itself, or as the program's result.
 *
 * A buffer is an `alloc` of the function, all that it allocates in a loop included, or a variable of the
 * module in global or constant memory. Into which of them an address may lead is followed through registers
 * of 64 bits, along the graph; what is loaded from memory or comes from a function of Lua may lead to any
 * buffer. What launches read and write is what touched.h says of their kernels, with the assumptions made
 * there. A buffer that is written as a whole has no content before: by a fill or copy of its size, a store as
 * large as a variable, a launch whose threads each write their part. Nor has a buffer a content before it is
 * freed. Where the function ends, every buffer that has not been freed is the program's result, and counts as
 * read: results are what runs compare (gsim -b, --verify). A function that aborts has no result.
 *
 * Results of the analysis hold until the function changes, or a kernel that it launches. */
#ifndef GSIM_BUFFERS_H
#define GSIM_BUFFERS_H
#include "passes/analysis/touched.h"

typedef struct Buffer {
	int block, ins;            /* place of the buffer's alloc; -1: the buffer is a variable */
	int symbol;                /* number of the variable's symbol; -1: the buffer is an alloc */
	uint64_t size;             /* bytes of the buffer; 0: not known */
	bool one;                  /* the buffer is one allocation only: its alloc is in no loop */
	/* name of the alloc's register, with the line if an alloc before has the same, or of the variable */
	const char *name;
} Buffer;

/* An instruction that touches device memory. The sets hold numbers of buffers. */
typedef struct BufferUse {
	int block, ins;
	/* buffers that the instruction may read, may write; to free a buffer counts as writing it */
	BitSet reads, writes;
	BitSet kills;              /* buffers that it certainly writes as a whole, makes, or frees */
} BufferUse;

typedef struct Buffers {
	int n;
	Buffer *buffer;
	int nuse;
	BufferUse *use;           /* block by block in reverse post-order, in a block by place */
	/* by block: its uses are use[first[b]] up to, not including, use[first[b] + count[b]] */
	int *first, *count;
	/* place[block][register]: buffers to which the register may lead where the block begins */
	BitSet **place;
	/* by block: buffers that may be read after the block's start (in), after its end (out), before they
	   are written as a whole */
	BitSet *in, *out;
} Buffers;
Buffers *buffers_build(Arena *, const Cfg *, const Loops *, const EffectTable *);
/* For each of n operands (NULL: it is left out) adds to the set of the same number the buffers to which the
   operand may lead just before instruction `ins` of the block. */
void buffers_lead(const Buffers *, const Cfg *, const Module *, int block, int ins, const Opd *const *, int n,
	const BitSet *);
/* Changes the set of buffers live after the instruction to that before it. */
void buffers_step(const BufferUse *, BitSet live);
void buffers_print(const Cfg *, const Buffers *, StrBuf *);
#endif
