/* The text of a pipeline, parsed. */
#ifndef GSIM_PIPELINE_H
#define GSIM_PIPELINE_H
#include "passes/pass.h"

typedef struct Step { const Pass *pass; PassValue option[PASS_OPTIONS]; int end; } Step; /* end: where its text ends, in characters from the beginning */
typedef struct Pipeline { Arena arena; Vec(Step) step; } Pipeline; /* zero-initialise; option texts are in the arena */
bool pipeline_parse(Pipeline *, const char *text, Diag *);
void pipeline_free(Pipeline *);
#endif
