/* The uniformity analysis' verdicts beside what a run has measured: each branch of the source with how often
 * lanes parted there.
 *
 * Both speak of the lanes of a warp that execute the branch together. A branch that is said to be divergent
 * need not be so in a run: the analysis knows no data. One that is said to be uniform never is divergent;
 * where a run says so, the analysis is wrong, or what it was told (`.uni`, the machine's mechanism) is. */
#ifndef GSIM_MEASURED_H
#define GSIM_MEASURED_H
#include "passes/analysis/cost.h"
#include "passes/analysis/uniformity.h"

typedef enum {
	MEASURED_AGREES,
	MEASURED_NEVER,                /* divergent by analysis, and lanes never parted */
	/* divergent by analysis, but the branch was executed by single lanes only, which cannot part */
	MEASURED_ALONE,
	MEASURED_FAULT,                /* uniform by analysis, and lanes parted */
	MEASURED_CLAIM,                /* uniform because the source says so (.uni), and lanes parted */
	MEASURED_ELSEWHERE,            /* uniform by analysis, and lanes parted, in a run of other code */
	MEASURED_UNEXECUTED,
	MEASURED_NONE,                 /* the report has no such branch */
	/* the report alone has the branch: an instruction that decides in place of a branch of the source, or
	   a branch that the module does not have any more */
	MEASURED_REMOVED,
	/* the report alone has the branch, and it is none of the source's: a pass or lowering has made it */
	MEASURED_INSERTED,
	MEASURED_KINDS
} MeasuredKind;

typedef struct MeasuredRow {
	/* label of the source's block; of a branch that is none of the source's, of the block in which it
	   stands */
	const char *label;
	Loc loc;
	/* block of the first branch of the module that decides this branch of the source, or of the first
	   divergent one if there is one; -1: none is left */
	int block;
	int copies;                    /* how many branches of the module decide this branch of the source */
	/* divergent: the analysis says so; claimed: the analysis says uniform, because of .uni alone */
	bool divergent, claimed;
	bool inserted;
	const ProfileBranch *run;      /* NULL: the report does not have it */
	MeasuredKind kind;
} MeasuredRow;

typedef struct MeasuredTally { uint64_t rows[MEASURED_KINDS], executed[MEASURED_KINDS]; } MeasuredTally;

typedef struct Measured {
	const Uniformity *u;       /* the analysis' verdicts for the mechanism of the run */
	/* what the verdicts are for (uniformity.h): lanes meet anywhere; warps are several of the kernel's,
	   which has warp-level operations */
	bool anywhere, wide;
	/* the mechanism, with parameters that are not looked at, may need `anywhere`, which is not set
	   (measured_anywhere) */
	bool perhaps;
	int n;
	/* branches in the order of the source; behind these the branches that the report alone has */
	MeasuredRow *row;
	MeasuredTally tally;
} Measured;
Measured *measured_build(Arena *, const Module *, const Cfg *, const Uniformity *, const Profile *);
/* the profile must count branches */
void measured_print(const Cfg *, const Measured *, const Profile *, StrBuf *);
void measured_add(MeasuredTally *, const MeasuredTally *);
void measured_sum(const MeasuredTally *, StrBuf *);

/* Does the mechanism of this name, perhaps with parameters behind it, let lanes of the module's functions
   meet anywhere (uniformity.h)? Parameters are not looked at. The mechanisms its, aware and multi_path do so
   with some parameters: for them false may be wrong, and *perhaps says so. */
bool measured_anywhere(const Module *, const char *model, bool *perhaps);
#endif
