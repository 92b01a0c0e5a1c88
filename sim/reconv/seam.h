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
 * Files in sim/reconv/ may include sim/code/ and sim/record/, but not the machine. This header declares what
 * the core calls, core.h what mechanisms call, and wait.h when a split may issue; common/ holds what several
 * mechanisms share. Each other file or folder is one mechanism, and list.c makes a table of all that
 * sim/config/mechanisms.def names. */
#ifndef GSIM_RECONV_H
#define GSIM_RECONV_H
#include "sim/code/code.h"
#include "sim/reconv/wait.h"
#include "traces/rows.h"
#include <stddef.h>

typedef enum {
	SPLIT_RUN,                     /* may issue */
	/* waits at a block barrier; for lanes at a warp-level operation. The core ends both */
	SPLIT_BARRIER, SPLIT_WARPSYNC,
	SPLIT_PARKED                   /* the mechanism holds it back */
} SplitState;

typedef struct Warp Warp;
typedef struct Rows Rows;              /* tables of rows: traces/rows.h, reconv_show */

enum { MOST_WARPS = 256 };             /* sm.max_warps is at most that */

/* Lanes of one home warp in a split. A thread keeps its column: the lane it has in its home. */
typedef struct Part { Warp *home; Mask mask; } Part;
typedef struct Parts { struct Parts *next; int n; Part part[]; } Parts; /* part: room for warp_size parts */

/* When the last operand of an instruction that is computed is there, and the last one that is loaded. */
typedef struct Operands { Cycle computed, loaded; } Operands;

typedef struct Split {
	uint32_t pc;
	uint32_t tag;                  /* for the mechanism, which may keep any number here */
	Mask mask;
	/* where the split has lanes of several warps: the lanes of each home warp, as disjoint masks; NULL:
	   all lanes belong to the warp in whose list the split stands */
	Parts *parts;
	SplitWait wait;                /* when it may issue */
	Cycle issued;                  /* when it issued last */
	uint32_t line;                 /* the instruction cache line it fetched last, NO_PC = none */
	uint8_t state;                 /* a SplitState */
	uint8_t barrier;               /* with SPLIT_BARRIER: number of the block barrier */
	/* the block barrier has opened, and the split has yet to go on to the instruction behind the
	   barrier */
	bool released;
	Mask sync_mask;                /* with SPLIT_WARPSYNC: the lanes for which the split waits */
	/* with functional.schedule = block: of a warp's splits, the one with the lowest number runs first */
	uint32_t turn;
	/* a warp-level operation has let the split go on, and the core has yet to tell the mechanism of the
	   new pc (reach) */
	bool arriving;
	/* for the core: since its last issue the split has been asked when the operands of the instruction
	   at asked_pc are there for these lanes; NO_PC: it has not */
	uint32_t asked_pc;
	Mask asked_lanes;
	Operands operands;
} Split;

typedef struct Path { uint32_t pc; Mask mask; } Path;  /* lanes that go to pc next */

static inline int lowest_lane(Mask m) { return __builtin_ctzll(m); } /* m: not empty */
static inline int last_lane(Mask m) { return 63 - __builtin_clzll(m); } /* m: not empty */
static inline Mask lanes_below(int n) { return n >= 64 ? ~(Mask)0 : ((Mask)1 << n) - 1; }
/* Counts by arithmetic: the baseline x86-64 has no instruction that counts bits. */
static inline unsigned lane_count(Mask m)
{
	m -= m >> 1 & 0x5555555555555555u;
	m = (m & 0x3333333333333333u) + (m >> 2 & 0x3333333333333333u);
	return (unsigned)(((m + (m >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}
/* Runs the statement behind it once for each lane of M, the lowest first. L: an int declared before. */
#define each_lane(M, L) \
	for (Mask m_##L = (M); m_##L && ((L = lowest_lane(m_##L)), 1); m_##L &= m_##L - 1)

/* How a mechanism holds a lane back, for diagnoses. The caller of StuckHooks.held sets pc to that of the
   lane's split, or to NO_PC if the lane is in none, and until to NO_PC; the hook changes what it knows
   better. */
typedef struct Held {
	uint32_t pc;                   /* where the lane goes on, NO_PC = unknown */
	const char *in;                /* what the lane waits in: "a stack entry" */
	/* the lane goes on when the lanes in `others` come to this pc; NO_PC: when these have ended or left,
	   or it is unknown when */
	uint32_t until;
	Mask others;                   /* the lanes for which the lane waits; 0 = unknown */
} Held;

/* For livelock detection: how long a mechanism may keep a lane from running that could run. First, `first`
 * cycles pass (a time-out; 0: time alone never frees a lane that is in no split). Then the other groups of
 * the lane's warp have `turns` turns at most. A turn lasts `time` cycles, and after that until the warp has
 * executed `branches` branches. */
typedef struct Patience { Cycle first, time; uint64_t turns, branches; } Patience;

/* The most branches and jumps that a lane executes before it comes to one of them again. */
static inline uint64_t most_branches(const Code *c) { return (uint64_t)(c->nbranch + c->nblock); }

/* Barriers and warp-level operations, for mechanisms that choose among splits. */
typedef struct SyncHooks {
	/* s has begun to wait at a block barrier or a warp-level operation (s->state says at which). The hook
	   may change the list of splits. */
	void (*wait)(Warp *, Split *s);
	/* What s waited for has happened; s->state is SPLIT_RUN. The hook may change states of splits, but
	   not add, remove or move any: the core is going through them. */
	void (*resume)(Warp *, Split *s);
	/* Splits that waited in one place, for a warp-level operation or at a block barrier, have been
	   resumed and stand at pc, behind that instruction; `lanes` are the lanes of all of them. The hook
	   may make one split of them. The core calls it instead of reach, once for all these splits. */
	void (*met)(Warp *, uint32_t pc, Mask lanes);
	/* s is about to execute a block barrier or a warp-level operation, which needs the live lanes `want`,
	   and some of these are not in s. True: the mechanism has put the group aside until they come, the
	   instruction is not executed, and s is another group now. False: they cannot come, and s executes
	   the instruction as divergence.bar_partial says. For mechanisms that run one group at a time and may
	   choose which. */
	bool (*gather)(Warp *, Split *s, Mask want);
} SyncHooks;

/* Waits, loads and time-outs. In functional runs the core calls `alarm` only. */
typedef struct TimeHooks {
	/* The core has tried in this cycle to issue from s, and s cannot issue before `until`, for the reason
	   `why`. While an operand is being loaded or an event is to come (such as an instruction that is
	   being fetched), `until` is PENDING, even where the core knows the cycle. A split that waits for a
	   functional unit, and is the only one of its warp that may run, is not tried again before a copy of
	   the unit is free. Returns false if the hook has changed nothing; it may have asked for an alarm all
	   the same. */
	bool (*stall)(Warp *, Split *s, Stall why, Cycle until);
	/* s waits for data that are being loaded, and the core has just learned in which cycles data of its
	   lanes come (reconv_first_ready). The hook may ask for an alarm, and change nothing else. */
	void (*known)(Warp *, Split *s);
	/* s has issued a load: the lanes in `hits` find their data in L1, those in `misses` do not, and
	   neither mask is empty. s->pc is behind the load, and not at a marked place. The hook may add
	   splits. */
	void (*loaded)(Warp *, Split *s, const MIns *, Mask hits, Mask misses);
	void (*alarm)(Warp *);                          /* the time that reconv_alarm asked for has come */
} TimeHooks;

/* Two issues in one scheduler-cycle, in timed runs only. */
typedef struct PairHooks {
	/* Returns the split of w that the core tries to issue as the n-th one, from 0; NULL: there are no
	   more. The hook may change the list of splits when n is 0. */
	Split *(*candidate)(Warp *w, int n);
	/* A split of w has issued for `lanes`. Returns the n-th split, from 0, that may issue besides on
	   lanes left idle, and in *of its warp: w or another warp of the same scheduler; NULL: there are no
	   more. The first of them that can issue does, and may share one copy of a functional unit with the
	   other issue. The mechanism decides at which places the lanes of another warp stand. */
	Split *(*partner)(Warp *w, Mask lanes, int n, Warp **of);
} PairHooks;

/* State that belongs to an SM or a thread block, and the choice among warps. */
typedef struct BlockHooks {
	/* bytes of state that an SM keeps for a launch, zeroed when the launch starts */
	size_t (*sm_state_size)(const Config *);
	/* bytes of state that a thread block has, zeroed when the block becomes resident */
	size_t (*block_state_size)(const Config *);
	/* list: the n warps of one launch and one scheduler that may issue now (functional runs: of one
	   launch and the whole SM), in the order of the scheduling policy. The hook puts the warp that is to
	   be tried first in front, and may reorder the splits of each warp. */
	void (*order)(Warp **list, int n);
} BlockHooks;

/* For livelock detection and what it reports. */
typedef struct StuckHooks {
	/* For mechanisms that hold lanes back and later, after a time-out or a quantum, let these run: how
	   long that may take. All members 0: with these parameters the mechanism never does. */
	Patience (*patience)(const Config *, const Code *);
	/* Tells how a lane is held that is in no split or in a parked one. False: the mechanism cannot
	   tell. */
	bool (*held)(const Warp *, int lane, Held *);
	/* why the mechanism may hold lanes for ever: "runs the top entry of its stack only: ..." */
	const char *holds;
} StuckHooks;

typedef struct ReconvModel {
	union { struct { MODEL_KEYS }; ModelKeys keys; };
	/* every lane is a core of its own (a bound, not a machine); a split has one lane from begin to end */
	bool own_slots;
	bool sync_waits;               /* warp-level operations wait for the lanes of their mask */
	bool lane_scoreboard;          /* splits run side by side: registers become ready per lane */
	/* a warp has one split until an instruction has issued that may send its lanes different ways: a
	   branch under a condition, an indexed branch, a call, an operation of the mechanism's own */
	bool parts_at_branches;
	bool all_branches;             /* branch is called for uniform branches and jumps too */
	bool runs_empty;               /* a split may be without lanes: it issues without an effect */
	/* splits may have lanes of several warps of a block; needs sync_waits and lane_scoreboard */
	bool regroups;
	/* times.stall does nothing for a warp of one split: it is not called then, if there is no
	   times.alarm */
	bool stall_needs_choice;
	/* optional, with stall_needs_choice. True: in this configuration times.stall does nothing but for
	   STALL_SLEEP. */
	bool (*stall_of_sleep_only)(const Config *);
	/* for a warp of one split, pairs.candidate returns this split if it may run, and changes nothing that
	   matters later: it is not called then */
	bool pairs_need_choice;
	/* pairs.partner may return a split of another warp */
	bool pairs_of_warps;

	/* Compile time: the hook fills in rpc_block and reach of the function that is lowered (LowerFn), and
	   inserts operations of its own (lower_own) into the function's blocks. */
	LowerHook *lower;
	size_t (*state_size)(const Config *);  /* bytes of state that a warp has: reconv_state */
	/* Run time. s is one of w->split; paths have disjoint, non-empty masks whose union is the lanes that
	   executed. */
	void (*launch)(Warp *, Mask lanes, uint32_t pc);
	/* The lanes of s part at a branch, on n >= 2 paths: for bra the true side comes first, for brx the
	   lowest address. At a uniform branch the core moves s->pc itself; with all_branches it calls branch
	   instead, with n = 1. Where a path begins at a place that lower marked, the core does not call reach
	   for it: branch has to do what reach does there. Where s has no lanes (runs_empty), n is 0 or the
	   only path is empty; for such a split the core does not call `call`, but it calls ret (with n = 0),
	   exit and special. */
	void (*branch)(Warp *, Split *s, const MIns *, const Path *, int n);
	/* s->pc has come to a place that lower marked, by falling through or by a uniform branch. The core
	   calls reach once: it does not call it again where the hook itself moves the split to a marked
	   place. */
	void (*reach)(Warp *, Split *s);
	void (*call)(Warp *, Split *s, const Path *callee, int n, uint32_t return_pc);
	void (*ret)(Warp *, Split *s, const Path *, int n);           /* a path for each return address */
	/* all lanes of s end; the core has taken them out of the warp's live lanes already */
	void (*exit)(Warp *, Split *s, Mask lanes);
	/* Optional. Some lanes of s, not all, have ended at a guarded exit, and the others go on: s->pc is
	   behind the exit already. The hook takes `lanes` out of s (reconv_shed) and out of what else the
	   mechanism holds; it may change the list of splits. NULL: the core takes them out of s, which is
	   enough for a mechanism that leaves out ended lanes of its masks with reconv_live. */
	void (*some_exit)(Warp *, Split *s, Mask lanes);
	/* s executes one of the mechanism's own operations (MIns.own); the hook moves s->pc itself */
	void (*special)(Warp *, Split *s, const MIns *, Mask lanes);
	int (*depth)(const Warp *);              /* entries that the structure has now, for statistics */
	/* Optional: shows, row by row, all that the mechanism holds besides the splits, which the core shows,
	   for traces and pictures. Nobody can redraw what is not shown. The rows may change in hooks only. A
	   split's pc changes with every issue, so rows of a stack get it from reconv_show_split, and other
	   rows do not have it. */
	void (*show)(const Warp *, Rows *);

	/* Optional. The one pc at which reach has anything to do until another hook is called; NO_PC: there
	   is none. The core need not call reach elsewhere. NULL: it has to call it at each marked place. */
	uint32_t (*meets_at)(const Warp *);
	/* Optional, for mechanisms with lane_scoreboard. True: in this configuration registers become ready
	   for whole warps only. */
	bool (*warp_scoreboard)(const Config *);

	/* Optional: NULL = nothing to do. */
	SyncHooks sync;
	TimeHooks times;
	PairHooks pairs;
	BlockHooks blocks;
	StuckHooks stuck;
} ReconvModel;

/* The hooks that may change what a warp holds, and depth, which the core calls whenever a warp has changed:
   X(member of ReconvModel, name of the hook). sim/machine/check.c and sim/machine/tracer.c put themselves
   between the core and a mechanism; each has a function of its own for every hook of this list. The hooks
   that are not in it only answer: sizes, show, meets_at, warp_scoreboard, stuck. */
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

struct StrBuf;
/* The mechanism whose number is i in Config.model, an added one included; NULL: there are not so many. */
const ReconvModel *reconv_model(int i);
/* Adds a mechanism at the end of the list, where it stays. To be called before anything looks at the list or
   has a Config, and by one thread. False: there is a mechanism of this name, or the table lacks something
   that it must have; why, empty before, says which. */
bool reconv_add(const ReconvModel *, struct StrBuf *why);
#endif
