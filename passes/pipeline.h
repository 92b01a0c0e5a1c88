/* The text of a pipeline, parsed. */
#ifndef GSIM_PIPELINE_H
#define GSIM_PIPELINE_H
#include "passes/pass.h"

/* end: where its text ends, in characters from the beginning */
typedef struct Step { const Pass *pass; PassValue option[PASS_OPTIONS]; int end; } Step;
typedef struct Pipeline {           /* zero-initialise; option texts are in the arena */
	Arena arena;
	Vec(Step) step;
	const char *option;            /* by which the text was given; NULL: --passes */
} Pipeline;
bool pipeline_parse(Pipeline *, const char *text, Diag *);
void pipeline_free(Pipeline *);
#endif
