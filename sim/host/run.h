/* One run of a module with its host side: its memory, buffers and launches, and the statistics of these.

   sim/host/ is the host of the simulated GPU: it sees sim/launcher.h, and not the machine behind it. */
#ifndef GSIM_RUN_H
#define GSIM_RUN_H
#include "isa/print.h"
#include "lib/hash.h"
#include "lib/interrupt.h"
#include "sim/launcher.h"
#include "sim/record/instructions.h"
#include "sim/sandbox/backstop.h"

/* also the program's exit status */
typedef enum { RUN_OK, RUN_FAILED, RUN_BAD_INPUT, RUN_INTERRUPTED } RunStatus;

typedef enum { COMPARE_EXACT, COMPARE_SET, COMPARE_TOLERANCE, COMPARE_IGNORE, COMPARE_HOWS } CompareHow;
extern const char *const compare_how_name[COMPARE_HOWS];       /* as gpu.compare takes them */

typedef struct RunBuffer {
	const char *name;              /* name for messages; for a variable of the module, its name */
	bool symbol;                   /* the buffer is a variable of the module */
	uint64_t addr, n;              /* n: elements */
	Type type;
	CompareHow how;
	/* COMPARE_TOLERANCE: how far two values may differ, as a share of the larger magnitude, or of 1 if
	   both magnitudes are smaller */
	double tolerance;
} RunBuffer;

enum { MOST_WORKLOAD = 16 << 20 };     /* bytes of a workload's text */

/* How large the workload is to be: as it is by itself (S), as one SM holds (M), as the machine holds (L), ten
   times that (XL). SIZE_NONE: no size is asked for. */
typedef enum { SIZE_NONE, SIZE_S, SIZE_M, SIZE_L, SIZE_XL, SIZES } RunSize;
extern const char *const run_size_name[SIZES];
RunSize run_size_named(const char *name);      /* SIZE_NONE: there is no size of that name */

/* What gpu.sizes has declared. */
typedef struct RunSized {
	bool declared;
	bool grows;            /* arguments follow from the size */
	bool asking;           /* the function that gives the arguments runs */
	bool failed;           /* gpu.sizes ended with an error, which the workload may have caught */
	bool late;             /* something that depends on the arguments came before the declaration */
	uint64_t threads;      /* how many the size asks for; 0: the workload's arguments are its own */
	int overridden;        /* how many arguments that were given stand in place of the size's */
	const char *reason;    /* why the workload does not fill every machine, or NULL */
} RunSized;

typedef struct RunOptions {
	GpuOptions gpu;
	/* cycles of an interval of the run's figures over time (sim/record/intervals.h); 0: no such figures
	   are kept */
	uint64_t interval;
	bool reference;                /* launches run in the reference interpreter */
	struct RealGpu *real_gpu;    /* launches run on this GPU (sim/driver/real_gpu.h); NULL: they do not */
	bool trial;                    /* files that the workload saves stay in the run's memory */
	bool laws;                     /* a broken conservation law fails the run */
	bool races;                    /* races between blocks of a launch are looked for, and fail the run */
	/* each launch is compared with the one before it in its stream: would their blocks race if both
	   launches were one? */
	bool race_launches;
	bool instructions;             /* counts of each instruction are kept (sim/record/instructions.h) */
	bool sums;                     /* reports need sums over launches only, not each launch */
	bool record;                   /* the workload's calls are recorded (sim/host/record.h) */
	/* file of the workload; NULL: the module's name with .lua, or if there is no such file the module's
	   host function main */
	const char *workload;
	const char *workload_text;     /* the workload's text, read already; NULL: the file is read */
	size_t workload_bytes;         /* length of the text; 0: it ends with a NUL */
	/* the workload's arguments; those that its size chose are added as the workload declares it */
	int nargs; char **args;
	RunSize size;
	struct StrBuf *list_sizes;     /* the workload's sizes are listed there, and it does not run */
	uint64_t lua_steps; double lua_seconds;  /* the workload's limits; 0 = the sandbox's own limits */
	FILE *print;                   /* where the workload's print writes; NULL = nowhere */
	/* folders in which the workload's files are looked for before its own folder; files are saved in the
	   first one, also in place of old ones */
	int nfolders; const char *const *folders;
	/* files that workloads of this program have saved, and may replace; NULL: this run keeps its own
	   list */
	struct FilesWritten *written;
} RunOptions;

/* How the simulated program ended under another mechanism. */
typedef enum {
	ELSEWHERE_COMPLETES, ELSEWHERE_LIVELOCK, ELSEWHERE_DEADLOCK, ELSEWHERE_FAILS, ELSEWHERE_REFUSED,
	/* the program did not end within the bounds of work (sim/host/elsewhere.c) */
	ELSEWHERE_UNDECIDED,
	ELSEWHERE_COUNT
} Elsewhere;
extern const char *const elsewhere_name[ELSEWHERE_COUNT];
/* spec: the mechanism and its parameters, as --model takes them */
typedef struct ElsewhereRun { const char *spec; Elsewhere how; } ElsewhereRun;

/* A launch that has been called for and has not run. */
typedef struct Pending { Launch launch; LaunchStats *stats; PrintBuffer printed; Loc where; } Pending;

typedef struct SavedFile { const char *name; void *data; size_t n; } SavedFile; /* data: from malloc */
/* A file whose content the workload has taken; hash: hash_content of it. */
typedef struct LoadedFile { const char *path; uint64_t hash; } LoadedFile;

typedef struct RunRaces RunRaces;
typedef struct KernelSum KernelSum;

/* If there are very many launches, a report names the first so many; these are never forgotten. */
enum { LISTED_LAUNCHES = 5 };

typedef struct Run {
	const Config *config;
	const Module *module;
	RunOptions options;
	Diag *diag;
	Arena arena;
	Memory *memory;
	uint64_t *symbol_address;
	Gpu *gpu;                      /* NULL when options.reference or options.real_gpu */
	/* global variables, then buffers in the order in which the workload made them */
	Vec(RunBuffer) buffer;
	Vec(LaunchStats *) launch;     /* launches that have run and are not forgotten (sim/host/totals.c) */
	/* the sum of each kernel's launches, in the order in which the kernels were launched first */
	Vec(KernelSum *) kernel;
	StrMap kernel_at;              /* place in `kernel`, by the kernel's name */
	uint64_t ended;                /* launches that have run */
	/* the total of all launches; NULL: it is not added up, or a launch has ended since */
	LaunchStats *total;
	TableSums all_tables;          /* those of `total` */
	Arena passing;                 /* for launches that will be forgotten */
	Vec(Pending *) pending;        /* launches to be run, in the order in which they were called for */
	int nanonymous;                /* how many buffers are named by their number */
	FaultKind fault;               /* fault of the first launch that failed */
	Vec(SavedFile) saved;          /* options.trial: the files that the workload has saved */
	Vec(LoadedFile) loaded;        /* each path once for each content; none that the run has saved */
	struct FilesWritten *written;  /* options.written, or the run's own */
	RunSized sized;
	uint64_t lua_steps;            /* steps that the workload took (sim/sandbox/sandbox.h) */
	bool gave_up;                  /* the workload reached one of its limits */
	InsTables instructions;        /* options.instructions: a table for each kernel */
	Vec(ElsewhereRun) elsewhere;   /* filled by run_elsewhere */
	int untried;                   /* configurations that run_elsewhere had no work left for */
	RunRaces *races;               /* NULL: races are not looked for, or no launch has been called for */
	int racing;                    /* number of launches with races between blocks */
	Intervals *intervals;          /* figures over time; NULL: not wanted, or the run is not timed */
	struct Recorder *recorder;     /* NULL: nothing is recorded */
	/* the file of the workload that ran, and a hash of its text and of the files that it has loaded
	   (run_hash_workload); NULL: none has run */
	const char *workload_file;
	uint64_t workload_text_hash;
	const Function *host;          /* the host function that ran; NULL: none */
	uint64_t *host_ran;            /* how often each block of `host` ran, by Block.id */
	char failure[4096];            /* text of the last error */
	/* the first status other than RUN_OK; but bad input and interrupts take precedence over failures */
	RunStatus status;
} Run;

/* The configuration, module and diag must outlive the run. NULL with errors in diag: bad input. */
Run *run_new(const Config *, const Module *, const RunOptions *, Diag *);
void run_free(Run *);
/* Runs the workload, or the module's host function main. If main calls functions of Lua, first the workload
   runs, which defines these, then main. */
RunStatus run_module(Run *);
/* The name of the workload that a module has by default: its own, with .lua. */
const char *run_default_workload(Arena *, const char *module);
/* Calls for a launch in a stream (0: the default one); memory and addresses are filled in, parameters are
   copied. The launch runs in the next run_sync, which fills the result. NULL: it cannot run, and run->status
   and diag say why. where: the place in the workload, for messages. */
LaunchStats *run_queue(Run *, const Launch *, int stream, Loc where);
/* Runs the pending launches. False: one failed, and run->status and diag say how; run->launch has the
   statistics up to then. */
bool run_sync(Run *);
/* sim/host/one_by_one.c. Runs the pending launches one after the other, up to the first that fails, in the
   reference interpreter or on a real GPU. */
bool run_one_by_one(Run *, const LaunchStats **failed, Fault *);
/* Has the buffer's bytes come back from a real GPU, where launches run there; NULL: all. Called before a host
   looks at them or, with `writes`, changes them. False: the driver failed, and run->status and diag say
   how. */
bool run_fetch(Run *, const RunBuffer *, bool writes);
/* run_queue and run_sync, in the default stream; NULL: it failed */
LaunchStats *run_launch(Run *, const Launch *, Loc where);
/* Has somebody asked the run to stop? */
static inline bool run_interrupted(const Run *run) { return is_interrupted(run->options.gpu.interrupted); }
void run_fail(Run *, RunStatus, Loc where, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Fails the run with a fault. A simulated program that the machine or mechanism cannot run at all is bad
   input; all other faults are failures of the program. where: the place in the message if the fault has
   none. */
void run_fault(Run *, const Fault *, Loc where);
/* Adds a buffer of n elements to run->buffer and returns its index there. name NULL: its name is a number. */
int run_add_buffer(Run *, uint64_t addr, Type, uint64_t n, const char *name);
/* Allocates a buffer of n > 0 zeroed elements and adds it; -1: it does not fit into limits.memory_bytes. */
int run_new_buffer(Run *, Type, uint64_t n);
/* The index of the module's variable of that name in run->buffer. -1: there is none; *near gets the nearest
   name, or NULL. */
int run_find_symbol(const Run *, const char *name, const char **near);
uint8_t *run_data(const Run *, const RunBuffer *);       /* the buffer's bytes now; NULL: it was freed */
/* After a run that ended in a livelock or at a barrier that cannot complete: runs the program under every
   other mechanism. text: lines that say how it ended there. False: the run ended otherwise, or an interrupt
   came. */
bool run_elsewhere(Run *, struct StrBuf *text);
/* What a comparison found: numbers of buffers and variables of the first run. */
typedef struct RunCompared {
	/* alike: not identical, but equal in the way for which the workload asked: as sets or within a
	   tolerance */
	int identical, alike;
	/* freed: freed in one run or in both; if in one alone, it is different, too; ignored: because the
	   workload asked for that, or the variable is a constant or has addresses */
	int different, freed, ignored;
	int alone;                     /* variables that may hold results and that one run alone has */
	uint64_t bytes;                /* bytes of the identical ones */
} RunCompared;
/* "equal", "differ", or "unknown": nothing was compared, or not all that may hold results. */
const char *run_results(const RunCompared *);
/* Is it the name of a variable that can hold results? Those that compilers make for texts and tables have
   other names. */
bool run_names_result(const char *variable);
/* Compares the buffers of two runs of the same workload, by their order, and variables by their names. False:
   they differ, with errors in diag that call the runs a and b. compared (may be NULL): the numbers are added
   to it. */
bool run_same(const Run *, const Run *, const char *a, const char *b, RunCompared *compared, Diag *);
/* Puts a hash of what the buffer holds now: equal contents have equal hashes on every host. Of one that is
   compared as a set, order plays no part. False: there is no result to be hashed, since the buffer was freed,
   or is not to be compared. */
bool run_hash_buffer(const Run *, const RunBuffer *, uint64_t *hash);
/* A hash of all results together that must be identical, or the same set: runs of the same program that have
   the same one have equal results. */
uint64_t run_hash_results(const Run *);
/* A hash of what decided, beside the arguments, what the host has done: the workload's text, the contents of
   the files that it has loaded, and the host functions of `source`, the module as it was read, if its main
   ran. Runs with the same one and the same arguments must have equal results. False: neither a workload nor a
   host function ran, so nothing is known. */
bool run_hash_workload(const Run *, const Module *source, uint64_t *hash);
/* sim/host/totals.c. The statistics of launches together: of each kernel, added up as launches end, and of
   all. */
void run_add_launch(Run *, const LaunchStats *);          /* the launch has ended */
int run_kernels(const Run *);          /* how many kernels have been launched */
/* All launches of kernel number i, in the order in which kernels were launched first. Counters are sums or
   maxima of those of each launch, `started` is the first start; what the code takes, and all sizes, are those
   of the first launch. */
const LaunchStats *run_kernel(const Run *, int i);
uint64_t run_launches(const Run *);    /* how many have run */
Totals run_counted(const Run *);       /* the totals of all launches, added up as those of a kernel */
/* The statistics of all launches, added up when they are asked for first; valid until another launch ends.
   Cycles and scheduler-cycles are those in which a launch ran. */
const LaunchStats *run_total(Run *);
/* Forgets the launches that no report will name. Must be called only when the statistics of the last launches
   are not used any more. */
void run_forget(Run *);
Arena *run_launch_arena(Run *);        /* the arena for launches that are queued now */
void run_sums_free(Run *);

/* sim/host/sizes.c. The run is bad input if it asks for a size and the workload of that name, or the host
   function of that module, has not declared any. */
void run_check_sizes(Run *, const char *name);

/* sim/host/workload.c: the Lua host side. */
void run_workload(Run *, const char *path);

/* sim/host/main.c: the host function main. */
struct WorkloadHost;
const Function *run_host_function(const Run *);          /* NULL: there is none */
bool run_needs_lua(const Run *);                         /* does main call functions of Lua? */
/* Runs main. host: the workload that has the functions of Lua; NULL: main calls none. */
void run_main(Run *, struct WorkloadHost *);
#endif
