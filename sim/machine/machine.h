/* The machine's state: GPU, SMs, thread blocks, warps; and what is done to it wherever it is advanced: records of events and faults,
   the services that mechanisms use (sim/reconv/core.h).

   sim/machine/ sees mechanisms as the table that the seam describes; it does not see what advances the machine. */
#ifndef GSIM_MACHINE_H
#define GSIM_MACHINE_H
#include "sim/gsim.h"
#include "sim/machine/partings.h"
#include "sim/mem/mem.h"
#include "sim/reconv/core.h"
#include "traces/state.h"

typedef struct Sm Sm;
typedef struct Cta Cta;
typedef struct Pool Pool;
typedef struct Grid Grid;

#define PENDING ((Cycle)1 << 62)       /* a time that mem_drain will tell */
#define NEVER (~(Cycle)0)

typedef struct Barrier {
	uint32_t arrived, expected;    /* threads; expected 0 = nobody is there */
	uint32_t count_true;           /* bar.red */
} Barrier;

/* What an SM has of a grid. */
typedef struct Share {
	Grid *grid;
	LaunchStats stats;             /* of its warps and their accesses, besides what the following count */
	InsCount *count;               /* by pc; these four are NULL until the SM has a block of it */
	PartCount *parted;             /* by pc */
	BranchCount *branch;           /* by Code branch */
	uint64_t *stalls;              /* scheduler-cycles: [pc * STALL_COUNT + reason]; the last row: of no instruction */
	uint64_t active_lanes[2][65];  /* issues by number of lanes: of the module's instructions; of what was added */
	NobodyCount nobody[2];         /* the same two */
	void *model_state;             /* the mechanism's */
	int resident;                  /* thread blocks */
	Vec(TraceEvent) events;        /* of this window */
	struct Tracer *tracer;         /* NULL: no trace */
} Share;

/* A launch on the machine. Its blocks refer to it through the shares of their SMs. */
struct Grid {
	const Launch *launch;
	LaunchStats *stats;            /* what it measured, once it has ended */
	const Code *code;
	uint64_t number;               /* of the launch in the run, from 1 */
	int stream;
	Grid *after[2];                /* of a stream: the grids called before that it waits for, or NULL */
	Cycle *place;                  /* among resident grids: free again from its end on */
	uint64_t ctas, next_cta, left; /* blocks; the next to be given a place; those that have not ended */
	int warps_per_cta;
	int64_t regs_per_warp, shared_per_cta;
	uint64_t param_base;           /* what caches see: the host writes the parameters of each launch to a place of its own */
	Patience patience;             /* the mechanism's, for this kernel */
	Cycle called, begin;           /* by the host; its first block. NEVER: not known yet */
	Cycle end, gone;               /* of what is measured; and of all that it has sent, which others wait for. NEVER: not known yet */
	Cycle last;                    /* behind the last cycle of its blocks that have ended */
	bool begun, completed;
	bool alone;                    /* no other ran beside it */
	uint64_t empty;                /* scheduler-cycles without a warp until it began; then, of one that ran alone, while it ran */
	struct Diagnosis *diagnosis;   /* or NULL */
	bool in_trace, traced;         /* it stands there; with all its events */
	Vec(TraceEvent) kept;          /* events that come later: an earlier grid's are not complete */
	Arena arena;                   /* until it has ended */
	Share *share;                  /* [SM] */
};

struct Cta {                           /* a resident thread block */
	Share *share;
	uint32_t id[3];
	uint64_t number;               /* linear block id */
	int warps, warps_left;
	uint32_t threads, live;        /* threads not ended */
	uint8_t *shared;
	uint32_t shared_bytes;
	void *model_state;             /* the mechanism's */
	Barrier barrier[BARRIERS];
	bool used;
};

typedef struct Spans { uint64_t n, branches; Cycle since; } Spans; /* times in which a turn ends (Patience): n since the watch began */

/* A generic instruction whose lanes go to several spaces is an access for each. Where registers become ready for all lanes at once, that is when the
   last part is there. */
typedef struct Whole { int parts; Cycle ready; } Whole;  /* parts that are to come; the latest of the others */
typedef struct LsuAccess {             /* has been issued and waits for its turn at the load/store unit */
	Access access;
	const MIns *ins;
	MemTicket *ticket;
	uint32_t wait;                 /* Split.wait of the split that waits for it; 0: none */
	int nparts;
	Part *part;                    /* its homes */
	uint64_t addr[64];
} LsuAccess;
typedef struct LsuPlace { LsuAccess *access; int n, made; } LsuPlace; /* a warp's in the queue: the first `made` have been made; n = 0: it has none */

struct Warp {
	Lanes lanes;
	const MIns *ins;               /* of its code */
	Share *share;
	Mask live;
	int nsplit;
	Split *split;
	void *state;                   /* the mechanism's */

	bool used, ending;             /* ending: no lane left; its accesses may be outstanding */
	bool ended;                    /* ... and they are complete: the slot is free at the end of the cycle */
	int outstanding;               /* deferred loads and atomic operations: a store holds nothing of its warp */
	int queued;                    /* accesses of its lanes that wait for the load/store unit */
	LsuPlace lsu;
	Cycle drain;                   /* when the last known load or atomic completes */

	Sm *sm;
	Cta *cta;
	int slot, index;               /* slot in the SM; index in the block */
	struct Sched *sched;           /* its scheduler */
	int place;                     /* in the scheduler's order */
	/* Scoreboard, by name: registers, then predicates. A time << 1, and 1 for a load. mixed: lanes differ, and ready is no earlier than the
	   latest; only where registers become ready lane by lane (else mixed is NULL). */
	Cycle *ready, *lane_ready;     /* [name], [name * width + lane] */
	uint8_t *mixed;                /* [name] */
	uint32_t *tid[3];              /* by lane */
	uint32_t *sp;                  /* local stack pointer by lane */
	uint32_t *depth;               /* call depth by lane */
	uint32_t *ret;                 /* return addresses and frames: [(depth * 2 + {0,1}) * width + lane] */
	uint32_t ret_cap;
	uint32_t *local;               /* local memory: [word * width + lane] (sim/exec/local.c) */
	uint64_t local_cap;            /* bytes of each lane that have been touched, rounded up */
	uint32_t turns;                /* Split.turn given out */
	uint8_t take_turns;            /* TURNS_... */
	int last;                      /* place of the split that issued last */
	Cycle alarm;                   /* NO_ALARM = none */
	uint32_t stack_depth;          /* the mechanism's depth */
	bool exact;                    /* reconv_distance has fixed the next issue: no redirect on top */
	struct WarpWatch *watch;       /* livelock detection, or NULL */
	uint32_t *stood;               /* ... where each lane was when the watch began, or NULL */
	Spans spans;
	uint32_t waits_at;             /* pc of the instruction that it cannot issue, for the scheduler's wake_why; NO_PC: where its first split is, if it has one */

	Partings *partings;            /* sim/machine/partings.h */
	Group *group;                  /* the one that issued last; one that matches no split: unknown */
};

/* Of an instruction that a warp has issued: a warp that has ended leaves its place to another one. */
typedef struct Origin { const Grid *grid; uint64_t block; uint32_t warp, pc; } Origin; /* warp: of the block */

typedef struct Deferred {              /* a global access whose data move at the end of the window */
	Cycle cycle;
	Warp *warp;
	const MIns *ins;               /* NULL: a split waits (instruction fetch, the mechanism's traffic) */
	uint32_t wait;                 /* Split.wait of that split */
	uint32_t origin;               /* in Sm.origins; of changes that others may wait for (MIns.sync) */
	Mask mask;                     /* lanes whose data move; 0: they have moved already */
	Mask lanes;                    /* lanes of the access; a vprintf's: some may read shared memory, of which a copy is kept */
	const Alloc *all_in;           /* the allocation in which all these lanes access; NULL: several, or not aligned */
	bool data_only;                /* its time is another's affair */
	uint32_t data;                 /* offset into Sm.data: values of stores and atomics, the copy */
	uint32_t addr;                 /* offset into Sm.data: addresses by lane */
	MemTicket *ticket;             /* NULL: another home's part of the access before */
} Deferred;

/* Of a functional unit, by copy: when it takes the next instruction, and whose instruction it took last (a scheduler). */
typedef struct Copy { Cycle free; uint8_t taker; } Copy;
typedef struct Copies { Copy *copy; int n; } Copies;

typedef struct Sched {
	Copies unit[UNIT_COUNT];       /* what its instructions may take: its own copies, the SM's, or some of another unit's */
	int *order;                    /* warp slots, oldest first */
	Cycle *wake;                   /* by place in order: no issue before, a lower bound over the warp's splits */
	uint8_t *wake_why;             /* by place in order: the Stall until then */
	int n;
	int last;                      /* slot that issued last, -1 */
	uint8_t index;
	uint8_t behind;                /* schedulers (a bit each) that have what one of its warps has wanted in vain in this cycle */
	Cycle sleep;                   /* nothing to try before; 0 when something may have changed */
	uint64_t *idle;                /* counts the cycles until then: of the warp that is nearest to an issue, by its reason; or of none */
	uint8_t why;                   /* Stall that this stands for; STALL_COUNT: it has issued */
	Share *of;                     /* of which grid; NULL: of none */
	int *active; int nactive;      /* two-level */
} Sched;

typedef struct Arrival { Cycle cycle; Grid *grid; uint64_t block; } Arrival;  /* a thread block that will be resident from that cycle on */
typedef struct Freed { Cycle cycle; Grid *grid; } Freed;                      /* one that has ended in that cycle */

struct Sm {
	Gpu *gpu;
	int id;
	Cycle now;
	int nwarps, nctas;             /* slots */
	Warp *warp;
	Cta *cta;
	int free_warps, free_ctas;     /* what the dispatcher may give away: it hears of blocks that have ended (freed) between two windows */
	int64_t free_regs, free_shared;
	Vec(Freed) freed;              /* blocks that have ended in this window */
	Vec(Arrival) arrival;          /* in the order of their cycles; the first `arrived` have been made resident */
	int arrived;
	bool lane_scoreboard;          /* registers become ready lane by lane */
	bool unasked;                  /* single, a scoreboard of warps; and its scheduler does not ask why a warp waits */
	bool single;                   /* nothing to choose for a warp of one split: the mechanism hears of no stall, alarm or partner */
	Sched *sched;
	uint8_t turn[8];               /* schedulers, in the order in which they are asked */
	bool unfair;                   /* in this cycle one has wanted in vain what another has: Sched.behind */
	Cycle lsu_free;                /* when the load/store unit makes the next access; PENDING: the end of the window tells */
	Warp **lsu;                    /* those that wait for it, a ring of nwarps: lsu_n from lsu_first on */
	int lsu_first, lsu_n;
	Cycle until;                   /* end of the window */
	SmMem *mem;
	uint64_t issued, empty;        /* scheduler-cycles: with an issue; without a warp */
	Vec(Deferred) deferred;
	Vec(uint64_t) data;
	Vec(Origin) origins;
	Vec(MemTicket *) tickets;      /* free ones */
	Vec(Whole *) wholes;           /* free ones */
	const Alloc *hint;             /* allocation of the last access */
	Cycle last_progress;
	Fault fault;                   /* first fault of this SM and its place in the order */
	Cycle fault_cycle;
	Grid *fault_grid;
	int nended;                    /* warps that have ended in this cycle */
	uint32_t waits;                /* names given to waiting splits */
	struct Writer *writers;        /* who changed words last, for diagnoses */
	Parts *parts;                  /* free ones */
	Arena arena;                   /* of the launch */
	uint64_t issues;               /* functional runs: the trace's clock */
	int resident;                  /* thread blocks */
};

typedef struct Room { int rows, preds, names; uint32_t shared; } Room; /* of slots: the most that a warp or block of the grids needs */

struct Gpu {
	Config config;
	const Module *module;
	Memory *memory;
	const uint64_t *symbol_address;
	GpuOptions options;
	const ReconvModel *model;
	const ReconvModel *real;       /* checking builds: the mechanism, of which model is `checked` */
	ReconvModel checked;
	const ReconvModel *untraced;   /* traces: the mechanism itself, of which model tells the tracer */
	ReconvModel traced;
	int trace_run;                 /* the run's number in the trace */
	Code **code;                   /* by function id, lowered on first use */
	MemSystem *mem;
	SmMem **smmem;
	Cycle window;                  /* the longest */
	Cycle looked;                  /* the first cycle that checks of the launch as a whole have not seen: they come at multiples of CHECK_CYCLES */
	Pool *pool;                    /* timed runs */

	Sm *sm;                        /* while grids run */
	Vec(Grid *) queue;             /* launches of this run of the machine, in the order of the host's calls */
	int first_waiting;             /* of them: those before have been told when they begin */
	int ended_grids;
	Vec(Grid *) coming;            /* that have been told, and have not begun */
	Vec(Grid *) running;           /* that have begun and not ended, in the order in which they began */
	Vec(Grid *) finished;          /* that have ended since the last time */
	Grid *next_free;               /* sim/gpu/streams.c: the one that is free to begin first, and when */
	Cycle next_free_at;
	Cycle next_grid;               /* nothing is known to begin before; NEVER: nothing at all */
	Vec(Grid *) tracing;           /* grids whose events are not all in the trace, in the order in which they began */
	Cycle *place;                  /* [launch.resident_grids]: free since then; NEVER: taken */
	Cycle last_gone;               /* of all grids that have ended */
	Cycle busy, busy_since, busy_until; /* cycles in which some grid ran; since when one does, and until */
	uint64_t empty, empty_since;   /* and the scheduler-cycles of them without a warp */
	Room room;
	Arena arena;                   /* while grids run */
	uint64_t param_address;
	uint64_t launches;
	uint64_t written;              /* times that the host has written a launch's parameters */
	uint64_t lines;                /* of the instruction cache that code takes */
	uint64_t warm_dirtied;         /* sectors of L2 that warm-ups dirtied, less those that they wrote back */
	Cycle host;                    /* the host may make its next call */
	Cycle ended;                   /* all launches before */
	Cycle begin;                   /* SMs run since then */
	bool watching;                 /* for livelock */
	Cycle watch_since, watch_length;
	uint64_t writes;               /* functional runs: the order of changes */
	Arena *out;                    /* of statistics and diagnoses */
	const struct Diagnosis *diagnosis; /* being made */
	Cycle now;
};

/* sim/machine/check.c: what the seam promises is asserted around every hook from now on */
void gpu_check_model(Gpu *);

/* sim/machine/homes.c: splits whose lanes have several homes */
#define each_part(S, P) for (const Part *P = (S)->parts->part; P < (S)->parts->part + (S)->parts->n; P++)
bool homes_scatter(Sm *, Warp *, Split *);     /* it stands at a barrier or warp-level operation: into splits of its homes */
Mask homes_truth(const Split *, uint32_t pred); /* of its lanes, each in its home */
Warp *homes_of(const Split *, int lane);
const Split *homes_split(const Warp *, int lane); /* where the lane is; NULL: in none */
Mask homes_in(const Warp *, unsigned states);  /* the warp's lanes in splits of these states, a bit for each */
void warp_end_check(Sm *, Warp *);             /* no lane left and none carried: the warp is ending */
/* Lanes for which the predicate holds, or with neg does not. NO_ROW: the constant true. Bits outside the split mean nothing. */
static inline Mask split_holds(const Warp *w, const Split *s, uint32_t pred, bool neg)
{
	Mask m = pred == NO_ROW ? ~(Mask)0 : s->parts ? homes_truth(s, pred) : w->lanes.pred[pred];
	return neg ? ~m : m;
}
static inline Warp *split_home(Warp *w, const Split *s, int lane) { return s->parts ? homes_of(s, lane) : w; }

/* The split's next issue waits for the ticket (freed by sm_settle). */
void sm_wait(Sm *, Warp *, Split *, MemTicket *, Stall);
uint32_t sm_name_wait(Sm *);                   /* for Split.wait */
MemTicket *sm_ticket(Sm *);
void sm_fault_memory(Sm *, Warp *, const MIns *, FaultKind, int lane, Space, uint64_t addr, unsigned size);
void sm_fault(Sm *, Warp *, const MIns *, FaultKind, int lane, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* A fault other than of an access: what the text says, after the place. */
void sm_trace(Sm *, const Warp *, const Split *, TraceKind, Mask, uint64_t a, uint64_t b);
void sm_trace_block(Sm *, const Cta *, TraceKind, uint64_t b);
/* Something has happened to the warp: its scheduler looks at it again. */
static inline void warp_wake(const Warp *w)
{
	w->sched->wake[w->place] = 0;
	w->sched->sleep = 0;
}
void scoreboard_mix(Warp *, int name, Mask, Cycle);    /* some lanes of a name get another time */
/* The instruction's results are ready then, in these lanes. load: of memory. */
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
static inline Cycle scoreboard_read(const Warp *w, int name, int lane)
{
	return w->mixed && w->mixed[name] ? w->lane_ready[name * w->lanes.width + lane] : w->ready[name];
}
/* One part of an instruction is ready at *ready. True: so is the whole, at *ready. */
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
/* The mechanism's state has changed: its depth, for the statistics. */
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
void tracer_wrap(Gpu *);               /* the mechanism's hooks tell when they have been called */
void tracer_open(const Sm *, Share *);
void tracer_close(Share *);
void tracer_event(Share *, const Warp *, const TraceEvent *); /* w: it has changed; NULL: none */
/* The cycle's issues have been made: events for what has changed in the warps, and for schedulers that stand still, for each grid as far as they are its. */
void tracer_cycle(Sm *);
/* Lanes of the warp have their data then. Timed runs. */
void tracer_return(Sm *, const Warp *, const MIns *, Mask, Cycle issued, Cycle then);
/* Events of before that cycle that were known in advance take their places in the share's events. */
void tracer_merge(Share *, Cycle end);
extern void (*tracer_watch)(Sm *);     /* called behind every tracer_cycle; for tests, else NULL */
/* The rows that show the warp now, as the last tracer_cycle had them or would have. Valid until the next call. */
const TraceRowVec *tracer_rows(Sm *, const Warp *);

static inline int warp_width(const Gpu *g) { return (int)g->config.warp_size; }
static inline uint64_t threads_of(const Launch *l) { return (uint64_t)l->block[0] * l->block[1] * l->block[2]; } /* of a block */
#endif
