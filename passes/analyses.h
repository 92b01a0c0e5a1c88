/* The analyses of a function. Each is made when it is first asked for, and kept as long as it holds: an
   analysis of blocks and edges alone (the graph) until one of these changes, any other until an instruction
   changes (isa/edit.h). Whoever asks after such a change gets an analysis that is made anew. A pass must not
   use a result any more that it got before its own changes: every analysis that is made from a Cfg asserts
   that the Cfg is not stale (cfg_fresh). */
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

/* X(name, type of the result, does the result depend on blocks and edges alone?, help) */
#define ANALYSES(X) \
	X(cfg, Cfg, true, "blocks with edges in reverse post-order, loops contiguous") \
	X(dom, Dom, true, "dominators") \
	X(pdom, Dom, true, "post-dominators, with returns and exits as edges to the exit") \
	X(loops, Loops, true, "the nest of loops, irreducible ones included") \
	X(control, Control, true, "the branches that each block is control dependent on") \
	X(regions, SeseRegions, true, "the tree of regions with one entry and one exit") \
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
		"may differ in a warp") \
	X(uniformity_block, Uniformity, false, "the same of the threads of a block, and where some of them " \
		"may come alone") \
	X(uniformity_grid, Uniformity, false, "the same of all threads of the grid")

typedef enum {
#define X(NAME, TYPE, GRAPH, HELP) AN_##NAME,
	ANALYSES(X)
#undef X
	AN_COUNT,
	AN_effects = AN_COUNT,             /* from here on no analyses, but --print shows these, too */
	AN_costs,
	AN_SHOWN
} AnalysisId;

/* The effects of all functions of a module, as they were when a pass began. Passes take effects away but add
   none, so the table holds until the pass ends. */
typedef struct EffectCache { Arena arena; EffectTable *table; } EffectCache;
void effect_cache_clear(EffectCache *);

typedef struct AnalysisResult { Arena arena; void *value; uint64_t stamp; } AnalysisResult;

typedef struct Analyses {
	Module *m;
	Function *f;
	const struct CostTable *cost;      /* what instructions cost; NULL: the default table */
	const struct MachineLimits *limits; /* what the machine has room for; NULL: the default limits */
	const struct Profile *profile;     /* read by analysis_print alone; NULL: there is none */
	/* analysis_print adds its counts to this tally when it compares uniformity with a profile; NULL:
	   nobody wants them */
	struct MeasuredTally *tally;
	AnalysisResult result[AN_COUNT];
	int made[AN_COUNT];                /* how often each analysis was made, for tests */
	EffectCache *effects, own;   /* effects: the cache in use, shared by a module's functions, or `own` */
} Analyses;

/* The last three may be NULL: then the effects are cached for this function alone, and costs and limits are
   the default ones. */
Analyses *analyses_open(Module *, Function *, EffectCache *, const struct CostTable *,
	const struct MachineLimits *);
const EffectTable *analysis_effects(Analyses *);
void analyses_close(Analyses *);
void *analysis_get(Analyses *, AnalysisId);
#define X(NAME, TYPE, GRAPH, \
	HELP) static inline const TYPE *analysis_##NAME(Analyses *a) { return analysis_get(a, AN_##NAME); }
ANALYSES(X)
#undef X

/* What --print can show, by name. An entry whose name is NULL ends the list. */
typedef struct AnalysisInfo { const char *name, *help; } AnalysisInfo;
extern const AnalysisInfo analysis_info[AN_SHOWN + 1];
struct StrBuf;
/* appends the result of the analysis as text, under a line with the function's name */
void analysis_print(Analyses *, AnalysisId, struct StrBuf *);
#endif
