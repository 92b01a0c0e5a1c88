/* One run of a module with its host side: memory, buffers, launches, and what was measured.

   sim/host/ is the host of the simulated GPU: it sees sim/gsim.h, and not the machine behind it. */
#ifndef GSIM_RUN_H
#define GSIM_RUN_H
#include "isa/print.h"
#include "sim/gsim.h"
#include "sim/sandbox/backstop.h"

typedef enum { RUN_OK, RUN_FAILED, RUN_BAD_INPUT, RUN_INTERRUPTED } RunStatus;  /* also the program's exit status */

typedef enum { COMPARE_EXACT, COMPARE_SET, COMPARE_TOLERANCE, COMPARE_IGNORE } CompareHow;

typedef struct RunBuffer {
	const char *name;              /* for messages; symbols: the variable's */
	bool symbol;                   /* a module-scope variable */
	uint64_t addr, n;              /* elements */
	Type type;
	CompareHow how;
	double tolerance;              /* COMPARE_TOLERANCE: of the larger magnitude, at least of 1 */
} RunBuffer;

enum { MOST_WORKLOAD = 16 << 20 };     /* bytes of a workload's text */

typedef struct RunOptions {
	GpuOptions gpu;
	bool reference;                /* launches run in the reference interpreter */
	bool trial;                    /* what the workload saves stays in the run */
	bool laws;                     /* a broken conservation law fails the run */
	const char *workload;          /* NULL: the module's name with .lua, else its host function main */
	const char *workload_text;     /* its text, which has been read already; NULL: the file is read */
	size_t workload_bytes;         /* of the text; 0: it ends with a NUL */
	int nargs; char **args;        /* the workload's */
	uint64_t lua_steps; double lua_seconds;  /* limits of the workload; 0 = the sandbox's */
	FILE *print;                   /* where its print writes; NULL = nowhere */
	int nfolders; const char *const *folders;  /* where its files are looked for, before its own folder; the first takes new ones */
} RunOptions;

/* How the program fared under another mechanism. */
typedef enum {
	ELSEWHERE_COMPLETES, ELSEWHERE_LIVELOCK, ELSEWHERE_DEADLOCK, ELSEWHERE_FAILS, ELSEWHERE_REFUSED,
	ELSEWHERE_UNDECIDED,           /* within bounds of work (sim/host/elsewhere.c) */
	ELSEWHERE_COUNT
} Elsewhere;
extern const char *const elsewhere_name[ELSEWHERE_COUNT];
typedef struct ElsewhereRun { const char *spec; Elsewhere how; } ElsewhereRun; /* spec: as --model has it */

/* A launch that has been called for and has not run. */
typedef struct Pending { Launch launch; LaunchStats *stats; PrintBuffer printed; Loc where; } Pending;

typedef struct SavedFile { const char *name; void *data; size_t n; } SavedFile; /* data: from malloc */

typedef struct Run {
	const Config *config;
	const Module *module;
	RunOptions options;
	Diag *diag;
	Arena arena;
	Memory *memory;
	uint64_t *symbol_address;
	Gpu *gpu;                      /* NULL when options.reference */
	Vec(RunBuffer) buffer;         /* global variables, then what the workload asked for, in its order */
	Vec(LaunchStats *) launch;
	Vec(Pending *) pending;        /* in the order of calls */
	int nanonymous;                /* buffers named by their number */
	FaultKind fault;               /* of the first launch that failed */
	Vec(SavedFile) saved;          /* with options.trial */
	uint64_t lua_steps;            /* of the workload (sim/sandbox/sandbox.h) */
	bool gave_up;                  /* a limit of the workload's was reached */
	Vec(ElsewhereRun) elsewhere;   /* by run_elsewhere */
	int untried;                   /* ... for which no work was left */
	char failure[2048];            /* text of the last error */
	RunStatus status;              /* the first that was not RUN_OK, but bad input and interrupts come before failures */
} Run;

/* The configuration, module and diag must outlive it. NULL with errors in diag: bad input. */
Run *run_new(const Config *, const Module *, const RunOptions *, Diag *);
void run_free(Run *);
RunStatus run_module(Run *);                             /* the workload, or the host function main */
/* Calls for a launch in a stream (0: the default one); memory and addresses are filled in, parameters are copied. It runs in the next run_sync, which fills the
   result. NULL: it cannot be, run->status and diag say why. where: the place in the workload, for messages. */
LaunchStats *run_queue(Run *, const Launch *, int stream, Loc where);
/* Runs what has been called for. False: a launch failed, run->status and diag say how; what was measured until then is in run->launch all the same. */
bool run_sync(Run *);
LaunchStats *run_launch(Run *, const Launch *, Loc where);  /* both, in the default stream; NULL: it failed */
void run_fail(Run *, RunStatus, Loc where, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int run_add_buffer(Run *, uint64_t addr, Type, uint64_t n, const char *name);  /* index; name NULL: numbered */
uint8_t *run_data(const Run *, const RunBuffer *);       /* its bytes now; NULL when it was freed */
/* After a run that ended in a livelock or at a barrier that cannot complete: runs it under every other mechanism. False: another run, or
   interrupted; else the lines that say how it fared. */
bool run_elsewhere(Run *, struct StrBuf *text);
/* Compares the buffers of two runs of the same workload; errors, which call them a and b, when they differ. */
bool run_same(const Run *, const Run *, const char *a, const char *b, Diag *);
/* All launches together; blocks and branches of one name are added up. In the run's arena. */
LaunchStats *run_total(Run *);

/* sim/host/workload.c: the Lua host side. */
void run_workload(Run *, const char *path);
#endif
