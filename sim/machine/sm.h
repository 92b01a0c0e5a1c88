/* An SM: its schedulers, its slots for warps and thread blocks, and what waits for the end of a window.
   Members are grouped by the code that writes them. */
#ifndef GSIM_MACHINE_SM_H
#define GSIM_MACHINE_SM_H
#include "sim/machine/warp.h"

/* Names an instruction of a warp. The name stays valid when the warp has ended and another one has its
   slot. */
/* warp: its index in the block */
typedef struct WarpOrigin { const Grid *grid; uint64_t block; uint32_t warp, pc; } WarpOrigin;

typedef struct Deferred {           /* an access to global memory, whose data move at the end of the window */
	Cycle cycle;
	Warp *warp;
	/* the instruction that makes the access; NULL: none does, and a split waits for the access
	   (instruction fetch, the mechanism's traffic) */
	const MIns *ins;
	uint32_t event;                /* ins = NULL: the event for which the split waits */
	/* index in Sm.origins of who makes the access; valid where other threads may wait for the change
	   (MIns.sync), and where races are noted */
	uint32_t origin;
	struct RaceLog *races; /* the launch's log of races (isa/races.h); NULL: races are not noted */
	Mask mask;                     /* lanes whose data move; 0: all data have moved already */
	/* lanes of the access. For a vprintf: not 0 if a lane may read shared memory, of which `data` keeps a
	   copy */
	Mask lanes;
	/* the one allocation that all lanes of `mask` access; NULL: they access several, or an address is not
	   aligned */
	const Alloc *all_in;
	/* only the data of this access move here: it waits in the load/store unit's queue, which tells its
	   times */
	bool data_only;
	bool stored_row;               /* `data` has the register's row that is stored, as it is */
	bool row;                      /* lane l accesses first + l * step; else the addresses are listed */
	uint32_t data;          /* offset into Sm.data: values of stores and atomic operations, or the copy */
	uint32_t addr;                 /* offset into Sm.data: addresses by lane, unless they are a row */
	uint64_t first, step;
	/* NULL: the lanes are those of a further home of the access in the entry before, whose ticket counts
	   here, too */
	MemTicket *ticket;
} Deferred;

/* A copy of a functional unit: when it takes the next instruction, and the scheduler whose instruction it
   took last. */
typedef struct UnitCopy { Cycle free; uint8_t taker; } UnitCopy;
typedef struct UnitCopies {
	UnitCopy *copy;
	/* how much the scheduler has had of the unit: grows by ONE_EACH when each of its warps has issued one
	   instruction to the unit. The counts of the other schedulers lie beside it, in the schedulers'
	   order */
	uint64_t *had;
	Cycle interval;                /* cycles for which an instruction takes a copy */
	int n;
} UnitCopies;

/* by how much UnitCopies.had grows when each warp of a scheduler has issued once */
enum { ONE_EACH = 1 << 16 };

/* Scheduler-cycles without an issue because lanes waited for data of an instruction, while they are not
   counted in Share.stalls. share: of the warp, NULL: there is nothing; pc: the row; known: the level is. */
typedef struct Waited {
	uint64_t cycles;
	Cycle last;                    /* the latest entry of the scoreboard that is known so far */
	Share *share;
	uint32_t pc;
	uint8_t level;
	bool known;
	int n;                         /* the homes of the lanes, each with those of which it is not known */
	Part *part;
	const MIns *ins;
} Waited;

typedef struct Sched {
	/* by unit: the copies that instructions of the scheduler's warps may take: its own, the SM's, or some
	   of another unit's */
	UnitCopies unit[UNIT_COUNT];
	int *order;                    /* warp slots, oldest first */
	Cycle *wake;              /* by place in order: a cycle before which no split of the warp can issue */
	uint8_t *wake_why;             /* by place in order: the Stall until `wake` */
	/* by place in order: 1 + the unit of which the warp wants a copy from `wake` on, if nothing else can
	   keep it back or change its mind then; else 0 */
	uint8_t *wanted;
	int n;
	/* ONE_EACH / n, which an issue adds to UnitCopies.had: a scheduler with more warps gets more of a
	   unit for the same count */
	uint32_t share;
	int last;                      /* the slot of the warp that issued last; -1: none */
	uint8_t index;
	/* a bit for each scheduler before which this one is asked from the next cycle on, because that one
	   has the unit that a warp of this one has wanted in vain in this cycle */
	uint8_t behind;
	/* no warp of the scheduler can issue before this cycle; 0: something may have changed, so its warps
	   are looked at */
	Cycle sleep;
	/* the counter to which cycles without an issue go until `sleep`: the one for the warp nearest to an
	   issue and its reason, or the one for cycles without a warp */
	uint64_t *idle;
	Waited waited;                 /* the scheduler waits for data from memory, or did so last */
	uint8_t why;            /* the Stall to which `idle` belongs; STALL_COUNT: the scheduler has issued */
	Share *of; /* the grid for which the scheduler has issued, or to which `idle` belongs; NULL: none */
	int *active; int nactive;      /* the active set of the two-level policy */
	/* where the turn goes on when the warp that issued last is gone: the index, in `order` and in
	   `active`, of the warp that was behind it */
	int place_left, active_left;
} Sched;
/* Issues from the first warp of the scheduler that can, in the order of its policy; false: none can in this
   cycle. */
typedef bool SchedPick(Sm *, Sched *);

/* block: the thread block that becomes resident in that cycle; GRID_OPENS: no block, the grid's barrier opens
   then */
typedef struct Arrival { Cycle cycle; Grid *grid; uint64_t block; } Arrival;
#define GRID_OPENS (~(uint64_t)0)
typedef struct Freed { Cycle cycle; Grid *grid; } Freed;     /* a thread block that has ended in that cycle */
/* `count` is what was counted in the interval in which `cycle` lies, and also in each of those that follow it
   `step` cycles apart: `times` intervals in all */
typedef struct Sampled { Cycle cycle, step; uint64_t times; Interval count; } Sampled;

struct Sm {
	/* What blocks have needed so far, kept from run to run: slots and their memory (sim/sm/slots.c). */
	Arena slots;
	int nslots;                    /* warps in `warp` */
	Warp *warp;
	Cta *cta;
	/* warps that wait for the load/store unit: a ring of nwarps, lsu_n of them from lsu_first on */
	Warp **lsu;

	/* Set for as long as grids run (sim/sm/residence.c). gpu: NULL before the SM's first block. */
	Gpu *gpu;
	int id;
	int nwarps, nctas;             /* slots that the SM has for warps and for thread blocks */
	Slots used;                    /* the slots that have a warp */
	bool lane_scoreboard;          /* registers become ready lane by lane */
	/* nothing is left out that is known to be in vain (GpuOptions.try_all) */
	bool try_all;
	/* the mechanism has no say about a warp that has one split: it has no hook for stalls, alarms or
	   partners */
	bool single;
	/* neither the mechanism nor the scheduling policy asks why a warp of one split waits */
	bool unasked;
	/* `unasked` holds, and splits issue in pairs (PairHooks) */
	bool unasked_pairs;
	/* `unasked` holds, not for pairs, and the same holds of a warp of which one split is not parked;
	   there may be a hook for alarms */
	bool unasked_among_parked;
	/* `unasked` holds, not for pairs, and no trace is recorded: issue_quick issues what it can */
	bool quick;
	/* the mechanism says for each warp at which pc it is to be told that lanes arrive */
	bool knows_meeting;
	bool all_branches;             /* the mechanism is told of branches on which lanes stay together */
	int width;                     /* instructions that a scheduler issues in a cycle, at most */
	Sched *sched;
	const struct Latencies *latencies;
	SchedPick *pick;               /* the scheduling policy of all its schedulers */
	SmMem *mem;
	Arena arena;                   /* freed when all grids have ended */

	/* Written by issues (sim/sm/run.c and what it calls). */
	Cycle now;
	Cycle until;                   /* end of the window */
	uint8_t turn[8]; /* the schedulers' numbers, in the order in which schedulers are asked */
	/* a scheduler has set Sched.behind in this cycle, so `turn` has to change */
	bool unfair;
	int nended;                    /* warps that have ended in this cycle */
	uint64_t issued, empty;        /* scheduler-cycles: `issued` with an issue, `empty` without a warp */
	uint64_t issues;               /* issues so far, overhead included */
	Cycle last_progress;
	/* when block barriers have counted all who have come: a cycle times barrier.threads_per_cycle */
	uint64_t counting;

	/* The load/store unit (sim/exec/lsu.c). */
	/* the cycle in which the unit makes the next access; PENDING: not known before the end of the
	   window */
	Cycle lsu_free;
	int lsu_first, lsu_n;

	/* What is settled at the end of a window (sim/exec/ adds, sim/sm/settle.c and sim/gpu/ take). */
	Vec(Deferred) deferred;
	Vec(uint64_t) data;
	Vec(WarpOrigin) origins;
	int applied;                   /* of `deferred`, how many have moved their data */
	/* the events for which splits wait; `renewed` is empty except while sm_settle copies from one to the
	   other */
	Events awaited, renewed;
	uint32_t event;                /* the number of the event that was made last */

	/* Objects that are not in use, kept for the next access or split that needs one. */
	Vec(MemTicket *) tickets;
	Vec(Whole *) wholes;
	Parts *parts;
	const Alloc *hint; /* the allocation that was accessed last: a search by address tries it first */

	/* Levels of memory (sim/machine/levels.c). */
	Vec(Waited) owed;              /* what schedulers have waited of which the level is not known yet */
	bool level_unknown;            /* `owed` or a scheduler has something of which it is not known */

	/* Thread blocks (sim/sm/residence.c; the dispatcher, sim/gpu/run.c). */
	int resident;
	/* room that the dispatcher may give to blocks. Between two windows `freed` tells the dispatcher which
	   blocks have ended, and it adds their room */
	int free_warps, free_ctas;
	int64_t free_regs, free_shared;
	Vec(Freed) freed;              /* blocks that have ended in this window */
	int heard;                     /* of `freed`, how many the dispatcher knows */
	Vec(Arrival) arrival;  /* in the order of their cycles; the first `arrived` have been made resident */
	int arrived;
	bool active;                   /* Gpu.active has the SM */

	/* Faults and diagnoses (sim/machine/events.c, sim/stuck/). */
	Fault fault;    /* the first fault of this SM; its cycle and grid order it among those of other SMs */
	Cycle fault_cycle;
	Grid *fault_grid;
	struct LastWriter *writers;        /* a table of the instructions that changed words last */

	/* Figures over time (sim/sm/sample.c). */
	/* the end of the interval in which the SM's clock is; NEVER: there are no intervals */
	Cycle sample_at;
	/* stay: the cycles of all warps so far, each from its start to its end; a resident warp counts with
	   minus its start, so that adding `now` for each gives the cycles so far. sampled_stay: how many of
	   them are in the intervals so far */
	uint64_t stay, sampled_stay;
	Vec(Sampled) sampled;          /* intervals that have ended in this window */
};
#endif
