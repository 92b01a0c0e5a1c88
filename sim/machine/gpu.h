/* The GPU: SMs, the memory system, the launches that wait, run and have ended. Members stand by who writes
   them. */
#ifndef GSIM_MACHINE_GPU_H
#define GSIM_MACHINE_GPU_H
#include "sim/machine/sm.h"

typedef struct Pool Pool;

/* the room that a slot has: the most that a warp or block of any grid needs */
typedef struct Room { int rows, preds, names; uint32_t shared; } Room;

struct Gpu {
	/* Set when the machine is made (sim/gpu/gpu.c). */
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
	uint64_t lines;                /* lines of the instruction cache that the code lowered so far takes */
	uint64_t param_address;
	MemSystem *mem;
	SmMem **smmem;
	Cycle window;                  /* the longest */
	Pool *pool;                    /* timed runs */
	Arena *out;                    /* of statistics and diagnoses */

	/* The host's calls (sim/gpu/gpu.c, streams.c, waits.c). */
	Vec(Grid *) queue;         /* launches of this run of the machine, in the order of the host's calls */
	int first_waiting;    /* index in queue: the cycles in which the launches before it begin are known */
	int ended_grids;
	struct Waits *waits;           /* sim/gpu/waits.c; NULL: no event yet */
	Grid *next_free;              /* sim/gpu/streams.c: the waiting grid that may begin first, and when */
	Cycle next_free_at;
	Cycle *place;                  /* [launch.resident_grids]: free since then; NEVER: taken */
	uint64_t launches;
	uint64_t written;              /* how often the host has written a launch's parameters */
	Cycle host;                    /* when the host may make its next call */
	Cycle ended;                   /* when all earlier launches had ended */

	/* While grids run (sim/gpu/run.c). */
	Sm *sm;
	Room room;
	Arena arena;
	Cycle now;
	Cycle begin;                   /* when SMs began to run */
	Vec(Grid *) coming;            /* grids whose begin is known and to come */
	Vec(Grid *) running;       /* grids that have begun and not ended, in the order in which they began */
	Vec(Grid *) finished;          /* grids that have ended since this list was last read */
	Cycle next_grid;               /* no grid is known to begin before; NEVER: none is known to begin */
	/* grids whose events are not all in the trace, in the order in which they began */
	Vec(Grid *) tracing;
	uint64_t writes;               /* functional runs: the order of changes */

	/* Totals of grids that have ended (sim/gpu/gather.c). */
	Cycle last_gone;               /* the latest Grid.gone */
	/* cycles in which some grid ran, without the current stretch; where that begins and ends */
	Cycle busy, busy_since, busy_until;
	bool busy_open;                /* there is a current stretch */
	/* scheduler-cycles without a warp in `busy`; the count when the current stretch began */
	uint64_t empty, empty_since;
	uint64_t warm_dirtied;      /* sectors of L2 that warm-ups dirtied, less those that they wrote back */

	/* Checks of the launch as a whole (sim/stuck/). */
	/* the first cycle not covered by them; they come at multiples of CHECK_CYCLES */
	Cycle looked;
	bool watching;                 /* for livelock */
	Cycle watch_since, watch_length;
	const struct Diagnosis *diagnosis; /* being made */
};
#endif
