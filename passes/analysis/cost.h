/* What instructions cost, as plain numbers that the caller takes from the machine or leaves at the defaults
   (CostTable), and how often blocks and branches were executed in a run (Profile). */
#ifndef GSIM_COST_H
#define GSIM_COST_H
#include "passes/analysis/analysis.h"
#include "passes/constants.h"

typedef struct UnitCost {
	int latency;             /* cycles from an instruction's issue to that of one that reads its result */
	int interval;                  /* cycles that a warp's instruction keeps the unit */
	/* the unit whose copies execute the instructions: the unit itself, or another one, which shares
	   them */
	int copies;
	int count;                     /* how many copies that unit has */
	int schedulers;                /* how many schedulers' warps share these copies */
} UnitCost;

typedef struct CostTable {
	UnitCost unit[UNIT_COUNT];
	/* latency from an instruction to a guard or a branch that reads the predicate that it writes; 0: the
	   unit's latency */
	int guard[UNIT_COUNT];
	int width;                     /* instructions that a scheduler issues in a cycle */
	int memory[SP_COUNT];          /* latency of loads and atomics, by space */
	int op[OP_COUNT];              /* latency by operation; 0: that of its unit or space */
	/* cycles by which the target of a jump issues later than an instruction behind the jump would */
	int redirect;
	/* of a branch at which lanes of a warp go two ways and meet again: cycles for which the warp issues
	   nothing because of that, all together; operations that the mechanism issues for it */
	int part_cycles, part_operations;
	/* cycles for which a warp waits for its instructions when it is the first to execute them, for each
	   instruction */
	double fetch;
} CostTable;
extern const CostTable cost_default;
int cost_latency(const CostTable *, const Ins *);     /* cycles; table NULL: the default one */
int cost_guard_latency(const CostTable *, const Ins *);
int cost_interval(const CostTable *, const Ins *);
/* sum of latencies: cycles of one execution of the block, if no instruction overlaps with another */
int64_t cost_block(const CostTable *, const Block *);
int cost_redirect(const CostTable *);
int cost_operations(const CostTable *);                    /* part_operations */
/* cycles until a warp that is the first to execute so many instructions has them */
int64_t cost_fetch(const CostTable *, int64_t instructions);
/* cycles until lanes that part have met again, beyond those of the code that they execute */
int cost_parting(const CostTable *);

/* The cost by which melding decides: cost_function, the sum of cost_whole over all instructions, each times
   cost_weight of its block. A store costs as much as a load of its space, since it keeps the same units and
   the same memory busy. A block's weight is how often it is executed if every loop makes LOOP_TURNS turns; of
   loops one in the other six count. */
int cost_whole(const CostTable *, const Ins *);
int64_t cost_weight(const Loops *, const Block *);
int64_t cost_function(const CostTable *, Function *);

/* What code asks of the machine when it has so many warps that no latency matters: for how many cycles, as a
   scheduler sees it, the code keeps the copies of each unit busy, and, in the last element, issues. The
   largest of these is the least time that the code can take for each warp of a scheduler. */
typedef struct Load { double cycles[UNIT_COUNT + 1]; } Load;
void load_add(Load *, const CostTable *, const Ins *, double times);
void load_scale_add(Load *, const Load *, double times);
/* adds the operations for `times` branches at which lanes part */
void load_part(Load *, const CostTable *, double times);
double load_bound(const Load *);

/* Executions of the source's blocks and branches, from a report of gsim (doc/gsim.md). */
typedef struct ProfileBlock { const char *function, *label; uint64_t fetches, threads; } ProfileBlock;
/* a branch of the source; an instruction that decides in place of a source's branch that a pass has taken
   away; a branch that is not of the source */
typedef enum { PROFILE_BRANCH, PROFILE_DECISION, PROFILE_INSERTED } ProfileKind;
typedef struct ProfileBranch {
	const char *function, *label, *file; /* file "": it is not known */
	int line;         /* line of the branch, or of one if several branches are in the row; 0: not known */
	ProfileKind kind;
	/* executed: issues of the branch; divergent: those in which lanes went different ways */
	uint64_t executed, divergent;
	/* lanes: sum of the lanes of all issues; taken: of these lanes, how many took the branch */
	uint64_t lanes, taken;
} ProfileBranch;
typedef struct Profile {
	int n;
	ProfileBlock *block;           /* in order of function, then label; summed up over all launches */
	int nbranch;
	ProfileBranch *branch;         /* in order of function, label, kind */
	/* false: the report has no branches, as that of a run in the reference interpreter */
	bool counts_branches;
	/* The caller sets this when the run was of other code than the module: what the report says of the
	   one need not hold of the other. */
	bool other_code;
	const char *module_hash, *passes, *model; /* texts as the report has them; "": the report has none */
	int warp_size;                 /* lanes in a warp of the run's machine; 0: not known */
	/* the profile of the same run of the module after the passes that a pass asks to try
	   (Pass.asks_profile); NULL: there was no such run */
	const struct Profile *trial;
} Profile;
/* Returns NULL with an error when the text is no report, or has rows that no run writes. */
Profile *profile_read(Arena *, const char *text, size_t n, const char *path, Diag *);
/* NULL: the block, or branch, was not executed, or the report is of something else */
const ProfileBlock *profile_find(const Profile *, const char *function, const char *label);
const ProfileBranch *profile_branch(const Profile *, const char *function, const char *label, ProfileKind);
#endif
