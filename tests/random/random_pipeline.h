/* Random pipelines of passes, with random options, drawn from the table of passes. */
#ifndef GSIM_RANDOM_PIPELINE_H
#define GSIM_RANDOM_PIPELINE_H
#include "lib/strbuf.h"
#include <stdint.h>

enum { RANDOM_PASSES = 6 };                    /* a pipeline has one to so many */
void random_pipeline(uint64_t seed, StrBuf *); /* the same seed and table, the same text */
#endif
