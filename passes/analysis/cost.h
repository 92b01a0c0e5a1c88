/* What instructions cost, as plain numbers that the caller takes from the machine or leaves at the defaults, and how often blocks were executed. */
#ifndef GSIM_COST_H
#define GSIM_COST_H
#include "isa/ir.h"

typedef struct CostTable {
	int latency[UNIT_COUNT];       /* cycles from an instruction's issue to that of one that reads its result */
	int interval[UNIT_COUNT];      /* cycles that a warp's instruction keeps the unit */
	int memory[SP_COUNT];          /* latency of loads and atomics, by space */
	int op[OP_COUNT];              /* latency of single operations; 0: as their unit or space says */
} CostTable;
extern const CostTable cost_default;
int cost_latency(const CostTable *, const Ins *);     /* table NULL: the default one */
int cost_interval(const CostTable *, const Ins *);
int64_t cost_block(const CostTable *, const Block *); /* sum of latencies: what one execution of the block costs a warp that never overlaps anything */

/* Executions of the source's blocks, from a report of gsim. */
typedef struct ProfileBlock { const char *function, *label; uint64_t fetches, threads; } ProfileBlock;
typedef struct Profile {
	int n;
	ProfileBlock *block;           /* by function, then by label; all launches of the run */
	const char *module_hash, *passes, *model; /* as the report has them; "": it has none */
} Profile;
/* NULL with an error when the text is no report. */
Profile *profile_read(Arena *, const char *text, size_t n, const char *path, Diag *);
const ProfileBlock *profile_find(const Profile *, const char *function, const char *label); /* NULL: it was not executed, or the report is of something else */
#endif
