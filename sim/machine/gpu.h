/* The GPU: SMs, the memory system, the launches that wait, run and have ended. Members are grouped by the
   code that writes them. */
#ifndef GSIM_MACHINE_GPU_H
#define GSIM_MACHINE_GPU_H
#include "sim/machine/sm.h"

typedef struct Pool Pool;
typedef Vec(int) IntVec;

/* the room that a slot has: the most that a warp or block of any grid so far needs; many_splits: lanes may
   part */
typedef struct Room { int rows, preds, names; uint32_t shared; bool many_splits; } Room;

/* Runs the statement behind it for each SM that has had a block since grids began to run, or that has
   something to do; X: a pointer to the SM. In ascending order of their numbers. */
#define each_of_sms(G, LIST, X) \
	for (int at_##X = 0; at_##X < (G)->LIST.n; at_##X++) \
		for (Sm *X = &(G)->sm[(G)->LIST.v[at_##X]]; X; X = NULL)
#define each_made_sm(G, X) each_of_sms(G, made, X)
#define each_active_sm(G, X) each_of_sms(G, active, X)

struct Gpu {
	/* Set when the machine is made (sim/gpu/gpu.c). */
	Config config;                 /* classes of units have what they take from their units */
	char hash[CONFIG_HASH];        /* of the configuration as it was given */
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
	SmMem **smmem;                 /* by SM; NULL: it has had no block */
	SmMem **draining;              /* those of the SMs that have something to do */
	/* functional runs: accesses to global memory leave in L2 what they would leave in a timed run */
	bool touches;
	Cycle window;                  /* the longest window, in cycles */
	Pool *pool;                    /* the host threads of timed runs */
	Arena *out;                    /* memory for statistics and diagnoses */

	/* Written when the host calls (sim/gpu/gpu.c, streams.c, waits.c). */
	Vec(Grid *) queue;         /* launches of this run of the machine, in the order of the host's calls */
	int first_waiting;    /* index in queue: the cycles in which the launches before it begin are known */
	int ended_grids;
	struct StreamWaits *waits; /* what streams wait for (sim/gpu/waits.c); NULL: no event so far */
	Grid *next_free;              /* sim/gpu/streams.c: the waiting grid that may begin first, and when */
	Cycle next_free_at;
	/* [launch.resident_grids]: since which cycle a grid may take the place; NEVER: a grid has it */
	Cycle *place;
	uint64_t launches;
	uint64_t written;              /* how often the host has written a launch's parameters */
	Cycle host;                    /* when the host may make its next call */
	Cycle ended;                   /* when all earlier launches had ended */

	/* Written while grids run (sim/gpu/run.c). */
	Sm *sm;
	/* numbers of the SMs that have had a block since grids began to run, and of those of them that have
	   something to do, both in ascending order. All other SMs are zeros and are left alone. */
	IntVec made, active;
	Cycle last_begin;              /* when the latest grid began: that is progress, too */
	struct Order *order;           /* of what SMs did in a window (sim/gpu/order.h) */
	const struct Latencies *latencies; /* of all SMs (sim/machine/scoreboard.h) */
	Room room;
	Arena arena;
	uint32_t no_calls[64];         /* zeros */
	Cycle now;
	Cycle begin;                   /* when SMs began to run */
	Vec(Grid *) coming;            /* grids that have not begun, but whose cycle of begin is known */
	Vec(Grid *) running;       /* grids that have begun and not ended, in the order in which they began */
	Vec(Grid *) finished;          /* grids that have ended since this list was last read */
	Cycle next_grid; /* the first cycle in which a grid may begin; NEVER: none is known to begin */
	/* grids whose events are not all in the trace, in the order in which they began */
	Vec(Grid *) tracing;
	/* functional runs: how many changes writer_note has recorded; the count stands for their time */
	uint64_t writes;

	/* Totals of grids that have ended (sim/gpu/gather.c). */
	Cycle last_gone;               /* the latest Grid.gone of grids that have ended */
	/* busy: cycles in which some grid ran, without those of the current stretch, which goes from
	   busy_since to busy_until */
	Cycle busy, busy_since, busy_until;
	bool busy_open;                /* a stretch has begun and is not closed yet */
	/* empty: scheduler-cycles without a warp in the cycles of `busy`; empty_since: the SMs' count of
	   scheduler-cycles without a warp when the current stretch began */
	uint64_t empty, empty_since;
	bool *had_block;               /* by SM: it has had a block of some grid */
	uint64_t warm_dirtied;      /* sectors of L2 that warm-ups dirtied, less those that they wrote back */

	/* Written by checks of the machine as a whole (sim/stuck/). */
	/* the first cycle that the checks have not covered; they come at multiples of CHECK_CYCLES */
	Cycle looked;
	bool watching;                 /* lanes are watched for livelock */
	Cycle watch_since, watch_length;
	const struct Diagnosis *diagnosis; /* the diagnosis that is being made, or NULL */
};
#endif
