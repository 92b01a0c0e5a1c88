/* Differential testing: a kernel on the reference interpreter and on simulated machines must leave the same
   memory. */
#ifndef GSIM_DIFFERENTIAL_H
#define GSIM_DIFFERENTIAL_H
#include "sim/launcher.h"
#include "tests/random/random_kernel.h"

/* One way to run a kernel. */
typedef struct Way {
	int model;                     /* index for model_keys; -1: the reference interpreter */
	const char *passes;            /* pipeline, or NULL */
	bool functional;
	const Config *config;          /* NULL: the one given besides, with the mechanism put in */
	uint64_t window;               /* both as GpuOptions has them */
	bool try_all;
} Way;

typedef struct Job {               /* a module and what it is launched with */
	const RandomKernel *shape;     /* grid, block, parameters, initial memory */
	const Module *module;
	uint32_t grid[3];
} Job;

/* REFUSED: the machine or the mechanism cannot run such a kernel */
typedef enum { RAN_WELL, RAN_REFUSED, RAN_BADLY } Ran;

typedef struct Outcome {
	Ran how;
	char text[1600];               /* why not well */
	FaultKind fault;               /* of the machine, or FAULT_NONE */
	uint8_t *out, acc[RANDOM_ACC_BYTES]; /* memory afterwards; out: shape->out_bytes */
	uint64_t thread_instructions;
	uint64_t printed;              /* over the lines, in whatever order they came */
} Outcome;

enum { REFERENCE_STEPS = 200000 };     /* instructions of a thread after which the reference gives up */

/* Little to set up for each kernel, yet two SMs, and caches and tables that run full. */
void differential_machine(Config *);

/* The job's module (transformed already) on the interpreter or the machine. */
void outcome_reference(const Job *, int warp_size, Outcome *);
/* The interpreter tells of each instruction that a thread executes. */
void outcome_watched(const Job *, int warp_size, void (*watch)(void *self, uint32_t thread, const Function *,
	const Ins *), void *self, Outcome *);
/* probe (may be NULL): a trace to write, and where the statistics go. */
typedef struct Probe { TraceWriter *trace; Arena arena; LaunchStats stats; } Probe;
void outcome_machine(const Job *, const Config *, const Way *, Probe *, Outcome *);
void outcome_free(Outcome *);

/* The kernel of a random graph (tests/random/random_text.h). */
RandomKernel *random_graph_kernel(uint64_t seed, unsigned kind);

/* A copy of the module after the pipeline; NULL with the reason in text. Passes go by the machine's costs and
   limits, without one by the default ones. */
Module *transformed_for(const Config *, const Module *, const char *passes, char *text, size_t n);
static inline Module *transformed(const Module *m, const char *passes, char *text, size_t n)
{
	return transformed_for(NULL, m, passes, text, n);
}

/* Compares with the reference: true when the same, else text says what is not. */
bool outcome_agrees(const RandomKernel *, const Outcome *want, const Outcome *got, char *text, size_t n);

/* Runs the job the given way and against the reference; false when they differ (text says how). *refused (may
   be NULL): it was refused, text says why; true is returned then. *instructions (may be NULL): thread
   instructions, which every mechanism must count alike; 0 = not known yet, is set by the first machine that
   ran. */
bool way_agrees(const Job *, const Config *, const Way *, const Outcome *want, bool *refused,
	uint64_t *instructions, char *text, size_t n);

/* STUCK: a livelock or deadlock is proven; STILL_RUNS: neither, when limits.max_cycles is over. What else may
   go wrong counts as an end. */
typedef enum WayEnd { ENDS, STUCK, STILL_RUNS } WayEnd;
WayEnd way_end(const Job *, const Config *, const Way *);

/* The smallest module found, by leaving out instructions and branches, for which way still differs from the
   reference while the interpreter and `other`, a way that agrees on the whole kernel, agree. Never NULL; the
   caller frees it. */
Module *minimized(Job *, const Config *, const Way *way, const Way *other);

/* The kernel as a text that gsim runs by itself: the data as variables, a host function. comment: lines of
   it. */
void job_print(const Job *, const char *comment, struct StrBuf *);

/* ---- differential_campaign.c: many kernels, every setting ---- */
typedef struct Setting {               /* a mechanism with its parameters, and what came of it */
	char *name;                    /* as --model takes it */
	Config config;
	uint64_t runs, refused, failed;    /* failed: kernels */
	/* campaign of kernels that wait: timed, functional, the present one does not end as it is */
	bool endless[2];
	double seconds;                /* of the host's processor */
	bool skip;                     /* for the rest of this kernel */
} Setting;

enum { REGISTERS_LEAST = 8 };          /* sm.max_registers_per_thread */

typedef struct Campaign {
	uint64_t seed, count, most_runs;   /* most_runs: no kernel begins behind so many; 0 = no limit */
	uint64_t shard, shards;        /* of the kernels number shard, shard + shards, ... */
	int size;
	Features features;
	Vec(Setting) setting;
	Vec(const char *) passes;      /* [0] is NULL when kernels run as they are, too */
	uint64_t pipelines;            /* random ones for each kernel, besides */
	bool timed, functional, minimize, arms, apart, ends;
	/* kernels whose threads wait for each other: where one ends as it is, it ends after passes at their
	   defaults */
	bool spins;
	bool windows;          /* instead of results, figures are compared: those of short and long windows */
	const char *keep;              /* folder for kernels that fail */
	/* at most for a thread; 0: the settings'; below: each kernel another number, chosen by its seed */
	int64_t registers;
	bool own_machine;              /* config was asked for: the same for all kernels */
	Config config;                 /* of the settings, but for the mechanism */

	uint64_t runs, endless, long_runs, by_chance, kernels, failed, thread_instructions;
} Campaign;

/* Runs it, prints failures and a table. False when there were failures. */
bool campaign_run(Campaign *);
RandomKernel *campaign_kernel(const Campaign *, uint64_t seed);
#endif
