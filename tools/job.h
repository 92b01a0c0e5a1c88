/* One run of the module, and what is shown of runs. */
#ifndef GSIM_JOB_H
#define GSIM_JOB_H
#include "lib/file.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "passes/pass.h"
#include "sim/config/sources.h"
#include "sim/report/report.h"
#include "tools/options.h"
#include <signal.h>

typedef struct Session {
	Options opt;
	Config config, file;           /* file: before the command line changed it */
	MachineMarks marks;            /* what its figures stand on, for reports and printed configurations */
	Module *module;                /* as read; passes work on copies */
	const char *module_hash;
	Module *second;                /* the other module of --before-after; NULL: there is none */
	const char *second_hash;
	SourceRoot sources;            /* what --annotate and --html may show */
	Profile *profile;              /* for passes, from a file; or NULL */
	Profile *made;                 /* by a functional run under the mechanism made_for, likewise */
	const char *made_for;
	const Module *made_of;         /* and of this module */
	char *workload;     /* the text of the file that -w names, once a run has read it: it may be a pipe */
	size_t workload_bytes;
	TraceWriter *trace;
	struct RealGpu *real_gpu;      /* --on; NULL: none is open */
	FilesWritten written;          /* what workloads have saved */
	char scratch[256];           /* path of the trace that is there for a page alone; "": there is none */
	Diag diag;
	bool terminal;                 /* progress is shown */
	int njobs, job;                /* for progress */
	int brief;                     /* livelocks and deadlocks that have been told in a line each */
	volatile sig_atomic_t *interrupted;
} Session;

/* One run of the module: a mechanism and a pipeline. */
typedef struct Job {
	Config config;
	const char *model;             /* as asked for; NULL: the mechanism's name */
	const char *passes;            /* "" = none */
	bool second;                   /* it runs the session's second module */
	bool reference;
	struct RealGpu *real_gpu;      /* it runs there; NULL: it does not */
	RunCompared on_gpu;            /* what a comparison with a run on the GPU found */
	bool record;                   /* for --record-host */
	/* verified: its results were compared with the reference interpreter's; same: and are equal, not only
	   unknown, as where there are none */
	bool verified, same;
	RunCompared compared;
	Module *module;
	const Profile *profile;        /* what the passes were given, or NULL */
	bool profiled;                 /* a functional run has made it */
	PassLog log;                   /* what the passes did */
	PassLimit limit;               /* of --bisect */
	Run *run;                      /* NULL: bad input */
	Diag diag;
	RunStatus status;
} Job;

static inline int worse(int a, int b) { return a > b ? a : b; }  /* of exit statuses */

/* the module that it runs, as read, and the name of its file */
static inline Module *job_source(const Session *s, const Job *j) { return j->second ? s->second : s->module; }
static inline const char *job_file(const Session *s, const Job *j)
{
	return j->second ? s->opt.second : s->opt.module;
}
bool job_transform(Session *, Job *);                  /* its module: with the passes applied */
void job_run(Session *, Job *);                        /* config, model, passes and reference are set */
void job_run_reference(Session *, Job *);
void job_free(const Session *, Job *);
const char *job_model(const Job *);
/* Compare results and print what differs; exit statuses. */
/* may be NULL */
int job_compare(const Job *, const Job *, const char *name_a, const char *name_b, RunCompared *);
int job_verify(Job *, const Job *reference);
/* runs the reference interpreter after each pass */
int job_verify_each(Session *, const char *passes, const Job *reference);

/* Puts what the workload gives as arguments for each size; an exit status, with errors in the session's
   diag. */
int job_list_sizes(Session *, StrBuf *out);

bool job_stats_to_output(const Session *);     /* does standard output get a JSON report? */
/* Reports to the files of --stats and to standard output; exit statuses. */
void job_put_report(const Session *, Job *, JsonSink *);
int job_show(const Session *, Job *);
int job_write_host(const Session *, Job *);            /* the file of --record-host; an exit status */
/* the jobs that json is of: runs of a grid, two of --before-after, or two for each mechanism */
int job_show_many(const Session *, const Job *, int njobs, const StrBuf *json, bool grid);
#endif
