/* An SM: schedulers, slots of warps and thread blocks, what is settled at the end of a window. Members stand
   by who writes them. */
#ifndef GSIM_MACHINE_SM_H
#define GSIM_MACHINE_SM_H
#include "sim/machine/warp.h"

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
	/* Set for as long as grids run (sim/sm/residence.c). */
	Gpu *gpu;
	int id;
	int nwarps, nctas;             /* slots */
	Warp *warp;
	Cta *cta;
	bool lane_scoreboard;          /* registers become ready lane by lane */
	/* the mechanism has no say about a warp of one split: it has no hook for stalls, alarms or
	   partners */
	bool single;
	/* single, the scoreboard has one entry for all lanes, and the scheduler does not ask why a warp
	   waits */
	bool unasked;
	Sched *sched;
	SchedPick *pick;               /* of all its schedulers */
	SmMem *mem;
	Arena arena;                   /* of the launch */

	/* Issue (sim/sm/run.c and what it calls). */
	Cycle now;
	Cycle until;                   /* end of the window */
	uint8_t turn[8];               /* schedulers, in the order in which they are asked */
	/* in this cycle a scheduler has wanted in vain a copy that another one has (Sched.behind) */
	bool unfair;
	int nended;                    /* warps that have ended in this cycle */
	uint64_t issued, empty;        /* scheduler-cycles: with an issue; without a warp */
	uint64_t issues;               /* functional runs: the trace's clock */
	Cycle last_progress;

	/* The load/store unit (sim/exec/lsu.c). */
	/* when it makes the next access; PENDING: not known before the end of the window */
	Cycle lsu_free;
	Warp **lsu;      /* warps that wait for the unit: a ring of nwarps, lsu_n of them from lsu_first on */
	int lsu_first, lsu_n;

	/* What is settled at the end of a window (sim/exec/ adds, sim/sm/settle.c and sim/gpu/ take). */
	Vec(Deferred) deferred;
	Vec(uint64_t) data;
	Vec(Origin) origins;
	/* what splits wait for; the second is empty but while sm_settle copies from one to the other */
	Events awaited, renewed;
	uint32_t event;                /* the last one that was given a number */

	/* Unused ones, kept for the next that needs one. */
	Vec(MemTicket *) tickets;
	Vec(Whole *) wholes;
	Parts *parts;
	const Alloc *hint;             /* allocation of the last access */

	/* Thread blocks (sim/sm/residence.c; the dispatcher, sim/gpu/run.c). */
	int resident;
	/* room that the dispatcher may give away; between two windows it hears of blocks that have ended
	   (freed) */
	int free_warps, free_ctas;
	int64_t free_regs, free_shared;
	Vec(Freed) freed;              /* blocks that have ended in this window */
	Vec(Arrival) arrival;  /* in the order of their cycles; the first `arrived` have been made resident */
	int arrived;

	/* Faults and diagnoses (sim/machine/events.c, sim/stuck/). */
	Fault fault;    /* the first fault of this SM; its cycle and grid order it among those of other SMs */
	Cycle fault_cycle;
	Grid *fault_grid;
	struct Writer *writers;        /* which instruction changed a word last */

	/* Figures over time (sim/sm/sample.c). */
	Cycle sample_at;           /* the end of the interval in which it is; NEVER: there are no intervals */
	/* ends of warps less their starts, in cycles, which with `now` for each resident warp are cycles of
	   resident warps; how many the intervals so far have */
	uint64_t stay, sampled_stay;
	Vec(Sampled) sampled;          /* of this window */
};
#endif
