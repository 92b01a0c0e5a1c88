/* Replaces loads of what the thread has stored itself by copies of registers: for the pass forward-stores,
   and for passes that know more of what parameters lead to (fusion). */
#ifndef GSIM_FORWARD_H
#define GSIM_FORWARD_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef struct ForwardOptions {
	unsigned allow;            /* MEM_* assumptions that answers may rest on */
	MemFacts launches;         /* what is known of all launches of the function; all 0: nothing is */
	PassRun *asks;             /* the run that asks for each load whether it may go; NULL: all may */
} ForwardOptions;

/* loads: how many were replaced; copies: how many were put behind stores; assumed: by assumption, how many
   answers rested on it */
typedef struct ForwardCounts { int loads, copies; int64_t assumed[MEM_ASSUMPTIONS]; } ForwardCounts;

/* Replaces loads of the function until nothing changes, and adds to the counts. True: some load was
   replaced. */
bool forward_stores(Analyses *, uint8_t origin, const ForwardOptions *, ForwardCounts *);
#endif
