/* The simulated GPU as its host sees it: launches, one or several in streams, and what was measured of them.
 *
 *   Diag diag = {0};
 *   Module *m = module_read("kernel.ir", &diag);            isa/ir.h
 *   pipeline_run(m, "linearize,dce", NULL, &diag);    passes/pass.h
 *   Config c; config_load(&c, "kepler.lua", &diag);         sim/config/config.h
 *   Gpu *g = gpu_new(&c, m, memory, addresses, &options, &diag);
 *   gpu_launch(g, &launch, &arena, &stats, &fault);         below
 */
#ifndef GSIM_LAUNCHER_H
#define GSIM_LAUNCHER_H
#include "isa/launch.h"
#include "passes/pass.h"
#include "sim/record/intervals.h"
#include "sim/record/stats.h"
#include "traces/trace.h"
#include <signal.h>

typedef struct Gpu Gpu;

typedef struct GpuOptions {
	bool functional;                       /* results and divergence statistics, no timing */
	int threads;                           /* host threads; 0 = 1. Results do not depend on it. */
	/* timed runs: cycles between two exchanges of the SMs, at most; 0 = as many as there may be. Results
	   do not depend on it. */
	uint64_t window;
	/* timed runs, for tests: schedulers try every warp that may be ready, split by split, though it is
	   known of some that they cannot issue. Results do not depend on it. */
	bool try_all;
	/* timed runs: parts of a launch are timed until its cycles are known within this share of them,
	   with a probability of 95 %; 0: all of it is timed */
	double sample;
	uint64_t sample_seed;          /* chooses what is timed */
	TraceWriter *trace;                    /* NULL: none */
	Intervals *intervals;    /* timed runs: figures over time are added here; NULL: they are not wanted */
	/* for the trace: the machine file, what -D and -m change of it as config_changes writes it, and what
	   was done to the module; any may be NULL */
	const char *machine, *changed, *passes;
	/* set by a signal handler: the launch ends early, completed = false; may be NULL */
	volatile sig_atomic_t *interrupted;
	int turn; /* functional runs: instructions that a warp issues before another has its turn; 0 = 2000 */
	/* functional runs: a launch is given up (FAULT_LIMIT) when so many instructions have been issued,
	   looked at once in a turn of an SM's warps; counts down over the launches. NULL: no bound */
	uint64_t *issues_left;
	/* what each instruction did is added to these (sim/record/instructions.h). NULL: it is not kept */
	struct InsTables *instructions;
	/* now and then; may be NULL */
	void (*progress)(void *self, uint64_t cycles, uint64_t warp_instructions);
	void *self;
} GpuOptions;

/* NULL with errors in diag when the machine cannot run the module. */
Gpu *gpu_new(const Config *, const Module *, Memory *, const uint64_t *symbol_address, const GpuOptions *,
	Diag *);
void gpu_free(Gpu *);
/* Why the machine cannot take this launch (block too large, too much shared memory, ...), or NULL. Static
   buffer. */
const char *gpu_refuses(const Config *, const Launch *);
/* The host calls for a launch in a stream: 0 is the default stream, which waits for what was called before
   and for which waits what is called later. It runs in the next gpu_sync: until then launch and stats must
   stay. false: the machine cannot take it, fault says why. */
bool gpu_queue(Gpu *, const Launch *, int stream, Arena *, LaunchStats *, Fault *);
/* Event: 0 to EVENT_LIMIT - 1. It comes when what has been queued in the stream so far has ended (stream 0:
   in any); launches queued in a stream from now on wait for an event as it stands now. */
void gpu_record(Gpu *, int event, int stream);
void gpu_wait(Gpu *, int stream, int event);
/* Runs all that has been called for to its end. false: a fault (stats hold what was measured until then,
   *failed is whose fault it is, or NULL) or interrupted (fault->kind is FAULT_NONE); launches that had not
   begun then have no kernel in their stats. Arrays and names in stats live in the arena. */
bool gpu_sync(Gpu *, Arena *, const LaunchStats **failed, Fault *);
bool gpu_launch(Gpu *, const Launch *, Arena *, LaunchStats *, Fault *); /* the two for one launch */
/* Of all launches so far: cycles in which one ran at least, and the scheduler-cycles of them, with those
   without a warp. */
void gpu_busy(const Gpu *, Totals *);
/* Sectors that warm-ups (launch.warm), which no statistics have, dirtied more than they wrote back; modulo
   2^64. */
uint64_t gpu_warm_dirtied(const Gpu *);
/* All caches become empty, between two launches; what is dirty leaves in no time. */
void gpu_flush(Gpu *);

/* Machine code as text, one instruction a line, with addresses and tokens: what the mechanism made of the
   kernel. Nothing, with errors in diag, when it cannot be lowered. */
void gpu_disassemble(const Gpu *, const Function *kernel, struct StrBuf *, Diag *);
#endif
