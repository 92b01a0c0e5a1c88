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
	/* all blocks are resident at once, and %envreg1 and %envreg2 have the address of the grid's
	   workspace */
	bool cooperative;
	const uint8_t *params;         /* kernel->param_bytes bytes, laid out as kernel->param says */
	Memory *memory;
	const uint64_t *symbol_address; /* by symbol id: its address; memory_load_module fills this */
	struct PrintBuffer *print;     /* what vprintf writes to (isa/print.h); NULL: nowhere */
	struct RaceLog *races;    /* where accesses to global memory are noted (isa/races.h); NULL: nowhere */
} Launch;

typedef enum {
	FAULT_NONE,
	FAULT_BOUNDS,      /* access outside every allocation */
	FAULT_MISALIGNED,
	FAULT_READ_ONLY,   /* store to constant memory */
	FAULT_LOCAL,       /* local memory exhausted (recursion) */
	FAULT_BRANCH,      /* a brx index or call address that leads nowhere */
	FAULT_BARRIER,     /* a barrier that can never complete */
	/* a barrier's number or thread count, or a mask of lanes, that the operation cannot take */
	FAULT_OPERAND,
	FAULT_UNDEFINED,   /* threads of a warp that wait for each other in a way that PTX leaves undefined */
	FAULT_LIVELOCK,
	FAULT_TRAP,
	FAULT_ASSERT,      /* an assertion of the kernel failed */
	/* something that a mechanism or machine cannot do, or that gsim does not have; nothing ran, and the
	   text says why */
	FAULT_UNSUPPORTED,
	FAULT_REFUSED,     /* something that gsim does not have, found when a thread came to it */
	FAULT_LIMIT,       /* a limit was reached: of cycles, instructions or memory */
	FAULT_COUNT
} FaultKind;

typedef struct Fault {
	FaultKind kind;
	Loc loc;           /* source place of the instruction; line 0 = none */
	/* the whole message: kernel, block, instruction, source line, thread, address, nearest allocation */
	char text[3072];
} Fault;

/* Is there something that keeps the kernel from running? It is found without running it: something that gsim
   does not have, or a function without body, in what the kernel and its calls execute. True: the kernel
   cannot run; *where is the place, and why gets a clause about it. Functions whose address alone is taken do
   not count here: a call through a register that comes to one fails. */
bool kernel_refused(const Module *, const Function *kernel, Loc *where, struct StrBuf *why);
/* Allocates the workspace of a cooperative launch's grid, for the code that CUDA's grid.sync() becomes:
   WORKSPACE_BYTES zeroed bytes of the launch's memory. Returns their address, of which the kernel reads the
   upper half in %envreg1 and the lower half in %envreg2; 0: no memory is left. */
enum { WORKSPACE_BYTES = 64 };
uint64_t workspace_new(const Launch *);
/* The first barrier.grid that the kernel or a function that it may call has, or NULL. All blocks of such a
   kernel must be there at once. */
const Ins *kernel_grid_barrier(const Module *, const Function *kernel);
/* Says why a function without body cannot run: *where is the place, and why gets a clause about it. */
void function_refused(const Function *, Loc *where, struct StrBuf *why);

/* Fills fault with the standard message for a memory fault; the first fault of a launch wins. */
void fault_memory(Fault *, const Launch *, FaultKind, const Function *, const Ins *, const uint32_t ctaid[3],
	const uint32_t tid[3], Space, uint64_t addr, unsigned size);
/* Fills fault with a message that begins likewise and goes on as the format says; for faults other than
   memory's. */
void fault_at(Fault *, const Launch *, FaultKind, const Function *, const Ins *, const uint32_t ctaid[3],
	const uint32_t tid[3], const char *fmt, ...) __attribute__((format(printf, 8, 9)));
void fault_text(Fault *, FaultKind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* What the interpreter and the machine both refuse, and the words for it. A function that returns words
   writes them to `text`, or returns NULL when nothing is wrong. */
enum { BARRIERS = 16, REFUSAL = 400 };
#define WORDS_INDEX "index %u of %d targets"
#define WORDS_CALLS "%d calls deep, %llu of %llu bytes of local memory in use"
#define WORDS_COUNTS "barrier %u is awaited with different thread counts"
#define WORDS_TRAP "the kernel stopped itself"
/* Why all blocks of a grid must be there at once. */
#define WORDS_MEETS "the kernel has a barrier of the whole grid"
#define WORDS_COOPERATIVE "the launch is cooperative, so all blocks of its grid are there at once"
/* Why a barrier with this number and count cannot be taken. threads: threads of the block; warp: threads of a
   warp of PTX on the machine. count: points to the number of threads that the instruction names, NULL: it
   names none. PTX counts whole warps, but the last warp of a block may have fewer threads than lanes: a count
   above the threads of the block is set to these. */
const char *barrier_refuses(uint32_t number, uint32_t *count, uint32_t threads, int warp, char text[REFUSAL]);
/* Why a thread of this lane of its PTX warp cannot give this mask. */
const char *mask_refuses(uint32_t mask, int lane, char text[REFUSAL]);
/* A number that says which qualifiers a warp-level operation has. Threads whose masks are equal meet at
   operations with equal numbers, wherever each of these stands. */
static inline uint32_t same_qualifiers(unsigned op, unsigned mode, unsigned atomic, unsigned type)
{
	return op << 24 | mode << 16 | atomic << 8 | type;
}
/* Words for this fault: a thread with mask `mask` waits for lane `lane`, while that lane waits for the thread
   at another operation (its), or with another mask (its_mask). */
void words_crossed(uint32_t mask, int lane, const Ins *its, uint32_t its_mask, char text[REFUSAL]);
/* Words for this fault: a thread has come to an .aligned barrier while others of its warp wait at another
   .aligned barrier instruction (theirs). */
void words_aligned(const Ins *theirs, char text[REFUSAL]);
static inline bool is_aligned_barrier(const Ins *i)
{
	return i && i->flags & INSF_ALIGNED && (i->op == OP_BARSYNC || i->op == OP_BARRED);
}
/* The function to which a call goes, by its address. NULL: the call cannot go there, and *why is filled: the
   kind of fault, what to say, and the place in the source if that is not the call's. */
const Function *call_target(const Module *, const Ins *call, uint64_t address, Fault *why);

/* The reference interpreter executes each thread alone, block after block; where all blocks of a grid meet
   (barrier.grid, cooperative launches), they take turns. Barriers and warp-level operations make threads wait
   for each other; a warp has warp_size threads, at most PTX_WARP (0: PTX_WARP). max_steps: instructions of
   one thread before the launch is given up; 0 = any number. interp_launch returns true when the launch has
   completed; false: the fault is filled, or the user has interrupted it. */
typedef struct InterpOptions {
	int warp_size;
	uint64_t max_steps;
	/* gets the number of instructions executed by all threads, without unconditional bra; may be NULL */
	uint64_t *thread_instructions;
	/* when it is set, the launch ends with false and no fault; may be NULL */
	const volatile sig_atomic_t *interrupted;
	/* Called for each instruction before a thread executes it; may be NULL. thread: the number of the
	   thread in its block; where all blocks of a grid are kept at once (barrier.grid, cooperative
	   launches), in the grid. */
	void (*watch)(void *self, uint32_t thread, const Function *, const Ins *);
	void *self;
} InterpOptions;
bool interp_launch(const Launch *, const InterpOptions *, Fault *);

/* Functions that the interpreter of host functions calls for what a host function asks for. Where one returns
   bool, false means that the fault is filled. */
typedef struct HostHooks {
	void *self;
	/* Starts a launch. In stream 0 it has ended on return; in other streams it may not have begun. where:
	   the place of the statement. */
	bool (*launch)(void *self, const Launch *, int stream, Loc where, Fault *);
	/* Lets every launch end; called before anything that looks at memory. NULL: there is nothing to wait
	   for. */
	bool (*sync)(void *self, Fault *);
	/* Record an event in a stream, and make a stream wait for an event; may be NULL where launches run
	   one after the other. */
	void (*record)(void *self, int event, int stream);
	void (*wait)(void *self, int stream, int event);
	/* Calls a function of Lua. args, results: its arguments, and where its results go, each in the low
	   bits. NULL: there are no functions of Lua. */
	bool (*call)(void *self, const Function *, const uint64_t *args, uint64_t *results, Loc where,
		Fault *);
	/* Called when the host function has allocated a buffer; may be NULL. */
	void (*allocated)(void *self, uint64_t addr, uint64_t size);
	/* ran[Block.id] is incremented each time the block begins; may be NULL */
	uint64_t *ran;
	/* most steps of the host function, as doc/ir.md counts them; 0 = 100 million */
	uint64_t max_steps;
	/* when it is set, the host function ends with false and no fault; may be NULL */
	const volatile sig_atomic_t *interrupted;
} HostHooks;
/* Runs a host function of the module. false: a check failed, a launch faulted or a limit was reached, and the
   fault is filled; or the user has interrupted it. On return every launch has ended. */
bool host_run(const Module *, const Function *host, Memory *, const uint64_t *symbol_address,
	const HostHooks *, Fault *);
#endif
