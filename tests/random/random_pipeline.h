/* Random pipelines of passes, with random options, drawn from the table of passes. */
#ifndef GSIM_RANDOM_PIPELINE_H
#define GSIM_RANDOM_PIPELINE_H
#include "lib/strbuf.h"
#include "sim/launcher.h"
#include <stdint.h>

enum { RANDOM_PASSES = 6 };                    /* a pipeline has one to so many */
/* The same seed, table, module and machine, the same text. Options that are lists of labels name blocks of
   the module, as it is where their pass begins; module NULL: no lists. machine: that by whose figures passes
   go, or NULL. */
void random_pipeline(uint64_t seed, const Module *, const Config *machine, StrBuf *);
/* One to three passes at their defaults (flatten takes all nests), most of them such that change the control
   flow. */
void random_defaults(uint64_t seed, StrBuf *);
/* Passes that make one code of two, in the order in which they are meant to run (doc/passes.md), or, one time
   in four, in any: unrolling, fusion and melding, flattening, linearization or its like, and clean-ups
   between them. */
void random_melding(uint64_t seed, StrBuf *);
/* One of the passes of the list, which ends with NULL, with random options but no lists. */
void random_pass(const char *const *, uint64_t *rng, StrBuf *);
#endif
