/* Random kernels, the same from the same seed on every host: race-free and terminating, so that the memory
 * they leave is one and the same under every divergence mechanism, every machine and every pass.
 *
 * Each thread writes its own slot of `out`; what threads share goes through shared memory between barriers
 * that all threads of the block reach, or in `out` between barriers of the grid, through warp operations
 * where whole warps come together, or through atomic operations whose result does not depend on their
 * order. */
#ifndef GSIM_RANDOM_KERNEL_H
#define GSIM_RANDOM_KERNEL_H
#include "isa/ir.h"

#define RANDOM_FEATURES(X) \
	X(FLOAT, "f32 operations") \
	X(DOUBLE, "f64 operations") \
	X(WIDE, "64-bit integers") \
	X(GUARD, "guarded instructions") \
	X(LOOP, "loops, breaks and continues") \
	X(SWITCH, "indexed branches") \
	X(GRAPH, "unstructured regions: random graphs, irreducible too") \
	X(GOTO, "jumps out of nested code, short-circuit conditions") \
	X(CALL, "device functions") \
	X(PREDICATE, "predicates passed to functions and returned by them") \
	X(RECURSION, "functions that call themselves") \
	X(INDIRECT, "calls through registers") \
	X(SHARED, "shared memory and block barriers") \
	X(WARP, "warp operations") \
	X(GROUP, "warp operations of a part of the warp, in divergent code") \
	X(DEEP, "more regions open in each other than there are barrier registers") \
	X(LOCAL, "local arrays") \
	X(ATOMIC, "atomic operations") \
	X(VECTOR, "vector accesses") \
	X(EXIT, "threads that end early") \
	X(PARTIAL, "blocks that are not a multiple of the warp") \
	X(CONSTANT, "constant predicates, branches on them, constant indices") \
	X(CARRY, "the carry flag across blocks, loops and calls") \
	X(OVERWRITE, "instructions that overwrite their guards") \
	X(POINT, "reconvergence points, which branches ask for") \
	X(IDLE, "loops without a result, copies of copies, aborts that are never reached, arms that do " \
		"alike") \
	X(NONFAULTING, "loads that may not fault, of addresses that are not mapped, too") \
	X(NAMED, "accesses that name a variable where others have a register") \
	X(ARMS, "branches whose arms are made of the same choices, with other registers and some " \
		"differences") \
	X(GRID, "barriers of the whole grid, between which threads read what others have written") \
	X(LAST, "atomic operations behind everything else, whose result nobody wants or reads") \
	X(NAN, "operations of NaNs with different payloads, which come again with their operands the other " \
		"way around") \
	X(RETURNS, "device functions whose arms return apart, with results in any registers") \
	X(SPACES, "generic accesses whose lanes lie in several spaces") \
	X(CHASE, "chains of loads, each of the address that the last one brought")
enum {
#define X(ID, HELP) RF_##ID##_BIT,
	RANDOM_FEATURES(X)
#undef X
	RF_COUNT
};
typedef uint64_t Features;             /* a set of RF_* */
#define X(ID, HELP) static const Features RF_##ID = (Features)1 << RF_##ID##_BIT;
RANDOM_FEATURES(X)
#undef X
#define RF_ALL (((Features)1 << RF_COUNT) - 1)

typedef struct RandomParams {
	uint64_t seed;
	Features features;     /* what the kernel may contain; each kernel takes a random part of it */
	int size;              /* instructions a thread executes, roughly */
	int warp_size;
	bool arms;             /* most statements are branches whose arms are alike */
	/* lanes of a warp meet at warp-level operations that stand in several places, which stacks refuse */
	bool apart;
	/* some threads end in front of barriers, also in arms of branches behind what they store there: a
	   stack may refuse */
	bool ends;
	/* taken instead of random numbers, one or four at a time, as far as they go; may be NULL */
	const uint8_t *choices;
	size_t nchoices;
} RandomParams;
#define RANDOM_DEFAULTS(SEED) ((RandomParams){ (SEED), RF_ALL, 60, 32, false, false, false, NULL, 0 })

/* `out` holds a slot of scratch bytes for each thread, then RANDOM_FINALS rows of 8 bytes for each thread:
   what its registers held in the end. */
enum { RANDOM_IN_BYTES = 2048, RANDOM_ACC_BYTES = 256, RANDOM_SLOT_BYTES = 64, RANDOM_FINALS = 40 };

typedef struct RandomKernel {
	Module *module;
	Function *kernel;
	uint32_t grid[3], block[3];
	uint32_t threads;                      /* of the whole grid */
	uint32_t dynamic_shared;
	uint32_t n;                            /* value of the parameter n */
	uint8_t in[RANDOM_IN_BYTES];           /* what the buffer `in` must hold */
	uint8_t acc[RANDOM_ACC_BYTES];         /* and `acc` */
	uint32_t out_bytes;                    /* `out` begins zeroed */
	Features features;                     /* what it does contain */
} RandomKernel;

/* Parameters of the kernel, in this order: u64 in, u64 out, u64 acc, u32 n. */
RandomKernel *random_kernel_new(const RandomParams *);
void random_kernel_free(RandomKernel *);

/* Rows of the table of lane operations the generator draws from, expanded ("add.u32"); NULL behind the
   last. */
const char *random_mnemonic(int i);
#endif
