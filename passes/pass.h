/* The front-end stage: passes over modules, and pipelines of them as text: "linearize(opt=4),dce".

   passes/ is the front-end stage: analyses of a function in passes/analysis/, transformations in
   passes/transform/. It may include isa/ and lib/, and knows nothing of the machine: costs and profiles are
   tables that the caller fills. */
#ifndef GSIM_PASS_H
#define GSIM_PASS_H
#include "isa/ir.h"

/* ---- options ---- */
typedef enum { PASS_NUMBER, PASS_NAME, PASS_STRING, PASS_LIST } PassOptionKind;

typedef struct PassOption {
	const char *name;
	/* value: default of a number, or position of the default in names; least, most: of a number */
	int64_t value, least, most;
	const char *help;
	PassOptionKind kind;
	const char *const *names;          /* the names that may be given; NULL ends the list */
	/* the list holds labels; some function, or its source, must have a block with each of them */
	bool labels;
	bool loops;                        /* with labels: at each of these blocks a loop must begin */
} PassOption;

typedef struct PassValue {
	int64_t number;                    /* the number; of a name, its position in names */
	const char *string;                /* the text of a string; NULL when not given */
	const char **list; int n;          /* n elements; n = 0 when not given */
	bool given;
	int col;                           /* column of the value in the pipeline's text, from 1 */
} PassValue;

/* ---- one run of a pass ---- */
typedef struct PassRun {
	Module *m;
	Function *f;                       /* the function to change; NULL in a module pass */
	const PassValue *option;           /* values in the order of the pass's options */
	/* the analyses of f (passes/analyses.h); NULL in a module pass, which opens its own */
	struct Analyses *an;
	const struct CostTable *cost;      /* latencies of the machine, or NULL: the default ones */
	const struct MachineLimits *limits; /* what the machine has room for, or NULL: the default limits */
	const struct Profile *profile;     /* how often the source's blocks were executed, or NULL */
	uint8_t origin;                    /* number of the pass as an origin, for edit_open */
	Diag *diag;
	struct PassLog *log;
	/* the pass appends here, for people, what it does, remarks included; NULL: nobody asks */
	struct StrBuf *show;
	const struct Pass *pass;
} PassRun;

/* A pass marks what it inserts with its origin, keeps the labels of the source's blocks, and leaves a module
   that the verifier accepts. It returns true when it changed something; the pipeline checks this answer. */
typedef struct Pass {
	/* help: one line; idle: the reason that is given when the pass changes nothing and has made no
	   remark */
	const char *name, *help, *idle;
	const PassOption *options; int noptions;
	/* runs the pass on one kernel or device function; NULL in a module pass */
	bool (*function)(PassRun *);
	bool (*module)(PassRun *);         /* runs the pass on the whole module, host functions included */
	/* Does the pass decide by a profile, with these options? Returns the pipeline whose effect is to be
	   measured beside the module as it is (Profile.trial), "" when none is to be tried, or NULL when the
	   pass asks for no profile. The pointer is NULL where a pass never does. */
	const char *(*asks_profile)(const PassValue *);
	bool shows;                        /* the pass writes what it does to PassRun.show */
	/* the pass makes values live longer, and is left out where that costs more registers than it is worth
	   (passes/registers.h) */
	bool keeps_registers;
	/* the pass leaves blocks and edges as they are, and with them every analysis that depends on these
	   alone */
	bool keeps_graph;
} Pass;
/* Pass number i of the list of all passes, those that were added included; NULL: past its end. */
const Pass *pass_at(int i);
enum { PASSES_MOST = 96 };                 /* as many passes as there may be */
/* Adds a pass at the end of the list, where it stays. To be called before anything looks at the list, and by
   one thread. False: there is a pass of this name, or the table lacks something that it must have; why says
   which. */
bool passes_add(const Pass *, struct StrBuf *why);
void pass_list(struct StrBuf *);           /* appends all passes with their options */

void pass_count(PassRun *, const char *what, int64_t n);    /* adds n to a count, as of "blocks merged" */
/* Adds n to how often the pass relied on something that it was told to take for granted, such as "restrict".
   Reports of runs list these assumptions. */
void pass_assumption(PassRun *, const char *what, int64_t n);
/* A pass asks before each change that it can leave out: a computation replaced, a loop unrolled, a region
   melded. False: it must not make this one (PassLimit), and goes on as if it could not. The text says what it
   is about to do at that place. A pass that has changed something and has not asked has made one change,
   whatever it did. */
bool pass_may_change(PassRun *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool pass_explains(const PassRun *);    /* does anybody read remarks? If not, none need be made */
/* Says, for a place in the source, why the pass left something alone, or what it did. */
void pass_remark(PassRun *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Does the function, or its source, have a block with this label, or one with a label of which a pass makes
   this one (B6_use of B6)? */
bool pass_knows_label(const Function *, const char *label);

/* ---- pipelines ---- */
typedef struct PassCount {
	int step;                          /* position in the pipeline, from 0 */
	const char *pass, *function, *what; /* function "": a module pass */
	bool assumed;                      /* true: `what` is an assumption that the pass made n times */
	int64_t n;
} PassCount;

/* a step that changed nothing, and why */
typedef struct PassIdle { int step; const char *pass, *why; } PassIdle;

/* A change that a pass has made (pass_may_change). function "": a module pass. place: file NULL: unknown */
typedef struct PassChange { int step; const char *pass, *function, *what; Loc place; } PassChange;
/* Lets the first `most` changes of a pipeline be made, and no others: when they are made, no pass begins any
   more. Zero-initialise but for `most`. */
typedef struct PassLimit { int64_t most; Vec(PassChange) change; } PassLimit;

/* What the passes of a pipeline did, in the order in which they ran. Texts are in the arena.
   Zero-initialise. */
typedef struct PassLog {
	Arena arena;
	PassLimit *limit;                  /* NULL: all changes are made, and nobody lists them */
	bool remarks;                      /* true: remarks go to the Diag, each with its place */
	int step;
	const char *first;                 /* the first remark of the step, or NULL */
	Vec(PassCount) count;
	Vec(PassIdle) idle;
} PassLog;
void pass_log_free(PassLog *);
void pass_log_print(const PassLog *, struct StrBuf *);         /* appends a line for each count */
/* Appends "dce: kernel k: k.cu:12: an instruction deleted" without newline. */
void pass_change_print(const PassChange *, struct StrBuf *);
/* Where changes are limited: appends a line that says how many were made, and which was the last; with
   remarks, a line for each before it. */
void pass_log_changes(const PassLog *, struct StrBuf *);

/* What the caller of a pipeline gives. Zero-initialise; every field may stay zero. */
typedef struct PassHost {
	const struct CostTable *cost;
	const struct MachineLimits *limits;
	const struct Profile *profile;
	/* function passes run only on the function of this name, and module passes not at all; NULL: on
	   all */
	const char *only;
	PassLog *log;
	/* called after each pass */
	void (*after)(void *self, const Module *, const char *pass, bool changed);
	void *self;
} PassHost;

/* Runs the pipeline on every kernel and device function, and the verifier after each pass. host may be NULL.
   Returns false with errors in diag when the text is wrong or a pass failed. */
bool pipeline_run(Module *, const char *text, const PassHost *host, Diag *);
bool pipeline_check(const char *text, Diag *);
bool pipeline_empty(const char *text);  /* is the text empty, or "none", so that the module stays as it is? */
/* The pipeline that is to be tried, as the first pass that wants one asks for it (Pass.asks_profile); "":
   none is to be tried, but some pass decides by a profile; NULL: no pass does. pipeline_check must have
   accepted the text. */
const char *pipeline_asks_profile(const char *text);
/* how many passes the text has; pipeline_check must have accepted it */
int pipeline_steps(const char *text);
char *pipeline_prefix(Arena *, const char *text, int n); /* the text of its first n passes */

/* Runs one pass on one function without a pipeline, for tests and other passes; option NULL: the defaults. */
bool pass_apply(const Pass *, Module *, Function *, const PassValue *option, Diag *);
void pass_defaults(const Pass *, PassValue *);                 /* writes the default of each option */

/* ---- passes that show what they do ---- */
/* Runs one pass with its options, such as "meld(swap=1)", on the functions that the host wants
   (PassHost.only), and writes what it does to each of them. Returns false with errors in diag; they name
   `option` as where the text comes from ("--print"). */
bool pass_show(Module *, const char *text, const char *option, const PassHost *, struct StrBuf *, Diag *);
bool pass_show_check(const char *text, const char *option, Diag *);
enum { PASS_OPTIONS = 16 };                                    /* most options of a pass */
#endif
