/* The front-end stage: passes over modules, and pipelines of them as text: "linearize(opt=4),dce".

   passes/ is the front-end stage: analyses of a function in passes/analysis/, transformations in passes/transform/. It may include isa/ and
   lib/, and knows nothing of the machine. */
#ifndef GSIM_PASS_H
#define GSIM_PASS_H
#include "isa/ir.h"

typedef struct PassOption { const char *name; int64_t value, least, most; const char *help; } PassOption;

typedef struct PassArgs { int64_t value[16]; } PassArgs;   /* in the order of the pass's options */

/* A pass changes functions one at a time. It marks what it inserts with its origin (module_origin), keeps labels of the
   source's blocks, and leaves a function that the verifier accepts. */
typedef struct Pass {
	const char *name, *help;   /* help: one line */
	const PassOption *options; int noptions;
	bool (*run)(Module *, Function *, const PassArgs *, Diag *);  /* true when it changed something */
} Pass;
extern const Pass *const passes[];  /* ends with NULL */

/* Runs the pipeline on every kernel and device function; the verifier after each pass. dump (may be NULL) is called
   after each pass with the module. false with errors in diag when the text is wrong or a pass failed. */
typedef void PassDump(void *self, const Module *, const char *pass);
bool pipeline_run(Module *, const char *text, PassDump *, void *self, Diag *);
bool pipeline_check(const char *text, Diag *);
bool pipeline_empty(const char *text);  /* nothing, or "none": the module as it is */
#endif
