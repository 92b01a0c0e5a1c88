/* The statistics of a launch: sim/gpu/gather.c. */
#ifndef GSIM_GATHER_H
#define GSIM_GATHER_H
#include "sim/machine/machine.h"

/* Counters of a launch, added up over all SMs: most have an element for each instruction of the code. */
typedef struct Counts {
	const Code *code;
	InsCount *count;
	PartCount *parted;
	Meets *met;
	BranchCount *branch;
	MarkCount *marked;
	uint64_t *stalls;              /* [pc * STALL_FIGURES + reason]; last row: stalls of no instruction */
} Counts;

/* sim/gpu/gather_tables.c: makes the tables of blocks, branches, partings and lines, in the arena */
void gather_tables(const Counts *, Arena *, LaunchStats *);
struct InsTables;
void gather_instructions(const Counts *, struct InsTables *); /* sim/gpu/instructions.c */

/* Fills in the grid's statistics (Grid.stats). Strings and tables are allocated in the arena. */
void gpu_gather(const Gpu *, Grid *, Arena *);
#endif
