/* What a kernel does with the memory that its parameters and the module's variables lead to, for whoever
 * looks at launches from outside: which buffers a launch may read, may write, and is certain to write.
 *
 * An address made from a parameter or a variable is taken to stay in the buffer to which that one leads
 * (MEM_IN_BOUNDS of memdep.h). Other addresses may come from any of the parameters and variables that flow
 * into them, and from memory: 64-bit values that are loaded or put together of parts lead anywhere. */
#ifndef GSIM_TOUCHED_H
#define GSIM_TOUCHED_H
#include "passes/analysis/memdep.h"

/* Thread i writes `bytes` bytes at the parameter + bytes * i for certain; i is %tid.x, or, across, %tid.x +
 * %ctaid.x * %ntid.x. bytes 0: not known. The index may have been computed in 32 bits: then it is i only
 * where i stays below 2^31. */
typedef struct TouchedWhole { int bytes; bool across; } TouchedWhole;

typedef struct Touched {
	const Module *m;
	const Function *kernel;
	BitSet reads, writes; /* by parameter: the memory to which the parameter leads may be read, written */
	/* by symbol: a variable in global or constant memory may be read, written */
	BitSet symbol_reads, symbol_writes;
	bool reads_any, writes_any; /* any memory may be read, written */
	TouchedWhole *whole;       /* by parameter: what each thread certainly writes there */
} Touched;
Touched *touched_build(Arena *, const Cfg *, const Dom *pdom, const MemDep *); /* pdom: exit_edges = true */
Touched *touched_of(Arena *, const EffectTable *, Function *kernel); /* makes the analyses itself */
void touched_print(const Cfg *, const Touched *, StrBuf *);
#endif
