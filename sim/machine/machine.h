/* The machine's state: GPU, SMs, thread blocks, warps; and what is done to it wherever it is advanced:
   records of events and faults, the services that mechanisms use (sim/reconv/core.h).

   sim/machine/ sees mechanisms as the table that the seam describes; it does not see what advances the
   machine. */
#ifndef GSIM_MACHINE_H
#define GSIM_MACHINE_H
#include "sim/gsim.h"
#include "sim/machine/partings.h"
#include "sim/record/intervals.h"
#include "sim/mem/mem.h"
#include "sim/reconv/core.h"
#include "traces/state.h"

typedef struct Sm Sm;
typedef struct Cta Cta;
typedef struct Pool Pool;
typedef struct Grid Grid;

#define NEVER (~(Cycle)0)

/* the number by which a thread block knows the barrier of its grid */
enum { GRID_BARRIER = TRACE_GRID_BARRIER };

_Static_assert((int)GRID_BARRIER == (int)BARRIERS, "behind those of the block");
typedef struct Barrier {
	uint32_t arrived, expected;    /* threads; expected 0 = no thread has come */
	uint32_t missed;        /* of those that have arrived: counted with their warp, without being there */
	uint32_t count_true;           /* bar.red */
} Barrier;

/* What an SM has of a grid. */
typedef struct Share {
	Grid *grid;
	LaunchStats stats;         /* counts of its warps and accesses, but for what the next members count */
	/* by pc; count, parted, met_at, branch and stalls are NULL until the SM has a block of the grid */
	InsCount *count;
	PartCount *parted;             /* by pc */
	/* by pc: of the partings there, the first of the rows of `met`, counted from 1; 0: none has ended */
	int *met_at;
	Vec(MeetCount) met;
	BranchCount *branch;           /* by Code branch */
	MarkCount *marked;             /* by CodeMark.counted */
	/* scheduler-cycles: [pc * STALL_COUNT + reason]; the last row: those charged to no instruction */
	uint64_t *stalls;
	/* issues by number of lanes: [0] of the module's instructions, [1] of added ones */
	uint64_t active_lanes[2][65];
	NobodyCount nobody[2];         /* [0] and [1] as before */
	void *model_state;             /* the mechanism's state of the SM */
	int resident;                  /* thread blocks */
	/* blocks all of whose threads wait at the grid's barrier, or have ended; when the last one came to
	   that */
	struct { uint64_t waiting, ended; Cycle last; } meeting;
	/* what the intervals so far have had of it (sim/sm/sample.c); NULL: there are none, or it has no
	   counters */
	struct Interval *sampled;
	Vec(TraceEvent) events;        /* of this window */
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
	Vec(Grid *) events;            /* and as events ask */
	Cycle *place;                  /* its entry of Gpu.place, which is free again from its end on */
	/* all blocks; the next one to be given a place; how many have not ended */
	uint64_t ctas, next_cta, left;
	/* all blocks begin at once, or none: they meet at a barrier, or the launch is cooperative */
	bool together;
	uint64_t workspace;            /* address of a cooperative launch's (isa/launch.h), else 0 */
	const char *limit;          /* what bounds how many of its blocks can be resident at once, in words */
	int warps_per_cta;
	int64_t regs_per_warp, shared_per_cta;
	/* an address for caches: the host writes the parameters of each launch to a place of their own */
	uint64_t param_base;
	Patience patience;             /* the mechanism's, for this kernel */
	Cycle called, begin;   /* when the host calls it; when its first block begins. NEVER: not known yet */
	/* when what is measured ends; when all its accesses are done, for which other grids wait. NEVER: not
	   known yet */
	Cycle end, gone;
	Cycle last;                    /* the cycle after the last one of the blocks that have ended */
	uint64_t meetings;             /* how often its barrier has opened */
	Cycle opens;                   /* when the barrier opens for which all threads have come last */
	bool begun, completed;
	bool alone;                    /* no other grid ran beside it */
	/* scheduler-cycles without a warp: until it began; from its end on, if it ran alone, while it ran */
	uint64_t empty;
	struct Diagnosis *diagnosis;   /* or NULL */
	bool in_trace, traced;         /* the trace names the grid; the trace has all its events */
	Vec(TraceEvent) kept;          /* events that wait until those of an earlier grid are complete */
	Arena arena;                   /* lives until the grid has ended */
	Share *share;                  /* [SM] */
};

struct Cta {                           /* a resident thread block */
	Share *share;
	uint32_t id[3];
	uint64_t number;               /* linear block id */
	int warps, warps_left;
	uint32_t threads, live;        /* live: threads that have not ended */
	uint8_t *shared;
	uint32_t shared_bytes;
	void *model_state;             /* the mechanism's state of the block */
	Barrier barrier[GRID_BARRIER + 1]; /* the last is the block's part of the grid's */
	bool meets;                    /* all its threads wait at the grid's barrier, which knows */
	bool used;
};

/* spans of time, each long enough for a turn to end (Patience): n have passed; the rest is of this one */
typedef struct Spans { uint64_t n, branches; Cycle since; } Spans;

/* A generic instruction whose lanes go to several spaces makes an access for each space. Where a register
   becomes ready for all lanes at once, it does so when the last access is done. */
/* accesses that are not done yet; when the last of the others is done */
typedef struct Whole { int parts; Cycle ready; } Whole;
typedef struct LsuAccess {             /* an access that has been issued and waits for the load/store unit */
	Access access;
	const MIns *ins;
	MemTicket *ticket;
	uint32_t event;                /* what a split waits for; 0: none does */
	int nparts;
	Part *part;                    /* the homes of its lanes */
	uint64_t addr[64];
} LsuAccess;
/* a warp's n accesses in the queue; the unit has made the first `made` */
typedef struct LsuPlace { LsuAccess *access; int n, made; } LsuPlace;

struct Warp {
	Lanes lanes;
	const MIns *ins;               /* the first instruction of its code */
	Share *share;
	Mask live;
	/* lanes that a barrier has counted without their being there (divergence.bar_partial = whole_warp) */
	Mask missed;
	int nsplit;
	Split *split;
	void *state;                   /* the mechanism's state of the warp */

	bool used, ending;             /* ending: all its lanes have ended; its accesses may be outstanding */
	bool ended;          /* ... and its accesses are complete: the slot is free at the end of the cycle */
	int outstanding;    /* deferred accesses that something comes back of: no warp waits for the others */
	int queued;                    /* accesses of its lanes that wait for the load/store unit */
	LsuPlace lsu;
	Cycle drain;                   /* when the last is there of what is known to come back */

	Sm *sm;
	Cta *cta;
	int slot, index;               /* slot in the SM; index in the block */
	struct Sched *sched;           /* its scheduler */
	int place;                     /* in the scheduler's order */
	/* The scoreboard, by name: registers, then predicates. An entry is the cycle << 1, plus 1 for a load.
	   mixed: lanes differ, and `ready` is no earlier than the latest of them. Where registers become
	   ready for all lanes at once mixed is NULL. */
	Cycle *ready, *lane_ready;     /* [name], [name * width + lane] */
	uint8_t *mixed;                /* [name] */
	uint32_t *tid[3];              /* by lane */
	uint32_t *sp;                  /* local stack pointer by lane */
	uint32_t *depth;               /* call depth by lane */
	uint32_t *ret;                 /* return addresses and frames: [(depth * 2 + {0,1}) * width + lane] */
	uint32_t ret_cap;
	uint32_t *local;               /* local memory: [word * width + lane] (sim/exec/local.c) */
	uint64_t local_cap;            /* bytes of each lane that have been touched, rounded up */
	uint32_t turns;                /* the last Split.turn given out */
	uint8_t take_turns;            /* TURNS_... */
	int last;                      /* the index of the split that issued last */
	Cycle alarm;                   /* NO_ALARM = none */
	uint32_t stack_depth;          /* the mechanism's depth */
	bool exact; /* reconv_distance has fixed the cycle of the next issue: a redirect adds nothing to it */
	struct WarpWatch *watch;       /* livelock detection, or NULL */
	uint32_t *stood;               /* the pc of each lane when the watch began, or NULL */
	Spans spans;
	/* the instruction that it cannot issue because of its wake_why; NO_PC: its first split's, if it has
	   one */
	uint32_t waits_at;

	Partings *partings;            /* sim/machine/partings.h */
	Group *group;                  /* the group that issued last. It matches no split: not known */
};

/* Which instruction of which warp: stays valid when the warp has ended and another one has its slot. */
/* warp: its index in the block */
typedef struct Origin { const Grid *grid; uint64_t block; uint32_t warp, pc; } Origin;

typedef struct Deferred {           /* an access to global memory, whose data move at the end of the window */
	Cycle cycle;
	Warp *warp;
	/* NULL: no instruction's: a split waits for it (instruction fetch, the mechanism's traffic) */
	const MIns *ins;
	uint32_t event;                /* what that split waits for */
	/* index in Sm.origins, of a change that other threads may wait for (MIns.sync), or of what is noted
	   in `races` */
	uint32_t origin;
	struct RaceLog *races;         /* the launch's (isa/races.h), or NULL */
	Mask mask;                     /* lanes whose data move; 0: all data have moved already */
	/* lanes of the access. Some lanes of a vprintf may read shared memory, of which `data` keeps a
	   copy */
	Mask lanes;
	/* the one allocation that all these lanes access; NULL: there are several, or an address is not
	   aligned */
	const Alloc *all_in;
	bool data_only;           /* the load/store unit's queue accounts for its time: here only data move */
	uint32_t data;          /* offset into Sm.data: values of stores and atomic operations, or the copy */
	uint32_t addr;                 /* offset into Sm.data: addresses by lane */
	MemTicket *ticket;             /* NULL: this is another home's part of the access before */
} Deferred;

/* A copy of a functional unit: when it takes the next instruction, and the scheduler whose instruction it
   took last. */
typedef struct Copy { Cycle free; uint8_t taker; } Copy;
typedef struct Copies {
	Copy *copy;
	/* instructions a warp, in ONE_EACH, that the scheduler has had of their unit; beside it, in order,
	   those of others */
	uint64_t *had;
	int n;
} Copies;

enum { ONE_EACH = 1 << 16 };        /* what Copies.had counts when each warp of a scheduler has issued once */

typedef struct Sched {
	/* copies that its instructions may take: its own, the SM's, or some of another unit's */
	Copies unit[UNIT_COUNT];
	int *order;                    /* warp slots, oldest first */
	Cycle *wake;              /* by place in order: a cycle before which no split of the warp can issue */
	uint8_t *wake_why;             /* by place in order: the Stall until `wake` */
	int n;
	uint32_t share;  /* ONE_EACH / n: a scheduler with more warps has more of a unit for the same count */
	int last;                      /* slot that issued last, -1 */
	uint8_t index;
	/* schedulers, a bit each, before which it goes from now on: they have what one of its warps has
	   wanted in vain in this cycle */
	uint8_t behind;
	Cycle sleep;                   /* no warp can issue before; 0: something may have changed */
	/* the counter of cycles until `sleep`: for the warp nearest to an issue and its reason, or for no
	   warp */
	uint64_t *idle;
	uint8_t why;            /* the Stall for which `idle` counts; STALL_COUNT: the scheduler has issued */
	Share *of;                     /* the grid that `idle` belongs to; NULL: none */
	int *active; int nactive;      /* the active set of the two-level policy */
} Sched;
/* Issues from the first warp of the scheduler that can, in the order of its policy; false: none can in this
   cycle. */
typedef bool SchedPick(Sm *, Sched *);

/* a thread block that becomes resident in that cycle; GRID_OPENS: the grid's barrier opens */
typedef struct Arrival { Cycle cycle; Grid *grid; uint64_t block; } Arrival;
#define GRID_OPENS (~(uint64_t)0)
typedef struct Freed { Cycle cycle; Grid *grid; } Freed;     /* a thread block that has ended in that cycle */
/* what was counted in the interval with that cycle, and in others `step` cycles behind each other; in all
   `times` of them */
typedef struct Sampled { Cycle cycle, step; uint64_t times; Interval count; } Sampled;

struct Sm {
	Gpu *gpu;
	int id;
	Cycle now;
	int nwarps, nctas;             /* slots */
	Warp *warp;
	Cta *cta;
	/* room that the dispatcher may give away; between two windows it hears of blocks that have ended
	   (freed) */
	int free_warps, free_ctas;
	int64_t free_regs, free_shared;
	Vec(Freed) freed;              /* blocks that have ended in this window */
	Vec(Arrival) arrival;  /* in the order of their cycles; the first `arrived` have been made resident */
	int arrived;
	bool lane_scoreboard;          /* registers become ready lane by lane */
	/* single, the scoreboard has one entry for all lanes, and the scheduler does not ask why a warp
	   waits */
	bool unasked;
	/* the mechanism has no say about a warp of one split: it has no hook for stalls, alarms or
	   partners */
	bool single;
	Sched *sched;
	SchedPick *pick;               /* of all its schedulers */
	uint8_t turn[8];               /* schedulers, in the order in which they are asked */
	/* in this cycle a scheduler has wanted in vain a copy that another one has (Sched.behind) */
	bool unfair;
	/* when the load/store unit makes the next access; PENDING: not known before the end of the window */
	Cycle lsu_free;
	Warp **lsu;      /* warps that wait for the unit: a ring of nwarps, lsu_n of them from lsu_first on */
	int lsu_first, lsu_n;
	Cycle until;                   /* end of the window */
	SmMem *mem;
	uint64_t issued, empty;        /* scheduler-cycles: with an issue; without a warp */
	Vec(Deferred) deferred;
	Vec(uint64_t) data;
	Vec(Origin) origins;
	Vec(MemTicket *) tickets;      /* unused ones */
	Vec(Whole *) wholes;           /* unused ones */
	const Alloc *hint;             /* allocation of the last access */
	Cycle last_progress;
	Fault fault;    /* the first fault of this SM; its cycle and grid order it among those of other SMs */
	Cycle fault_cycle;
	Grid *fault_grid;
	int nended;                    /* warps that have ended in this cycle */
	/* what splits wait for; the second is empty but while sm_settle copies from one to the other */
	Events awaited, renewed;
	uint32_t event;                /* the last one that was given a number */
	struct Writer *writers;        /* which instruction changed a word last, for diagnoses */
	Parts *parts;                  /* unused ones */
	Arena arena;                   /* of the launch */
	uint64_t issues;               /* functional runs: the trace's clock */
	Cycle sample_at;           /* the end of the interval in which it is; NEVER: there are no intervals */
	/* ends of warps less their starts, in cycles, which with `now` for each resident warp are cycles of
	   resident warps; how many the intervals so far have */
	uint64_t stay, sampled_stay;
	Vec(Sampled) sampled;          /* of this window */
	int resident;                  /* thread blocks */
};

/* the room that a slot has: the most that a warp or block of any grid needs */
typedef struct Room { int rows, preds, names; uint32_t shared; } Room;

struct Gpu {
	Config config;
	const Module *module;
	Memory *memory;
	const uint64_t *symbol_address;
	GpuOptions options;
	const ReconvModel *model;
	/* checking builds: the mechanism itself; `model` is `checked`, which calls it */
	const ReconvModel *real;
	ReconvModel checked;
	/* traces: the table that `traced` calls; `model` is `traced`, which tells the tracer too */
	const ReconvModel *untraced;
	ReconvModel traced;
	int trace_run;                 /* the run's number in the trace */
	Code **code;                   /* by function id, lowered on first use */
	MemSystem *mem;
	SmMem **smmem;
	Cycle window;                  /* the longest */
	/* the first cycle not covered by checks of the launch as a whole, which come at multiples of
	   CHECK_CYCLES */
	Cycle looked;
	Pool *pool;                    /* timed runs */

	Sm *sm;                        /* while grids run */
	Vec(Grid *) queue;         /* launches of this run of the machine, in the order of the host's calls */
	struct Waits *waits;           /* sim/gpu/waits.c; NULL: no event yet */
	int first_waiting;    /* index in queue: the cycles in which the launches before it begin are known */
	int ended_grids;
	Vec(Grid *) coming;            /* grids whose begin is known and to come */
	Vec(Grid *) running;       /* grids that have begun and not ended, in the order in which they began */
	Vec(Grid *) finished;          /* grids that have ended since this list was last read */
	Grid *next_free;              /* sim/gpu/streams.c: the waiting grid that may begin first, and when */
	Cycle next_free_at;
	Cycle next_grid;               /* no grid is known to begin before; NEVER: none is known to begin */
	/* grids whose events are not all in the trace, in the order in which they began */
	Vec(Grid *) tracing;
	Cycle *place;                  /* [launch.resident_grids]: free since then; NEVER: taken */
	Cycle last_gone;               /* the latest Grid.gone of grids that have ended */
	/* cycles in which some grid ran, without the current stretch; where that begins and ends */
	Cycle busy, busy_since, busy_until;
	bool busy_open;                /* there is a current stretch */
	/* scheduler-cycles without a warp in `busy`; the count when the current stretch began */
	uint64_t empty, empty_since;
	Room room;
	Arena arena;                   /* while grids run */
	uint64_t param_address;
	uint64_t launches;
	uint64_t written;              /* how often the host has written a launch's parameters */
	uint64_t lines;                /* lines of the instruction cache that the code lowered so far takes */
	uint64_t warm_dirtied;      /* sectors of L2 that warm-ups dirtied, less those that they wrote back */
	Cycle host;                    /* when the host may make its next call */
	Cycle ended;                   /* when all earlier launches had ended */
	Cycle begin;                   /* when SMs began to run */
	bool watching;                 /* for livelock */
	Cycle watch_since, watch_length;
	uint64_t writes;               /* functional runs: the order of changes */
	Arena *out;                    /* of statistics and diagnoses */
	const struct Diagnosis *diagnosis; /* being made */
	Cycle now;
};

/* sim/machine/check.c: from now on what the seam promises is asserted around every hook */
void gpu_check_model(Gpu *);

/* sim/machine/homes.c: splits whose lanes have several homes */
#define each_part(S, P) for (const Part *P = (S)->parts->part; P < (S)->parts->part + (S)->parts->n; P++)
/* true: the split, at a barrier or warp-level operation, has become one for each home */
bool homes_scatter(Sm *, Warp *, Split *);
/* the predicate's values in the split's lanes, each read in its home */
Mask homes_truth(const Split *, uint32_t pred);
Warp *homes_of(const Split *, int lane);
const Split *homes_split(const Warp *, int lane); /* the split that has the lane; NULL: none */
Mask homes_in(const Warp *, unsigned states); /* the warp's lanes in splits of these states, a bit for each */
void warp_end_check(Sm *, Warp *);    /* begins the warp's end if no lane is left in it and it carries none */
/* Lanes for which the predicate holds, or with neg does not. NO_ROW: the constant true. Bits outside the
   split mean nothing. */
static inline Mask split_holds(const Warp *w, const Split *s, uint32_t pred, bool neg)
{
	Mask m = pred == NO_ROW ? ~(Mask)0 : s->parts ? homes_truth(s, pred) : w->lanes.pred[pred];
	return neg ? ~m : m;
}
static inline Warp *split_home(Warp *w, const Split *s, int lane) { return s->parts ? homes_of(s, lane) : w; }

/* The split's next issue waits for the ticket (freed by sm_settle). */
void sm_wait(Sm *, Warp *, Split *, MemTicket *, Stall);
uint32_t sm_new_event(Sm *, Split *, Stall);   /* the split waits for it; events_tell says when it comes */
MemTicket *sm_ticket(Sm *);
void sm_fault_memory(Sm *, Warp *, const MIns *, FaultKind, int lane, Space, uint64_t addr, unsigned size);
void sm_fault(Sm *, Warp *, const MIns *, FaultKind, int lane, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));
/* fmt: what is wrong; the message has the place before it. */
void sm_trace(Sm *, const Warp *, const Split *, TraceKind, Mask, uint64_t a, uint64_t b);
void sm_trace_block(Sm *, const Cta *, TraceKind, uint64_t b);
/* Something has happened to the warp: its scheduler tries it again. */
static inline void warp_wake(const Warp *w)
{
	w->sched->wake[w->place] = 0;
	w->sched->sleep = 0;
}
/* the lanes m of a name become ready at another time than its others */
void scoreboard_mix(Warp *, int name, Mask, Cycle);
/* The instruction's results are ready at `ready` in lanes m. load: they come from memory. */
static inline void scoreboard_write(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready, bool load)
{
	Cycle v = ready << 1 | load;
	const uint16_t *wr = i->sb + i->nchk - i->nwr;
	bool all = !sm->lane_scoreboard || !(w->live & ~m);
	for (int k = 0; k < i->nwr && (all || m); k++) {
		if (!all) {
			scoreboard_mix(w, wr[k], m, v);
			continue;
		}
		w->ready[wr[k]] = v;
		if (w->mixed)
			w->mixed[wr[k]] = false;
	}
}
/* What the lanes m load is known to be there at `ready`: the warp, which may end before, keeps its slot so
   long. */
static inline void write_loaded(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready)
{
	scoreboard_write(sm, w, i, m, ready, true);
	if (m && comes_back(i) && ready > w->drain)
		w->drain = ready;
}
static inline Cycle scoreboard_read(const Warp *w, int name, int lane)
{
	return w->mixed && w->mixed[name] ? w->lane_ready[name * w->lanes.width + lane] : w->ready[name];
}
/* One access of an instruction is done at *ready. True: all are, and *ready is when the last one is. */
static inline bool whole_ready(Sm *sm, MemTicket *t, Cycle *ready)
{
	Whole *all = t->whole;
	if (!all)
		return true;
	t->whole = NULL;
	if (all->ready < *ready)
		all->ready = *ready;
	*ready = all->ready;
	if (--all->parts)
		return false;
	vec_push(&sm->wholes, all);
	return true;
}
/* The mechanism's state has changed: the statistics take in its depth. */
static inline void note_depth(Sm *sm, Warp *w)
{
	int d = sm->gpu->model->depth(w);
	w->stack_depth = (uint32_t)d;
	if ((uint64_t)d > w->share->stats.max_depth)
		w->share->stats.max_depth = (uint64_t)d;
}
static inline const Launch *launch_of(const Warp *w) { return w->share->grid->launch; }
static inline Origin origin_of(const Warp *w, const MIns *i)
{
	return (Origin){ w->share->grid, w->cta->number, (uint32_t)w->index, (uint32_t)(i - w->ins) };
}
static inline const Code *code_of(const Warp *w) { return w->share->grid->code; }

/* ---- traces: sim/machine/tracer.c ---- */
static inline bool tracing(const Sm *sm) { return sm->gpu->options.trace != NULL; }
void tracer_wrap(Gpu *);         /* every call of a hook of the mechanism is told to the tracer from now on */
void tracer_open(const Sm *, Share *);
void tracer_close(Share *);
void tracer_event(Share *, const Warp *, const TraceEvent *); /* w: the warp that has changed; NULL: none */
/* Called when the cycle's issues have been made: writes events for what has changed in each grid's warps and
   for schedulers that stand still. */
void tracer_cycle(Sm *);
/* Lanes of the warp have the instruction's data at `then`. Timed runs. */
void tracer_return(Sm *, const Warp *, const MIns *, Mask, Cycle issued, Cycle then);
/* Events before `end` that were known in advance take their places in the share's events. */
void tracer_merge(Share *, Cycle end);
extern void (*tracer_watch)(Sm *);     /* called after every tracer_cycle; for tests, else NULL */
/* The rows that show the warp's state now. Valid until the next call. */
const TraceRowVec *tracer_rows(Sm *, const Warp *);

static inline int warp_width(const Gpu *g) { return (int)g->config.warp_size; }
/* of a block */
static inline uint64_t threads_of(const Launch *l)
{
	return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}
#endif
