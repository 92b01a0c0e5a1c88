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
	int64_t value, least, most;  /* of a number; of a name, value is the default's position among names */
	const char *help;
	PassOptionKind kind;
	const char *const *names;          /* that may be given; ends with NULL */
	bool labels;            /* a list of labels: each is one of some function's, at least in the source */
	bool loops;                        /* labels: those of blocks are such that a loop begins there */
} PassOption;

typedef struct PassValue {
	int64_t number;                    /* a number, or a name's position */
	const char *string;                /* NULL when not given */
	const char **list; int n;          /* not given: n = 0 */
	bool given;
	int col;                           /* where in the pipeline's text, from 1 */
} PassValue;

/* ---- one run of a pass ---- */
typedef struct PassRun {
	Module *m;
	Function *f;                       /* NULL in a module pass */
	const PassValue *option;           /* in the order of the pass's options */
	struct Analyses *an;        /* of f (passes/analyses.h); NULL in a module pass, which opens its own */
	const struct CostTable *cost;      /* latencies of the machine, or NULL: the default ones */
	const struct MachineLimits *limits; /* what the machine has room for, or NULL: the default ones */
	const struct Profile *profile;     /* how often the source's blocks were executed, or NULL */
	uint8_t origin;                    /* for edit_open */
	Diag *diag;
	struct PassLog *log;
	/* where the pass says for people what it does, remarks included; NULL: nobody asks */
	struct StrBuf *show;
	const struct Pass *pass;
} PassRun;

/* A pass marks what it inserts with its origin, keeps labels of the source's blocks, and leaves what the
   verifier accepts. It returns true when it changed something; the pipeline looks whether that is so. */
typedef struct Pass {
	/* help: one line; idle: why it changes nothing, where it leaves nothing alone for another reason */
	const char *name, *help, *idle;
	const PassOption *options; int noptions;
	bool (*function)(PassRun *);   /* on one kernel or device function at a time; NULL in a module pass */
	bool (*module)(PassRun *);         /* on the whole module, host functions included */
	/* With these options it decides by a profile: which pipeline is to be tried beside the module as it
	   is (Profile.trial). NULL: it asks for none. */
	const char *(*asks_profile)(const PassValue *);
	bool shows;                        /* it writes what it does to PassRun.show */
	/* it makes values live longer, and is left out where that costs more registers than it is worth
	   (passes/registers.h) */
	bool keeps_registers;
	/* blocks and edges stay as they are, and with them every analysis that depends on these alone */
	bool keeps_graph;
} Pass;
extern const Pass *const passes[];         /* ends with NULL */
void pass_list(struct StrBuf *);           /* all with their options, for people */

void pass_count(PassRun *, const char *what, int64_t n);    /* adds n to what the pass did: "blocks merged" */
/* What the pass made rests n times on something that it was told to take for granted: "restrict". Reports of
   runs say so. */
void pass_assumption(PassRun *, const char *what, int64_t n);
bool pass_explains(const PassRun *);    /* does somebody want to know? else remarks need not be made */
/* Why the pass left something alone, or what it did, at a place in the source. */
void pass_remark(PassRun *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Does the function, or its source, have a block of that label, or one from whose label a pass makes it (B6,
   B6_use)? */
bool pass_knows_label(const Function *, const char *label);

/* ---- pipelines ---- */
typedef struct PassCount {
	int step;                          /* position in the pipeline, from 0 */
	const char *pass, *function, *what; /* function "": a module pass */
	bool assumed;                      /* what: an assumption that it made n times */
	int64_t n;
} PassCount;

typedef struct PassIdle { int step; const char *pass, *why; } PassIdle; /* a step that changed nothing */

/* What passes did, in their order. Texts are in the arena. Zero-initialise. */
typedef struct PassLog {
	Arena arena;
	bool remarks;                      /* wanted: they go to the Diag, each with its place */
	int step;
	const char *first;                 /* the first remark of the step, or NULL */
	Vec(PassCount) count;
	Vec(PassIdle) idle;
} PassLog;
void pass_log_free(PassLog *);
void pass_log_print(const PassLog *, struct StrBuf *);         /* a line for each count */

/* What the caller of a pipeline gives. Zero-initialise; every field may stay so. */
typedef struct PassHost {
	const struct CostTable *cost;
	const struct MachineLimits *limits;
	const struct Profile *profile;
	/* function passes run on the function of this name alone, module passes not at all */
	const char *only;
	PassLog *log;
	/* called after each pass */
	void (*after)(void *self, const Module *, const char *pass, bool changed);
	void *self;
} PassHost;

/* Runs the pipeline on every kernel and device function; the verifier after each pass. host may be NULL.
   false with errors in diag when the text is wrong or a pass failed. */
bool pipeline_run(Module *, const char *text, const PassHost *host, Diag *);
bool pipeline_check(const char *text, Diag *);
bool pipeline_empty(const char *text);  /* nothing, or "none": the module as it is */
/* What the first pass that asks to try something asks for (Pass.asks_profile); "": nothing, but some pass
   decides by a profile; NULL: none does. Of a text that pipeline_check has found right. */
const char *pipeline_asks_profile(const char *text);
/* how many passes it has; of a text that pipeline_check has found right */
int pipeline_steps(const char *text);
char *pipeline_prefix(Arena *, const char *text, int n); /* the text of its first n passes */

/* One pass on one function without a pipeline, for tests and other passes; option NULL: the defaults. */
bool pass_apply(const Pass *, Module *, Function *, const PassValue *option, Diag *);
void pass_defaults(const Pass *, PassValue *);                 /* fills one for each option */

/* ---- passes that show what they do ---- */
/* Runs one pass with its options, such as "meld(swap=1)", on the functions that the host wants, and writes
   what it does to each of them. false with errors in diag: option names where the text comes from
   ("--print"). */
bool pass_show(Module *, const char *text, const char *option, const PassHost *, struct StrBuf *, Diag *);
bool pass_show_check(const char *text, const char *option, Diag *);
enum { PASS_OPTIONS = 16 };                                    /* most that a pass has */
#endif
