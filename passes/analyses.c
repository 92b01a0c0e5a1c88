#include "passes/analyses.h"
#include "lib/strbuf.h"
#include "passes/analysis/limits.h"
#include "passes/analysis/measured.h"
#include "passes/analysis/print.h"
#include <stdlib.h>

const AnalysisInfo analysis_info[AN_SHOWN + 1] = {
#define X(NAME, TYPE, GRAPH, HELP) { #NAME, HELP },
	ANALYSES(X)
#undef X
	{ "effects", "what instructions read, write and do besides their results" },
	{ "costs", "the sum of latencies of each block, and how often the profile says that it was "
		"executed" },
};

static const bool of_graph[AN_COUNT] = {
#define X(NAME, TYPE, GRAPH, HELP) GRAPH,
	ANALYSES(X)
#undef X
};

/* ---- how each analysis is made; one may ask for others ---- */

static Cfg *build_cfg(Analyses *an, Arena *a) { return cfg_build(a, an->f); }
static Dom *build_dom(Analyses *an, Arena *a) { return dom_build(a, analysis_cfg(an)); }
static Dom *build_pdom(Analyses *an, Arena *a) { return pdom_build(a, analysis_cfg(an), true); }
static Loops *build_loops(Analyses *an, Arena *a) { return loops_build(a, analysis_cfg(an)); }
static Control *build_control(Analyses *an, Arena *a)
{
	return control_build(a, analysis_cfg(an), analysis_pdom(an));
}
static SeseRegions *build_regions(Analyses *an, Arena *a) { return regions_build(a, analysis_cfg(an)); }
static Structure *build_structure(Analyses *an, Arena *a) { return structure_build(a, analysis_cfg(an)); }
static Liveness *build_liveness(Analyses *an, Arena *a) { return liveness_build(a, analysis_cfg(an)); }
static RegPressure *build_pressure(Analyses *an, Arena *a)
{
	return pressure_build(a, analysis_cfg(an), analysis_liveness(an));
}
static Ssa *build_ssa(Analyses *an, Arena *a) { return ssa_build(a, analysis_cfg(an), analysis_dom(an)); }
static Reaching *build_reaching(Analyses *an, Arena *a)
{
	return reaching_build(a, analysis_cfg(an), analysis_ssa(an));
}
static Expressions *build_expressions(Analyses *an, Arena *a)
{
	return expressions_build(a, analysis_cfg(an), analysis_effects(an));
}
static MemDep *build_memdep(Analyses *an, Arena *a)
{
	return memdep_build(a, analysis_cfg(an), analysis_ssa(an), analysis_effects(an), (MemFacts){ 0 });
}
static Touched *build_touched(Analyses *an, Arena *a)
{
	return touched_build(a, analysis_cfg(an), analysis_pdom(an), analysis_memdep(an));
}
static Buffers *build_buffers(Analyses *an, Arena *a)
{
	return buffers_build(a, analysis_cfg(an), analysis_loops(an), analysis_effects(an));
}
static SafeLoads *build_safe(Analyses *an, Arena *a)
{
	return safe_loads_build(a, analysis_cfg(an), analysis_dom(an), analysis_ssa(an),
		analysis_liveness(an), analysis_memdep(an), analysis_effects(an));
}
static Webs *build_webs(Analyses *an, Arena *a) { return webs_build(a, analysis_cfg(an), analysis_ssa(an)); }
static Waits *build_waits(Analyses *an, Arena *a)
{
	return waits_build(a, analysis_cfg(an), analysis_dom(an), analysis_loops(an), analysis_control(an),
		analysis_ssa(an), analysis_effects(an), WAITS_FOR_THREADS);
}
static Uniformity *build_for_scope(Analyses *an, Arena *a, UniScope scope)
{
	return uniformity_solve(a, analysis_cfg(an), analysis_dom(an), analysis_pdom(an), analysis_ssa(an),
		analysis_reaching(an), (UniformityOptions){ .scope = scope,
		.warp_size = limits_of(an->limits)->warp_size });
}
static Uniformity *build_uniformity(Analyses *an, Arena *a) { return build_for_scope(an, a, UNI_WARP); }
static Uniformity *build_uniformity_block(Analyses *an, Arena *a)
{
	return build_for_scope(an, a, UNI_BLOCK);
}
static Uniformity *build_uniformity_grid(Analyses *an, Arena *a) { return build_for_scope(an, a, UNI_GRID); }

static void *build_analysis(Analyses *an, AnalysisId id, Arena *a)
{
	switch (id) {
#define X(NAME, TYPE, GRAPH, HELP) case AN_##NAME: return build_##NAME(an, a);
	ANALYSES(X)
#undef X
	default: break;
	}
	bug("no such analysis");
}

static void print_measured(Analyses *an, StrBuf *s)
{
	Arena tmp = { 0 };
	const Measured *r = measured_build(&tmp, an->m, analysis_cfg(an), analysis_uniformity(an),
		an->profile);
	measured_print(analysis_cfg(an), r, an->profile, s);
	uniformity_print_regs(analysis_cfg(an), r->u, s);
	if (an->tally)
		measured_add(an->tally, &r->tally);
	arena_free(&tmp);
}

#define uniformity_block_print uniformity_print
#define uniformity_grid_print uniformity_print

void analysis_print(Analyses *an, AnalysisId id, StrBuf *s)
{
	bool uniformity = id == AN_uniformity || id == AN_uniformity_block || id == AN_uniformity_grid;
	sb_printf(s, "%s of %s: %s\n", analysis_info[id].name, an->f->name, analysis_info[id].help);
	if (uniformity && an->f->kind == FN_HOST) {
		sb_puts(s, "  a host function: one thread, in no warp\n");
		return;
	}
	if (id == AN_uniformity && an->profile && an->profile->counts_branches) {
		print_measured(an, s);
		return;
	}
	if (id == AN_uniformity && an->profile)
		sb_puts(s, "  the report counts no branches; that of a run on a machine does, timed or "
			"--functional\n");
	switch (id) {
#define X(NAME, TYPE, GRAPH, HELP) case AN_##NAME: NAME##_print(analysis_cfg(an), analysis_##NAME(an), s); \
	break;
	ANALYSES(X)
#undef X
	case AN_effects: effects_print(analysis_cfg(an), an->m, analysis_effects(an), s); break;
	case AN_costs: costs_print(analysis_cfg(an), an->cost, an->profile, s); break;
	case AN_SHOWN: break;
	}
}

/* ---- the cache ---- */

void effect_cache_clear(EffectCache *c)
{
	arena_free(&c->arena);
	*c = (EffectCache){ 0 };
}

const EffectTable *analysis_effects(Analyses *an)
{
	if (!an->effects->table)
		an->effects->table = effects_build(&an->effects->arena, an->m);
	return an->effects->table;
}

Analyses *analyses_open(Module *m, Function *f, EffectCache *effects, const struct CostTable *cost,
	const MachineLimits *limits)
{
	Analyses *an = xcalloc(1, sizeof *an);
	an->m = m;
	an->f = f;
	an->effects = effects ? effects : &an->own;
	an->cost = cost;
	an->limits = limits;
	return an;
}

void analyses_close(Analyses *an)
{
	for (int k = 0; k < AN_COUNT; k++)
		arena_free(&an->result[k].arena);
	effect_cache_clear(&an->own);
	free(an);
}

void *analysis_get(Analyses *an, AnalysisId id)
{
	AnalysisResult *r = &an->result[id];
	uint64_t now = of_graph[id] ? an->f->graph_stamp : an->f->code_stamp;
	if (r->value && r->stamp == now)
		return r->value;
	arena_free(&r->arena);
	r->arena = (Arena){ 0 };
	r->value = build_analysis(an, id, &r->arena);
	r->stamp = now;
	an->made[id]++;
	return r->value;
}
