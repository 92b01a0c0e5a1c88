/* The text of a pipeline, parsed. */
#ifndef GSIM_PIPELINE_H
#define GSIM_PIPELINE_H
#include "passes/pass.h"

/* One pass of a pipeline with its options. end: where its text ends, in characters from the pipeline's
   beginning */
typedef struct Step { const Pass *pass; PassValue option[PASS_OPTIONS]; int end; } Step;
typedef struct Pipeline {           /* zero-initialise; option texts are in the arena */
	Arena arena;
	Vec(Step) step;
	/* the command line's option that gave the text, for messages; NULL: --passes */
	const char *option;
} Pipeline;
bool pipeline_parse(Pipeline *, const char *text, Diag *);
void pipeline_free(Pipeline *);
#endif
