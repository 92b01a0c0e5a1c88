/* Inside the reference interpreter: shared by interp*.c and host.c only. */
#ifndef GSIM_INTERP_H
#define GSIM_INTERP_H
#include "isa/decode.h"
#include "isa/launch.h"

enum { FRAME_LIMIT = 4096, LOCAL_LIMIT = 512 * 1024,
	SHARED_LIMIT = 1 << 20 /* bytes, as many as sm.max_shared_per_block may be */, SLICE = 10000 };
/* bytes of frames, local and shared memory that the blocks of a grid may need at their begin, if all are kept
   at once */
#define GANG_LIMIT (1u << 30)

typedef struct OperandPlace {             /* where an operand lives */
	enum { PL_NONE, PL_CONST, PL_32, PL_64, PL_PRED, PL_SREG, PL_LOCAL } kind;
	bool neg;                  /* the predicate is inverted when it is read */
	uint32_t row;              /* PL_32, PL_64, PL_PRED: the row in the frame; PL_SREG: the Sreg */
	/* PL_CONST: the value; PL_LOCAL: the offset in the frame's part of local memory; else an offset in
	   bytes that an address adds */
	int64_t value;
} OperandPlace;

/* a value that is copied from its place to a row before an instruction is executed */
typedef struct Dynamic { OperandPlace from; uint32_t row; bool wide; } Dynamic;

typedef struct InterpStep {              /* a decoded instruction */
	const Ins *ins;
	LaneIns lane;              /* for instructions of kind K_ALU */
	OperandPlace *dst, *src;
	OperandPlace guard;               /* PL_NONE: there is no guard */
	const int *target;         /* steps that bra and brx continue at */
	int ntarget;
	const Dynamic *dynamic;
	int ndynamic;
} InterpStep;

typedef struct InterpCode {        /* a decoded function */
	const Function *f;
	InterpStep *step;
	uint32_t words, npred;     /* of a frame: words of its rows, predicates */
	uint32_t local_bytes;
	uint32_t *constants;
	OperandPlace *reg;                /* by register: where it lives */
} InterpCode;

typedef struct InterpFrame {
	const InterpCode *code;
	int pc;
	uint64_t local_base;
	uint32_t *words;
	Mask *pred;
} InterpFrame;

typedef enum { RUNNABLE, AT_BARRIER, AT_WARP, AT_GRID, EXITED } ThreadState;

typedef Vec(uint64_t) StateWords;

typedef struct Thread {
	ThreadState state;
	uint32_t tid[3], linear;
	Vec(InterpFrame) frame;
	uint8_t *local;
	uint64_t local_top, local_cap;
	uint64_t steps;
	Mask cc;
	int barrier;               /* AT_BARRIER: the number of the barrier */
	/* AT_WARP: the mask of lanes that are to meet, the thread's own included */
	uint32_t members;
	/* for interp_livelock.c: the last saved state, and Brent's counters */
	struct { StateWords saved; uint64_t steps, power; bool cycling; } watch;
} Thread;

typedef struct InterpBarrier { int arrived, expected; bool explicit_count; int yes, votes; } InterpBarrier;

typedef struct Interp {
	const Launch *launch;
	const InterpOptions *options;
	Fault *fault;
	Arena arena;
	ConstBank bank;
	InterpCode **code;         /* by function; a function is decoded on first use */
	const Alloc *hint;
	uint64_t instructions;
	/* counts changes of memory words, ends of threads and meetings of threads; a livelock has none */
	uint64_t changes;
	bool clock;                /* the kernel may read a clock */
	uint64_t params;           /* address of the parameters */
	uint64_t workspace;        /* address of the grid's workspace, 0: the launch is not cooperative */
	int64_t *shared_offset;
	uint32_t shared_bytes;
	uint8_t *shared;
	uint32_t ctaid[3];
	Thread *thread;
	int nthread, live;
	/* number of the block's first thread among the threads of all blocks that are kept */
	uint32_t first;
	bool gang;                 /* all blocks of the grid are kept, and run in turns */
	int at_grid;               /* how many of the live threads wait at barrier.grid */
	InterpBarrier barrier[BARRIERS];
	/* executes operations of kind K_HOST, and calls; NULL outside host functions */
	bool (*host_op)(struct Interp *, Thread *, const InterpStep *);
	void *host;
} Interp;

/* interp_decode.c: the function, decoded; NULL: it cannot be, and the fault is filled */
const InterpCode *interp_code(Interp *, const Function *);

/* interp_exec.c */
uint64_t interp_read(const Interp *, const Thread *, const OperandPlace *);
/* writes a value of the type, extended to the register */
void interp_write(Thread *, const OperandPlace *, Type, uint64_t);
uint64_t interp_special(const Interp *, const Thread *, Sreg);
bool interp_load(Interp *, Thread *, const InterpStep *);                    /* false: fault */
bool interp_store(Interp *, Thread *, const InterpStep *);
bool interp_atomic(Interp *, Thread *, const InterpStep *);
bool interp_print(Interp *, Thread *, const InterpStep *);
/* the assertion has failed: fills the fault */
void interp_assertion(Interp *, Thread *, const InterpStep *);
void interp_fault(Interp *, const Thread *, FaultKind, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/* interp_sync.c: the thread has come to the instruction; its state stays RUNNABLE when it may go on at once.
   false: fault */
bool interp_barrier(Interp *, Thread *, const InterpStep *);
bool interp_warp(Interp *, Thread *, const InterpStep *);
/* ends the thread, and opens barriers that waited for it */
void interp_exit(Interp *, Thread *);
void interp_deadlock(Interp *);
void interp_grid_opens(Interp *);                          /* the block's threads go on behind barrier.grid */

/* interp_livelock.c: what the threads of all blocks have come to after a round */
typedef struct Cycling {
	/* at least one thread that can run has not come back to an earlier state */
	bool changing;
	int n;                     /* threads that can run */
	const Thread *first;       /* the first of these threads, and its block */
	uint32_t ctaid[3];
} Cycling;
/* looks at the threads of the current block after the round; before: what Interp.changes was when the round
   began */
void interp_look(Interp *, uint64_t before, Cycling *);
/* true: there is a livelock, and the fault is filled */
bool interp_livelock(Interp *, const Cycling *);

/* interp_gang.c: runs all blocks of a grid at once. barrier: the kernel's barrier.grid, for messages; NULL:
   it has none, and the launch is cooperative. false: fault */
bool interp_gang(Interp *, const InterpCode *, const Ins *barrier, uint64_t blocks);

/* interp.c */
/* makes the block's threads and clears its shared memory; false: fault */
bool interp_block_begin(Interp *, const InterpCode *, uint64_t block);
bool interp_round(Interp *);              /* each thread of the block that can run has a turn; false: fault */
void interp_block_end(Interp *);
bool interp_enter(Interp *, Thread *, const InterpCode *);             /* pushes a frame; false: fault */
bool interp_run(Interp *, Thread *, uint64_t steps);  /* until it blocks or steps are used up; false: fault */
/* counts these steps for the thread; false: they are too many (a fault), or the user wants no more */
bool interp_charge(Interp *, Thread *, uint64_t steps);
void interp_thread_free(Thread *);
/* allocates parameters, shared memory and the workspace; false: fault */
bool interp_open(Interp *);
void interp_close(Interp *);
static inline InterpFrame *interp_top(const Thread *t) { return &t->frame.v[t->frame.n - 1]; }
#endif
