/* A launch on the machine, what an SM has of it, its thread blocks. */
#ifndef GSIM_MACHINE_GRID_H
#define GSIM_MACHINE_GRID_H
#include "sim/launcher.h"
#include "sim/machine/partings.h"
#include "sim/reconv/core.h"
#include "sim/record/intervals.h"
#include "traces/state.h"

typedef struct Sm Sm;
typedef struct Cta Cta;
typedef struct Grid Grid;

#define NEVER (~(Cycle)0)

/* What a block did: issues, and lanes that executed in them. */
typedef struct BlockWork { uint64_t issues, lanes; } BlockWork;

/* What is noted of a grid of which parts run (sim/gpu/sampled.h). */
typedef struct BlockLog {
	uint64_t first;                /* the number of the first block that runs */
	/* timed runs: [block - first]: the cycle in which the block becomes resident; NULL: a functional
	   run */
	Cycle *begin;
	/* timed runs: how many cycles after the first block each of the first blocks becomes resident;
	   NULL: they all come at once */
	const Cycle *stagger;
	uint64_t nstagger;
	BlockWork *done;               /* functional runs: [block]: all blocks up to this one together */
	/* functional runs: blocks in front of which what caches hold is kept, in ascending order; the
	   next one of these; what was kept */
	const uint64_t *keep_at;
	int nkeep, kept;
	struct MemCopy **keep;
	/* Asked when blocks [first, n) have got their places. True: no more blocks shall run. NULL: all
	   shall. */
	bool (*enough)(void *self, uint64_t n);
	void *self;
	struct SampledCounts *counts;  /* what the grid's instructions have counted is added here */
} BlockLog;

/* the number by which a thread block knows the barrier of its grid */
enum { GRID_BARRIER = TRACE_GRID_BARRIER };

_Static_assert((int)GRID_BARRIER == (int)BARRIERS, "behind those of the block");
/* A set of slots for warps. */
typedef struct Slots { uint64_t bits[MOST_WARPS / 64]; } Slots;
static inline void slots_add(Slots *x, int k) { x->bits[k / 64] |= (uint64_t)1 << k % 64; }
static inline void slots_drop(Slots *x, int k) { x->bits[k / 64] &= ~((uint64_t)1 << k % 64); }
/* The first slot of the set from k on; MOST_WARPS: there is none. */
static inline int slots_next(const Slots *x, int k)
{
	for (; k < MOST_WARPS; k = (k | 63) + 1) {
		uint64_t rest = x->bits[k / 64] >> k % 64;
		if (rest)
			return k + __builtin_ctzll(rest);
	}
	return MOST_WARPS;
}
/* Runs the statement behind it once for each slot of the set, the lowest first. K: an int declared before. */
#define each_slot(X, K) for (K = slots_next((X), 0); K < MOST_WARPS; K = slots_next((X), K + 1))

typedef struct Barrier {
	/* arrived: threads that have come; expected: threads for which the barrier waits, 0 = all live ones
	   of the block */
	uint32_t arrived, expected;
	/* of `arrived`: threads that were counted with their warp although they have not come */
	uint32_t missed;
	uint32_t count_true;           /* bar.red: threads that have come with a true predicate */
	Cycle counted;                 /* when the last of those that have come is counted */
} Barrier;

/* How many issues, and lanes in them, the instructions from a pc on have more than the one before it. */
typedef struct StraightCount { uint64_t issues, lanes; } StraightCount;

/* What an SM has of a grid. */
typedef struct Share {
	Grid *grid;
	Totals totals;             /* counts of its warps and accesses, but for what the next members count */
	/* by pc; count, parted, met_at, branch and stalls are NULL until the SM has a block of the grid */
	InsCount *count;
	/* functional runs: what straight code has counted, by the pc at which it begins and by the one behind
	   its end, until it is added to `count` (straight_settle); else NULL */
	StraightCount *straight;
	PartCount *parted;             /* counts of partings, by pc */
	/* by pc at which lanes have parted: the first row in `met` of these partings, counted from 1; 0: none
	   of them has ended */
	int *met_at;
	Vec(MeetCount) met;
	BranchCount *branch;           /* counts of branches, by MIns.branch */
	MarkCount *marked;             /* counts of marks, by CodeMark.counted */
	/* scheduler-cycles: [pc * STALL_FIGURES + reason]; the last row: those charged to no instruction */
	uint64_t *stalls;
	/* issues by number of lanes: [0] of the module's instructions, [1] of added ones */
	uint64_t active_lanes[2][65];
	NobodyCount nobody[2];         /* [0] and [1] as in active_lanes */
	void *model_state;             /* the mechanism's state for this grid on the SM */
	int resident;                  /* the grid's thread blocks that are resident on the SM */
	/* waiting: blocks all of whose live threads wait at the grid's barrier; ended: blocks all of whose
	   threads have ended; last: the cycle in which the latest of these blocks came to that */
	struct { uint64_t waiting, ended; Cycle last; } meeting;
	/* how much of the share's counts the intervals so far have got (sim/sm/sample.c); NULL: there are no
	   intervals, or the share has no counters */
	struct Interval *sampled;
	Vec(TraceEvent) events;        /* trace events of this window */
	int written;                   /* of `events`, how many the trace has got */
	struct Tracer *tracer;         /* NULL: no trace */
} Share;

/* A launch on the machine. Its blocks point to it through the shares of their SMs. */
struct Grid {
	const Launch *launch;
	LaunchStats *stats;            /* its counts, filled in when it has ended */
	const Code *code;
	uint64_t number;               /* the launch's number in the run, from 1 */
	int stream;
	Grid *after[2];               /* grids called earlier that it waits for, as streams ask; NULL: none */
	Vec(Grid *) events;            /* grids for whose end it waits, as events of streams ask */
	Cycle *place;                  /* its entry of Gpu.place, which is free again from its end on */
	/* all blocks; the next one to be given a place; how many have not ended */
	uint64_t ctas, next_cta, left;
	/* all blocks begin at once, or none: they meet at a barrier, or the launch is cooperative */
	bool together;
	uint64_t workspace; /* address of the workspace of a cooperative launch (isa/launch.h), else 0 */
	const char *limit;          /* what bounds how many of its blocks can be resident at once, in words */
	int warps_per_cta;
	/* for each warp of a block the x of its lanes' threads in the block, their y and their z */
	const uint32_t *tid;
	int64_t regs_per_warp, shared_per_cta;
	/* the address of its parameters that the caches see: the host writes the parameters of each launch to
	   a place of their own */
	uint64_t param_base;
	Patience patience;             /* how long the mechanism may keep lanes of this kernel from running */
	Cycle called, begin;   /* when the host calls it; when its first block begins. NEVER: not known yet */
	/* when what is measured ends; when all its accesses are done, for which other grids wait. NEVER: not
	   known yet */
	Cycle end, gone;
	Cycle last;                    /* the cycle after the last one of the blocks that have ended */
	uint64_t meetings;             /* how often its barrier has opened */
	/* the cycle in which its barrier opens, set when all threads have come to it; after that, of the last
	   opening */
	Cycle opens;
	bool begun, completed;
	bool alone;                    /* no other grid has run beside it so far */
	/* scheduler-cycles without a warp. While the grid runs: the SMs' count when it began. After its end,
	   if it ran alone: those between its begin and its end */
	uint64_t empty;
	struct Diagnosis *diagnosis;   /* why the grid cannot go on, or NULL */
	BlockLog *log;                 /* what is noted of each block, or NULL */
	/* in_trace: the trace names the grid; traced: the trace has all events of the grid */
	bool in_trace, traced;
	Vec(TraceEvent) kept;          /* events that wait until those of an earlier grid are complete */
	Arena arena;                   /* memory that lives until the grid has ended */
	Share **share;                 /* by SM: what the SM has of the grid; NULL: it has had no block */
};

struct Cta {                           /* a resident thread block */
	Share *share;
	uint32_t id[3];
	uint64_t number;               /* the block's number in the grid: x first, then y, then z */
	int warps, warps_left;
	Slots slots;                   /* those of its warps that have not ended */
	uint32_t threads, live;        /* live: threads that have not ended */
	uint8_t *shared;
	uint32_t shared_bytes;
	void *model_state;             /* the mechanism's state of the block */
	/* by number of the barrier; the last one is the block's part of the grid's barrier */
	Barrier barrier[GRID_BARRIER + 1];
	/* all its live threads wait at the grid's barrier, and Share.meeting has counted the block */
	bool meets;
	bool used;
	uint32_t shared_room;          /* bytes for which `shared` has room */
};
#endif
