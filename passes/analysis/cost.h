/* What instructions cost, as plain numbers that the caller takes from the machine or leaves at the defaults,
   and how often blocks were executed. */
#ifndef GSIM_COST_H
#define GSIM_COST_H
#include "passes/analysis/analysis.h"

typedef struct UnitCost {
	int latency;             /* cycles from an instruction's issue to that of one that reads its result */
	int interval;                  /* cycles that a warp's instruction keeps the unit */
	int copies;                    /* which unit's copies it takes: its own, or those that it shares */
	int count;                     /* of these, so many */
	int schedulers;                /* so many schedulers' warps take them */
} UnitCost;

typedef struct CostTable {
	UnitCost unit[UNIT_COUNT];
	int width;                     /* instructions that a scheduler issues in a cycle */
	int memory[SP_COUNT];          /* latency of loads and atomics, by space */
	int op[OP_COUNT];              /* latency of single operations; 0: as their unit or space says */
} CostTable;
extern const CostTable cost_default;
int cost_latency(const CostTable *, const Ins *);     /* table NULL: the default one */
int cost_interval(const CostTable *, const Ins *);
/* sum of latencies: what one execution of the block costs a warp that never overlaps anything */
int64_t cost_block(const CostTable *, const Block *);

/* The cost that melding goes by: the same sum over blocks, where a store counts as a load of its space, since
   it keeps the same units and the same memory busy, times how often they are executed: a loop is taken to
   make COST_TURNS turns, down to six loops one in the other. */
enum { COST_TURNS = 8 };
int cost_whole(const CostTable *, const Ins *);
int64_t cost_weight(const Loops *, const Block *);
int64_t cost_function(const CostTable *, Function *);

/* What code asks of the machine when warps are so many that none is waited for: cycles of a scheduler for
   each unit's copies, and for issuing (the last one). The largest is a bound for the throughput. */
typedef struct Load { double cycles[UNIT_COUNT + 1]; } Load;
void load_add(Load *, const CostTable *, const Ins *, double times);
double load_bound(const Load *);

/* Executions of the source's blocks and branches, from a report of gsim (doc/gsim.md). */
typedef struct ProfileBlock { const char *function, *label; uint64_t fetches, threads; } ProfileBlock;
/* of the source; what decides in place of one that a pass has taken away; of none */
typedef enum { PROFILE_BRANCH, PROFILE_DECISION, PROFILE_INSERTED } ProfileKind;
typedef struct ProfileBranch {
	const char *function, *label, *file; /* "": the file is not known */
	int line;                      /* of one of them, if there are several; 0: not known */
	ProfileKind kind;
	uint64_t executed, divergent;  /* issues; of them, those in which lanes went different ways */
	uint64_t lanes, taken;         /* of all issues; of them, those that took the branch */
} ProfileBranch;
typedef struct Profile {
	int n;
	ProfileBlock *block;           /* by function, then by label; all launches of the run */
	int nbranch;
	ProfileBranch *branch;         /* by function, label, kind */
	bool counts_branches;       /* false: the report has none, as of a run in the reference interpreter */
	/* the caller found that the run was of other code than the module: what holds of one need not hold of
	   the other */
	bool other_code;
	const char *module_hash, *passes, *model; /* as the report has them; "": it has none */
	int warp_size;                 /* of the machine; 0: not known */
	/* the same run behind the passes that a pass asks to try (Pass.asks_profile); NULL: it has not been
	   made */
	const struct Profile *trial;
} Profile;
/* NULL with an error when the text is no report, or has rows that no run writes. */
Profile *profile_read(Arena *, const char *text, size_t n, const char *path, Diag *);
/* NULL: it was not executed, or the report is of something else */
const ProfileBlock *profile_find(const Profile *, const char *function, const char *label);
const ProfileBranch *profile_branch(const Profile *, const char *function, const char *label, ProfileKind);
#endif
