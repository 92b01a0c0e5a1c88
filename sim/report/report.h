/* Reports of runs, for programs and for people: text, JSON, comparisons, grids.

   sim/report/ sees runs (sim/host/) and records. */
#ifndef GSIM_REPORT_H
#define GSIM_REPORT_H
#include "lib/json.h"
#include "lib/source.h"
#include "sim/host/run.h"

/* A plug-in that was loaded: its name, the file, a hash of what is in it, and the names of what it adds. */
typedef struct ReportPlugin {
	const char *name, *file;
	char hash[17];
	Vec(const char *) passes, mechanisms;
} ReportPlugin;

/* What a report says about a run that the Run does not know. */
typedef struct Title {
	const char *module, *config;   /* files; config NULL: the machine is that of the defaults */
	const char *config_by;         /* the user's configuration, if that chose the machine file; or NULL */
	const char *module_hash;       /* a hash of the file's content */
	const char *passes;            /* the pipeline, as it was asked for; "" = none */
	const struct PassLog *log;     /* what the passes did, or NULL */
	const char *profile;           /* the profile that the passes were given, a file; NULL: none */
	/* instead of a file, the passes were given what a functional run of the workload has counted */
	bool profiled;
	/* the mechanism as asked for, with its parameters; NULL: reports have only its name */
	const char *model;
	const char *workload;  /* the workload as asked for; NULL: it was found by the module's name */
	/* the module as it was read, whose host functions ran; NULL: that of the run */
	const struct Module *source;
	int nargs; char **args;        /* the workload's arguments */
	const ReportPlugin *plugin; int nplugins;      /* those that the run could use */
	bool sums;                     /* JSON: the report has sums over launches, not the launches */
	const Config *effective, *file;  /* the machine that runs; the machine before -D and -m changed it */
	const struct MachineMarks *marks;  /* what the file's figures stand on; NULL: not known */
} Title;
const char *title_model(const Title *);

/* sim/report/json.c */
/* The version of what gsim writes as JSON: schema_version. CONTRIBUTING.md says when it is raised. */
enum { REPORT_SCHEMA = 1 };
void report_json(Run *, const Title *, JsonSink *);                 /* the whole report: one object */
/* puts the key `compared`: in what the results of two runs were compared, and how they came out */
void report_compared(const RunCompared *, JsonSink *);
/* puts the report of a run that could not begin */
void report_refused(const Title *, const char *error, JsonSink *);

/* sim/report/text.c: one screen; all: every launch, branch, block and line, on several screens */
void report_text(Run *, const Title *, bool all, StrBuf *);

/* How a report is written. full: every figure, branch and block, else one screen. markdown: with tables and
   code spans as code-hosting sites show them. unjudged: no figure is called better or worse, since results
   are not known to be equal or a run has not ended well. */
typedef struct ReportForm { bool full, markdown, unjudged; } ReportForm;

/* sim/report/annotate.c: the source line by line, or the code instruction by instruction, beside what each
   did: issues, mean lanes, lane-slots lost, stalls. after: another run, NULL: none. sources: where sources
   may be read; what a report says of itself decides nothing about that. Code is in reports of runs that keep
   it (RunOptions.instructions); if no file of the source can be read, the code is shown instead. */
typedef enum { ANNOTATE_NONE, ANNOTATE_SOURCE, ANNOTATE_CODE } Annotate;
/* what the argument of --annotate means: "source", "code"; NULL means source; ANNOTATE_NONE: it is none of
   these */
Annotate annotate_named(const char *what);
void report_annotate(const JsonValue *before, const JsonValue *after, Annotate, const SourceRoot *sources,
	StrBuf *);

/* sim/report/compare.c: compares two reports as read from JSON. both: the object with `results`, "equal" or
   "differ" or "unknown", and `compared`; NULL: results were not compared. Unless they are equal, no figure is
   called better or worse. */
void report_compare(const JsonValue *before, const JsonValue *after, const JsonValue *both, ReportForm,
	StrBuf *);
/* Compares two modules under several mechanisms: an array of such objects with `before` and `after`. */
void report_comparisons(const JsonValue *list, ReportForm, StrBuf *);
/* sim/report/results.c: compares the results of two runs by the hashes in their reports. Returns what
   run_results says, or "" where they cannot be compared: the two are not known to have run one program, a
   report has no hashes, or buffers that are compared within a tolerance are not identical. *compared gets the
   numbers. */
const char *report_compare_results(const JsonValue *before, const JsonValue *after, RunCompared *compared);
/* Should the two have equal results? They are known to have run one workload with equal arguments. */
bool report_one_program(const JsonValue *, const JsonValue *);
/* The same as the object with `results` and `compared` that gsim -b writes; NULL: they cannot be compared. */
const JsonValue *report_both(Arena *, const JsonValue *before, const JsonValue *after);
/* What the object with `results` and `compared` says, which gsim -b has written: "equal", "differ",
   "unknown", or "" where a run has failed. Versions that took nothing compared for equal are put right. */
const char *report_results_of(const JsonValue *both);
RunCompared report_read_compared(const JsonValue *both);
/* the same for people: "unknown: nothing was compared", "equal (1 of 2 buffers compared)" */
const char *report_results_words(Arena *, const char *results, const RunCompared *);
/* buffers and variables that were not compared, as the workload asks for that, or the host has freed them */
int report_left_out(const RunCompared *);
/* Puts the line that says in what results were compared, and how they came out. whose: " to the reference
   interpreter's"; "": the results are those of two runs of a report. */
void report_results(const RunCompared *, const char *whose, ReportForm, StrBuf *);

/* Figures over time, of runs that have run->intervals: as the key `intervals`, as a table (both in
   sim/report/intervals.c), and as a picture (sim/report/intervals_svg.c). Of two runs the table has a column
   with their names, and the picture shows one below the other, on equal axes. */
typedef struct Timed { const char *name; Run *run; const Title *title; } Timed;
void report_intervals(Run *, JsonSink *);
void report_intervals_csv(const Timed *, int n, StrBuf *);
void report_intervals_svg(const Timed *, int n, StrBuf *);

/* sim/report/grid.c: the runs of --grid, an array of reports as read from JSON; a table for each kernel */
void report_grid_text(const JsonValue *runs, ReportForm, StrBuf *);
void report_grid_csv(const JsonValue *runs, StrBuf *);
void report_grid_svg(const JsonValue *runs, StrBuf *);              /* as a picture with bars */

/* sim/report/number.c. A share of a whole, in the one form that all reports use: "54.0 %". */
enum { REPORT_PERCENT = 32 };
const char *report_percent(char text[REPORT_PERCENT], double share);
/* the text lives as long as the block in which it is made */
#define PERCENT(SHARE) report_percent((char[REPORT_PERCENT]){ 0 }, (SHARE))
#define REPORT_ALL "(--all shows them)"  /* stands behind the number of rows that are left out */

/* The name of a reason for stalls; of STALL_MEMORY with the level that most of them waited for, if that is
   known: "memory:dram". level: the cycles of each level. */
const char *report_reason(int reason, const double level[LEVEL_COUNT]);

/* Shares of parts in their sum as tenths of a percent that add up to exactly 1000 (0 when the sum is 0). */
void report_shares(const uint64_t *part, int n, int *tenths);
#endif
