/* A function's analyses, made when they are first asked for and kept as long as they hold: those of the graph
   until blocks or edges change, the others until an instruction does (isa/edit.h). Asking again after a
   change makes them anew. Results that a pass still holds after its own changes are stale: every analysis
   that is made from a Cfg asserts that this is not (cfg_fresh). */
#ifndef GSIM_ANALYSES_H
#define GSIM_ANALYSES_H
#include "passes/analysis/analysis.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/control.h"
#include "passes/analysis/expressions.h"
#include "passes/analysis/memdep.h"
#include "passes/analysis/pressure.h"
#include "passes/analysis/reaching.h"
#include "passes/analysis/safe_loads.h"
#include "passes/analysis/uniformity.h"
#include "passes/analysis/waits.h"

/* name, type of the result, of the graph alone?, help */
#define ANALYSES(X) \
	X(cfg, Cfg, true, "blocks with edges in reverse post-order, loops contiguous") \
	X(dom, Dom, true, "dominators") \
	X(pdom, Dom, true, "post-dominators, with returns and exits as edges to the exit") \
	X(loops, Loops, true, "the nest of loops, irreducible ones included") \
	X(control, Control, true, "the branches that each block is control dependent on") \
	X(regions, Regions, true, "the tree of regions with one entry and one exit") \
	X(structure, Structure, true, "whether structural reduction leaves one node, and where it stops " \
		"else") \
	X(liveness, Liveness, false, "registers that are live where blocks begin and end") \
	X(pressure, RegPressure, false, "how many registers, of 32 bits each, and predicates live at once") \
	X(ssa, Ssa, false, "versions of registers, and phis where they meet") \
	X(reaching, Reaching, false, "the definitions that may have written what each use reads") \
	X(webs, Webs, false, "how many independent webs of definitions and uses each register holds") \
	X(expressions, Expressions, false, "expressions by number, and where blocks compute and modify " \
		"them") \
	X(memdep, MemDep, false, "accesses to memory with their addresses, for questions of alias") \
	X(touched, Touched, false, "what a kernel reads and writes, by parameter and by variable") \
	X(buffers, Buffers, false, "buffers that may still be read, in a host function: where blocks begin " \
		"and end, behind what touches them") \
	X(safe, SafeLoads, false, "loads that cannot fault where they stand, and why") \
	X(waits, Waits, false, "loops and calls in which a thread may wait for what another one does") \
	X(uniformity, Uniformity, false, "branches on which the threads of a warp may part, registers that " \
		"may differ in a warp")

typedef enum {
#define X(NAME, TYPE, GRAPH, HELP) AN_##NAME,
	ANALYSES(X)
#undef X
	AN_COUNT,
	AN_effects = AN_COUNT,             /* no analyses, but --print shows them */
	AN_costs,
	AN_SHOWN
} AnalysisId;

/* Effects of all functions, as they were when a pass began. Passes take effects away but add none, so the
   table holds until the pass ends. */
typedef struct EffectCache { Arena arena; EffectTable *table; } EffectCache;
void effect_cache_clear(EffectCache *);

typedef struct AnalysisResult { Arena arena; void *value; uint64_t stamp; } AnalysisResult;

typedef struct Analyses {
	Module *m;
	Function *f;
	const struct CostTable *cost;      /* NULL: the default one */
	const struct MachineLimits *limits; /* likewise */
	const struct Profile *profile;     /* for analysis_print alone; NULL: none */
	/* what analysis_print tells of uniformity with a profile is added to it; NULL: nobody asks */
	struct MeasuredTally *tally;
	AnalysisResult result[AN_COUNT];
	int made[AN_COUNT];                /* how often each was made, for tests */
	EffectCache *effects, own;         /* shared by the functions of a module, or its own */
} Analyses;

/* the last three may be NULL */
Analyses *analyses_open(Module *, Function *, EffectCache *, const struct CostTable *,
	const struct MachineLimits *);
const EffectTable *analysis_effects(Analyses *);
void analyses_close(Analyses *);
void *analysis_get(Analyses *, AnalysisId);
#define X(NAME, TYPE, GRAPH, \
	HELP) static inline const TYPE *analysis_##NAME(Analyses *a) { return analysis_get(a, AN_##NAME); }
ANALYSES(X)
#undef X

/* By name, for --print. NULL in the name: the end of the list. */
typedef struct AnalysisInfo { const char *name, *help; } AnalysisInfo;
extern const AnalysisInfo analysis_info[AN_SHOWN + 1];
struct StrBuf;
/* text of its result, with the function's name */
void analysis_print(Analyses *, AnalysisId, struct StrBuf *);
#endif
