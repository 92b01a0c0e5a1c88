/* The seam for divergence mechanisms: doc/reconvergence.md explains it with an example.
 *
 * A mechanism owns the warp's splits: split[0..nsplit) are groups of lanes (pc, mask) that may issue, in
 * order of preference. A stack keeps one there and the rest in its own state; a mechanism with several
 * schedulable groups keeps several. The core executes instructions, moves pcs along straight code, gathers
 * where lanes go at branches, and asks the mechanism at every event below. Lanes are named by their home:
 * registers, return addresses and scoreboard belong to the home warp, whatever split the lane is in.
 *
 * When an event comes, the split's `wait` holds the cycle of its next issue as the core set it; the mechanism
 * may move it on (reconv_delay) or charge memory traffic (reconv_spill_push, _pop, _top).
 *
 * sim/reconv/ sees sim/code/ and sim/record/, but not the machine: this header is what the core calls, core.h
 * what mechanisms call, wait.h when a split may issue, common/ what several of them share; a file or folder
 * is a mechanism, and list.c gathers sim/config/mechanisms.def. */
#ifndef GSIM_RECONV_H
#define GSIM_RECONV_H
#include "sim/code/code.h"
#include "sim/reconv/wait.h"
#include "traces/rows.h"
#include <stddef.h>

typedef enum {
	SPLIT_RUN,                     /* may issue */
	SPLIT_BARRIER, SPLIT_WARPSYNC, /* waits; the core lets it go */
	SPLIT_PARKED                   /* the mechanism holds it back */
} SplitState;

typedef struct Warp Warp;
typedef struct Rows Rows;              /* tables of rows: traces/rows.h, reconv_show */

enum { MOST_WARPS = 256 };             /* sm.max_warps is at most that */

/* Lanes of one home warp in a split. A thread keeps its column: the lane it has in its home. */
typedef struct Part { Warp *home; Mask mask; } Part;
typedef struct Parts { struct Parts *next; int n; Part part[]; } Parts; /* room for warp_size */

typedef struct Split {
	uint32_t pc;
	uint32_t tag;                  /* the mechanism's */
	Mask mask;
	/* lanes of several warps: their homes, disjoint masks; NULL: all are of the warp that holds it */
	Parts *parts;
	Wait wait;                     /* when it may issue */
	Cycle issued;                  /* when it issued last */
	uint32_t line;                 /* instruction cache line held, NO_PC = none */
	uint8_t state;                 /* SplitState */
	uint8_t barrier;               /* SPLIT_BARRIER: which */
	bool released;                 /* by the barrier, and still to step over it */
	Mask sync_mask;                /* SPLIT_WARPSYNC: lanes it waits for */
	uint32_t turn;               /* functional.schedule = block: splits run in the order of this number */
	/* a warp-level operation has let it go; its new place is still to be told to the mechanism */
	bool arriving;
} Split;

typedef struct Path { uint32_t pc; Mask mask; } Path;  /* lanes that go to pc next */

static inline int lowest_lane(Mask m) { return __builtin_ctzll(m); } /* m: not empty */
static inline Mask lanes_below(int n) { return n >= 64 ? ~(Mask)0 : ((Mask)1 << n) - 1; }
static inline unsigned lane_count(Mask m) /* the baseline x86-64 has no instruction for it */
{
	m -= m >> 1 & 0x5555555555555555u;
	m = (m & 0x3333333333333333u) + (m >> 2 & 0x3333333333333333u);
	return (unsigned)(((m + (m >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}
#define each_lane(M, L) /* L: an int declared before */ \
	for (Mask m_##L = (M); m_##L && ((L = lowest_lane(m_##L)), 1); m_##L &= m_##L - 1)

/* how a mechanism holds a lane, for diagnoses. The caller sets pc to the split's or NO_PC, and until to
   NO_PC */
typedef struct Held {
	uint32_t pc;                   /* where the lane goes on, NO_PC = unknown */
	const char *in;                /* what it waits in: "a stack entry" */
	/* it goes on when `others` come to this pc; NO_PC: when they have ended or left, or unknown */
	uint32_t until;
	Mask others;                   /* the lanes it waits for; 0 = unknown */
} Held;

/* For livelock detection: how long a lane that could run may be kept from it. `first` cycles pass (a
 * time-out; 0: lanes in no split are not let go by time); then the other groups of its warp have `turns`
 * turns at most. A turn ends after `time` cycles and, from then on, so many branches of the warp. */
typedef struct Patience { Cycle first, time; uint64_t turns, branches; } Patience;

/* The most branches and jumps that a lane executes before it comes to one of them again. */
static inline uint64_t most_branches(const Code *c) { return (uint64_t)(c->nbranch + c->nblock); }

/* Barriers and warp-level operations, for mechanisms that choose among splits. */
typedef struct SyncHooks {
	/* s has come to wait at a block barrier or a warp-level operation (s->state); the list may change */
	void (*wait)(Warp *, Split *s);
	/* What s waited for has happened; s->state is SPLIT_RUN. The hook may change states of splits, but
	   not add, remove or move any: the core is going through them. */
	void (*resume)(Warp *, Split *s);
	/* Instead of reach for each: splits that waited in one place for a warp-level operation or a block
	   barrier stand behind it at pc, resumed, with the lanes in `lanes` together. They may become one. */
	void (*met)(Warp *, uint32_t pc, Mask lanes);
	/* s is to execute a block barrier or a warp-level operation for which live lanes of `want` are
	   elsewhere. True: it has been put aside to wait for them, not executed, and s is another group;
	   false: they cannot come, and it goes on as divergence.bar_partial says. For mechanisms that run one
	   group at a time and may choose which. */
	bool (*gather)(Warp *, Split *s, Mask want);
} SyncHooks;

/* Waits, loads and time-outs. Functional runs have the alarm alone. */
typedef struct TimeHooks {
	/* s was tried, as in every cycle, and cannot issue before `until`: an operand is being loaded, an
	   instruction is being fetched, ... For these two `until` is far off, even where the core knows the
	   cycle. False: the hook has changed nothing, but may have asked for an alarm. */
	bool (*stall)(Warp *, Split *s, Stall why, Cycle until);
	/* The split waits for data that are being loaded, and it is known now when those of each lane come,
	   now or later (reconv_first_ready). It may ask for an alarm, and change nothing else. */
	void (*known)(Warp *, Split *s);
	/* The split has issued a load whose data only some of its lanes find in L1; s->pc is behind it, and
	   not at a marked place. Splits may be added. */
	void (*loaded)(Warp *, Split *s, const MIns *, Mask hits, Mask misses);
	void (*alarm)(Warp *);                          /* the time that reconv_alarm asked for has come */
} TimeHooks;

/* Two issues in one scheduler-cycle, timed runs only. Which split of the warp is tried n-th (NULL: no more);
   the list may change at n = 0. Then, after an issue for `lanes` of w, which split of this warp or of another
   of its scheduler may issue on lanes that this leaves idle (where another warp's lanes stand is the
   mechanism's affair): both may be on one copy of a functional unit. The first that can does. */
typedef struct PairHooks {
	Split *(*candidate)(Warp *w, int n);
	Split *(*partner)(Warp *w, Mask lanes, int n, Warp **of);
} PairHooks;

/* State beyond the warp, and a choice among warps. */
typedef struct BlockHooks {
	size_t (*sm_state_size)(const Config *);     /* state of an SM for each launch, zeroed at its start */
	/* state of a thread block, zeroed when it becomes resident */
	size_t (*block_state_size)(const Config *);
	/* The warps of one launch and scheduler that may issue now (functional runs: of the SM), in its
	   policy's order: puts the one to be tried first in front, and may reorder the splits of each. */
	void (*order)(Warp **list, int n);
} BlockHooks;

/* For livelock detection and what it reports. */
typedef struct StuckHooks {
	/* of those that let lanes run which they held: after time-outs, quanta; all 0: never */
	Patience (*patience)(const Config *, const Code *);
	/* a lane in no split, or in one that is parked; false: cannot tell */
	bool (*held)(const Warp *, int lane, Held *);
	const char *holds;   /* why it may hold lanes for ever: "runs the top entry of its stack only: ..." */
} StuckHooks;

typedef struct ReconvModel {
	union { struct { MODEL_KEYS }; ModelKeys keys; };
	/* every lane is a core of its own (a bound, not a machine); splits have one lane, for good */
	bool own_slots;
	bool sync_waits;               /* warp-level operations wait for the lanes of their mask */
	bool lane_scoreboard;          /* splits run side by side: registers become ready per lane */
	bool all_branches;             /* branch is called for uniform branches and jumps too */
	bool runs_empty;               /* a split may be without lanes: it is executed harmlessly */
	bool regroups;            /* splits may have lanes of several warps of a block; needs the two above */

	/* Compile time: fill rpc_block and reach, insert operations of its own (lower_own) into the
	   function's blocks. */
	LowerHook *lower;
	size_t (*state_size)(const Config *);
	/* Run time. s is one of w->split; paths have disjoint, non-empty masks whose union is the lanes that
	   executed. */
	void (*launch)(Warp *, Mask lanes, uint32_t pc);
	/* Lanes part: n >= 2. bra: true side first; brx: by address. Uniform branches only move s->pc. reach
	   is not called for paths that begin at a marked place. With all_branches: n = 1 too. With
	   runs_empty: n = 0 or no lane in the path where the split has none; call is not called for it, ret
	   (n = 0), exit and special are. */
	void (*branch)(Warp *, Split *s, const MIns *, const Path *, int n);
	/* s->pc has come to a place that lower marked, by falling through or by a uniform branch. Once: if it
	   moves the split to another marked place, that is its own affair. */
	void (*reach)(Warp *, Split *s);
	void (*call)(Warp *, Split *s, const Path *callee, int n, uint32_t return_pc);
	void (*ret)(Warp *, Split *s, const Path *, int n);           /* paths by return address */
	/* s's lanes, all of them, end; they are gone from w->live */
	void (*exit)(Warp *, Split *s, Mask lanes);
	/* Optional. Some lanes of s, not all, have ended at a guarded exit, and the others go on: s->pc is
	   behind it already. The hook takes them from s (reconv_shed) and forgets them; the list may change.
	   NULL: it is enough to take them from s, for what else is held of lanes that have ended is looked at
	   with reconv_live. */
	void (*some_exit)(Warp *, Split *s, Mask lanes);
	/* one of its own operations (MIns.own); moves s->pc itself */
	void (*special)(Warp *, Split *s, const MIns *, Mask lanes);
	int (*depth)(const Warp *);                                   /* entries now, for statistics */
	/* Optional: all it holds besides the splits (which the core shows), row by row, for traces and
	   pictures. What is not shown, nobody can redraw. It changes in hooks only; but where a split stands:
	   rows of the stack say so by reconv_show_split, others do not. */
	void (*show)(const Warp *, Rows *);

	/* optional, with lane_scoreboard: true: this machine has it for whole warps only */
	bool (*warp_scoreboard)(const Config *);

	/* Optional: NULL = nothing to do. */
	SyncHooks sync;
	TimeHooks times;
	PairHooks pairs;
	BlockHooks blocks;
	StuckHooks stuck;
} ReconvModel;

/* The hooks that may change what a warp holds, and depth, which the core asks for whenever a warp has
   changed: X(member of ReconvModel, its name). Who stands between the core and a mechanism has a function of
   its own for each: sim/machine/check.c, sim/machine/tracer.c. The others only answer: sizes, show,
   warp_scoreboard, stuck. */
#define RECONV_EVENTS(X) \
	X(launch, launch) X(branch, branch) X(reach, reach) X(call, call) X(ret, ret) X(exit, \
		exit) X(some_exit, some_exit) X(special, special) X(depth, depth) \
	X(sync.wait, wait) X(sync.resume, resume) X(sync.met, met) X(sync.gather, gather) \
	X(times.stall, stall) X(times.known, known) X(times.loaded, loaded) X(times.alarm, alarm) \
	X(pairs.candidate, candidate) X(pairs.partner, partner) \
	X(blocks.order, order)
#define ONE_MORE(MEMBER, NAME) + sizeof(void (*)(void))
_Static_assert(offsetof(ReconvModel, show) - offsetof(ReconvModel, launch) + sizeof(SyncHooks) +
	sizeof(TimeHooks) + sizeof(PairHooks) + sizeof(BlockHooks) -
	offsetof(BlockHooks, order) == 0 RECONV_EVENTS(ONE_MORE), "no hook is missing in RECONV_EVENTS");
#undef ONE_MORE

extern const ReconvModel *const reconv_models[];  /* ends with NULL; index = Config.model */
#endif
