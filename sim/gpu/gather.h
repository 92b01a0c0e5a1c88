/* The statistics of a launch: sim/gpu/gather.c. */
#ifndef GSIM_GATHER_H
#define GSIM_GATHER_H
#include "sim/machine/machine.h"

/* By instruction, of all SMs. */
typedef struct Counts {
	const Code *code;
	InsCount *count;
	PartCount *parted;
	Meets *met;
	BranchCount *branch;
	MarkCount *marked;
	uint64_t *stalls;              /* [pc * STALL_COUNT + reason]; the last row: of no instruction */
} Counts;

struct InsTables;
void gather_instructions(const Counts *, struct InsTables *); /* sim/gpu/instructions.c */

void gather(const Gpu *, Grid *, Arena *);      /* into its statistics; the strings in the arena */
#endif
