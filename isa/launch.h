/* One launch of a kernel, and how it can fail. */
#ifndef GSIM_LAUNCH_H
#define GSIM_LAUNCH_H
#include <signal.h>
#include "isa/ir.h"
#include "isa/memory.h"

typedef struct Launch {
	const Module *module;
	const Function *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;       /* bytes */
	bool cooperative; /* all blocks are there at once, and %envreg1, %envreg2 name the grid's workspace */
	const uint8_t *params;         /* kernel->param_bytes bytes, laid out as kernel->param says */
	Memory *memory;
	const uint64_t *symbol_address; /* by symbol id; from memory_load_module */
	struct PrintBuffer *print;     /* what vprintf writes to (isa/print.h); NULL: nowhere */
	struct RaceLog *races;    /* where accesses to global memory are noted (isa/races.h); NULL: nowhere */
} Launch;

typedef enum {
	FAULT_NONE,
	FAULT_BOUNDS,      /* access outside every allocation */
	FAULT_MISALIGNED,
	FAULT_READ_ONLY,   /* store to constant memory */
	FAULT_LOCAL,       /* local memory exhausted (recursion) */
	FAULT_BRANCH,      /* brx index or call target that is none */
	FAULT_BARRIER,     /* a barrier that can never complete */
	/* a barrier's number or thread count, or a mask of lanes, that the operation cannot take */
	FAULT_OPERAND,
	FAULT_UNDEFINED,   /* threads of a warp that wait for each other in a way that PTX leaves undefined */
	FAULT_LIVELOCK,
	FAULT_TRAP,
	FAULT_ASSERT,      /* an assertion of the kernel failed */
	/* what a mechanism or machine cannot do, or something that gsim has not: nothing ran; the text says
	   why */
	FAULT_UNSUPPORTED,
	FAULT_REFUSED,     /* the same, found by a thread that came to it */
	FAULT_LIMIT,       /* max_cycles or max instructions reached */
	FAULT_COUNT
} FaultKind;

typedef struct Fault {
	FaultKind kind;
	Loc loc;           /* source place of the instruction; line 0 = none */
	/* the whole message: kernel, block, instruction, source line, thread, address, nearest allocation */
	char text[3072];
} Fault;

/* What keeps the kernel from running, found without running it: something that gsim has not, or a function
   without body, in what the kernel and its calls execute. True: it cannot run; why is a clause about it.
   Functions whose address alone is taken are left to the call through a register that comes to them. */
bool kernel_refused(const Module *, const Function *kernel, Loc *where, struct StrBuf *why);
/* The workspace of a cooperative launch's grid, for the code that CUDA's grid.sync() becomes: so many zeroed
   bytes of its memory, whose address has its upper half in %envreg1 and its lower half in %envreg2. 0: no
   memory is left. */
enum { WORKSPACE_BYTES = 64 };
uint64_t workspace_new(const Launch *);
/* The first barrier.grid that the kernel or a function that it may call has, or NULL. All blocks of such a
   kernel must be there at once. */
const Ins *kernel_grid_barrier(const Module *, const Function *kernel);
/* the same of a function without body */
void function_refused(const Function *, Loc *where, struct StrBuf *why);

/* Fills fault with the standard message for a memory fault; the first fault of a launch wins. */
void fault_memory(Fault *, const Launch *, FaultKind, const Function *, const Ins *, const uint32_t ctaid[3],
	const uint32_t tid[3], Space, uint64_t addr, unsigned size);
/* The same beginning, then what the format says; for faults other than memory's. */
void fault_at(Fault *, const Launch *, FaultKind, const Function *, const Ins *, const uint32_t ctaid[3],
	const uint32_t tid[3], const char *fmt, ...) __attribute__((format(printf, 8, 9)));
void fault_text(Fault *, FaultKind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* What the interpreter and the machine refuse alike, and the words for it. Functions that return words return
   NULL when nothing is wrong; they stand in text. */
enum { BARRIERS = 16, REFUSAL = 400 };
#define WORDS_INDEX "index %u of %d targets"
#define WORDS_CALLS "%d calls deep, %llu of %llu bytes of local memory in use"
#define WORDS_COUNTS "barrier %u is awaited with different thread counts"
#define WORDS_TRAP "the kernel stopped itself"
/* Why all blocks of a grid must be there at once. */
#define WORDS_MEETS "the kernel has a barrier of the whole grid"
#define WORDS_COOPERATIVE "the launch is cooperative, so all blocks of its grid are there at once"
/* threads: of the block; warp: lanes of PTX's warps there. *count: the threads that the instruction names,
   NULL: none; on return how many threads that are, 0 without. PTX counts whole warps: the last warp of a
   block may have fewer threads than lanes. */
const char *barrier_refuses(uint32_t number, uint32_t *count, uint32_t threads, int warp, char text[REFUSAL]);
/* lane: the thread's, in its PTX warp */
const char *mask_refuses(uint32_t mask, int lane, char text[REFUSAL]);
/* Warp-level operations of which these numbers are equal have the same qualifiers: threads whose masks are
   equal meet at them, wherever each stands. */
static inline uint32_t same_qualifiers(unsigned op, unsigned mode, unsigned atomic, unsigned type)
{
	return op << 24 | mode << 16 | atomic << 8 | type;
}
/* A thread of mask `mask` waits for the lane, which waits at another operation, or with another mask, for the
   thread. */
void words_crossed(uint32_t mask, int lane, const Ins *its, uint32_t its_mask, char text[REFUSAL]);
/* A thread has come to a barrier that is .aligned, and others of its warp wait at another one. */
void words_aligned(const Ins *theirs, char text[REFUSAL]);
static inline bool is_aligned_barrier(const Ins *i)
{
	return i && i->flags & INSF_ALIGNED && (i->op == OP_BARSYNC || i->op == OP_BARRED);
}
/* The function at the address that an indirect call goes to; NULL: there is none that it can go to, why is
   filled: the kind of fault, what to say, the place in the source if that is not the call's. */
const Function *call_target(const Module *, const Ins *call, uint64_t address, Fault *why);

/* The reference interpreter: each thread alone, block after block, or where blocks meet (barrier.grid) from
   one meeting to the next; barriers and warp-level operations make threads wait for each other (warps of
   warp_size threads, at most PTX_WARP). max_steps: instructions of one thread before the launch is given up;
   0 = none. Returns true when the launch completed. steps: instructions executed by all threads, may be
   NULL. */
typedef struct InterpOptions {
	int warp_size;
	uint64_t max_steps;
	uint64_t *thread_instructions;         /* unconditional bra not counted */
	/* set: the launch ends with false and no fault; may be NULL */
	const volatile sig_atomic_t *interrupted;
	/* Told of each instruction before a thread executes it; may be NULL. thread: its number in the block;
	   of a kernel with a barrier.grid, in the grid. */
	void (*watch)(void *self, uint32_t thread, const Function *, const Ins *);
	void *self;
} InterpOptions;
bool interp_launch(const Launch *, const InterpOptions *, Fault *);

/* What a host function asks for; the interpreter of host functions calls back. Where a function returns bool,
   false: fault filled. */
typedef struct HostHooks {
	void *self;
	/* In stream 0 the launch has ended on return; in others it may not have begun. where: the place of
	   the statement. */
	bool (*launch)(void *self, const Launch *, int stream, Loc where, Fault *);
	/* every launch ends: called before anything that looks at memory; NULL: nothing waits */
	bool (*sync)(void *self, Fault *);
	/* may be NULL, as in launches one after the other */
	void (*record)(void *self, int event, int stream);
	void (*wait)(void *self, int stream, int event);
	/* A function of Lua: its arguments, and where its results go, each in the low bits. May be NULL:
	   there is none. */
	bool (*call)(void *self, const Function *, const uint64_t *args, uint64_t *results, Loc where,
		Fault *);
	/* a buffer of the host function; may be NULL */
	void (*allocated)(void *self, uint64_t addr, uint64_t size);
	uint64_t *ran;                  /* by Block.id: how often the block was begun is added; may be NULL */
	uint64_t max_steps;                                    /* as doc/ir.md counts them; 0 = 100 million */
	const volatile sig_atomic_t *interrupted;      /* set: it ends with false and no fault; may be NULL */
} HostHooks;
/* Runs module's host function; false with fault filled when a check failed, a launch faulted or a limit was
   reached. On return every launch has ended. */
bool host_run(const Module *, const Function *host, Memory *, const uint64_t *symbol_address,
	const HostHooks *, Fault *);
#endif
