/* Forwarding of stored values to the loads that read them back: for the pass forward-stores, and for whoever
   knows more of what parameters lead to. */
#ifndef GSIM_FORWARD_H
#define GSIM_FORWARD_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef struct ForwardOptions {
	unsigned allow;            /* MEM_* assumptions that answers may rest on */
	MemFacts launches;         /* what is known of all launches; all 0: nothing is */
} ForwardOptions;

typedef struct ForwardCounts { int loads, copies; int64_t assumed[MEM_ASSUMPTIONS]; } ForwardCounts;

/* Replaces loads until nothing changes; adds to the counts. True: something has changed. */
bool forward_stores(Analyses *, uint8_t origin, const ForwardOptions *, ForwardCounts *);
#endif
