/* Declarations that the files of the public library share. gsim.h is what programs see.

   sim/api/ is a thin front over all that lies below it: modules and passes, machines, the host of a run,
   reports, traces. Only programs outside this tree, examples and tests use it. */
#ifndef GSIM_API_H
#define GSIM_API_H
#include "gsim.h"
#include "passes/pass.h"
#include "sim/config/sources.h"
#include "sim/report/report.h"

/* ---- sim/api/handle.c: which objects are alive ---- */
typedef enum { HANDLE_MODULE, HANDLE_MACHINE, HANDLE_RUN, HANDLE_BUFFER, HANDLE_REPORT } HandleKind;
/* the first member of each object */
typedef struct Handle { HandleKind kind; struct Handle *next; } Handle;
void handle_open(Handle *, HandleKind);        /* the object is alive from now on */
void handle_close(Handle *);                   /* it is not any more */
/* Is it an object of this kind that is alive? If not, the last error says so; function: the one that was
   called. */
bool handle_is(const void *, HandleKind, const char *function);

/* ---- sim/api/message.c: messages on their way to the program ---- */
typedef struct Messages {
	GsimOnMessage *call;           /* NULL: nobody listens */
	void *self;
	Diag diag;
	int told, errors;              /* items, and errors, of diag that have been told */
} Messages;
void messages_open(Messages *, GsimOnMessage *, void *self);
void messages_begin(Messages *);       /* a call begins: it may have so many messages of its own */
void messages_tell(Messages *);        /* tells what has come into diag since */
/* Whether no message of it is being heard in this thread, so that a call for its object may go on; if one is,
   the last error says so. function: the one that was called. */
bool messages_quiet(const Messages *, const char *function);
/* Tells a single message, which does not go into diag. */
void messages_say(const Messages *, GsimSeverity, const char *text);
/* Says what is wrong with a call. messages NULL: only gsim_last_error has it. Returns GSIM_MISUSE. */
GsimStatus misuse(const Messages *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- sim/api/locale.c: calls run in the locale "C", functions of the program in its own ---- */
/* The calling thread has the locale "C" from here to the end of the block. Every function of gsim.h that
   reads, runs or writes begins so, those for runs and buffers by run_enter. */
#define IN_C_LOCALE \
	__attribute__((cleanup(locale_leave_scope), unused)) const int locale_scope = locale_enter()
int locale_enter(void);                /* returns how many calls the thread is in; they may be nested */
void locale_leave(void);               /* after the outermost call the thread has what it had before */
void locale_leave_scope(const int *);
int locale_lend(void);                 /* a function of the program is about to be called */
void locale_take(int lent);            /* it has returned; lent: what locale_lend has given */

/* ---- modules ---- */
struct GsimModule {
	Handle handle;
	Messages messages;
	Arena arena;
	Module *module;
	const char *hash;              /* of the bytes that it was read from */
	bool in_memory;                /* it was not read from a file */
	StrBuf passes;                 /* all pipelines that have run on it, one after the other */
	int steps;                     /* how many passes these are */
	PassLog log;                   /* what they did */
	struct Profile *profile;       /* for passes; NULL: none */
};
/* Whether a call for the module may go on; if not, the last error says why: there is no such module, or its
   messages are being heard. */
bool module_enter(const GsimModule *, const char *function);
void pass_log_copy(PassLog *to, const PassLog *from);  /* to: an empty one */

/* ---- machines ---- */
struct GsimMachine {
	Handle handle;
	Messages messages;
	char *path;                    /* the file that it was read from; NULL: the defaults */
	char *mechanism;               /* as it was set; NULL: it was not */
	Config config, file;           /* file: before the program changed it */
	MachineMarks marks;
};
bool machine_enter(const GsimMachine *, const char *function); /* as module_enter */
bool report_enter(const GsimReport *, const char *function);    /* so does this one */

/* ---- runs ---- */
typedef enum { STAGE_OPTIONS, STAGE_RUNS, STAGE_ENDED } Stage;

/* Texts of options that may be given several times. */
typedef struct ApiTexts { char **v; int n, cap; } ApiTexts;

struct GsimRun {
	Handle handle;
	Messages messages;
	volatile sig_atomic_t cancelled;
	bool busy;                     /* a call for it has not returned */
	bool told;                     /* this call has told that the run takes no more */
	Stage stage;
	/* what the run keeps of its module and machine */
	Module *module;
	bool in_memory, profiled;
	char *hash, *passes, *machine, *mechanism;
	PassLog log;
	Config config, file;
	MachineMarks marks;            /* what the figures of the machine stand on */
	/* options, and what the run's structures point to */
	RunOptions options;
	uint64_t threads;              /* 0: one */
	ApiTexts arguments, folders;
	char *workload, *workload_text, *trace_path;
	StrBuf changes;
	GsimOnPrint *on_print;
	GsimOnProgress *on_progress;
	void *print_self, *progress_self;
	FILE *print;
	TraceWriter *trace;
	Run *run;                      /* NULL: it has not begun, or could not */
	bool refused, judged;          /* it could not begin; races have been judged */
	Vec(struct GsimBuffer *) buffer; /* by their numbers in run->buffer; NULL: not asked for */
};

/* A call for a run: false, with a message, when there is no such run or another call for it has not returned.
   Each run_enter that was true needs a run_leave. */
bool run_enter(GsimRun *, const char *function);
/* The call has ended so; tells its messages. */
GsimStatus run_leave(GsimRun *, GsimStatus);
/* Begins the run, if it has not begun. Status GSIM_OK: run->run is there. */
GsimStatus run_begin(GsimRun *);
/* Waits for launches of all streams, as far as the run can. */
void run_settle(GsimRun *);
GsimStatus run_state(const GsimRun *);         /* the status of the run so far */
Title run_title(const GsimRun *);

struct GsimBuffer { Handle handle; GsimRun *run; int index; };
void buffers_free(GsimRun *);
#endif
