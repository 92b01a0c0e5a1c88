/* Properties of passes: what a pipeline leaves as it was, and what a second run of a pass, or its cost, must
   be. */
#include "tests/random/properties_case.h"
#include "passes/analyses.h"
#include "passes/analysis/cost.h"
#include "tests/random.h"
#include "tests/random/random_pipeline.h"

static Job job_of(const Case *c, const Module *m)
{
	return (Job){ c->k, m, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
}

static uint64_t number_of(const Case *c, int k) { return c->seed * 8191 + (uint64_t)k; }

/* ---- blocks of the source ---- */

static const BlockStats *block_named(const LaunchStats *s, const BlockStats *b)
{
	for (int k = 0; k < s->tables.blocks.n; k++)
		if (!strcmp(s->tables.blocks.v[k].function, b->function) &&
			!strcmp(s->tables.blocks.v[k].label, b->label))
			return &s->tables.blocks.v[k];
	return NULL;
}

/* The lanes for which the branch of that block of the source has decided, and those that have taken it,
   wherever it stands. */
static void decided(const LaunchStats *s, const BranchStats *of, uint64_t *lanes, uint64_t *taken)
{
	*lanes = *taken = 0;
	for (int k = 0; k < s->tables.branches.n; k++) {
		const BranchStats *b = &s->tables.branches.v[k];
		if (b->source && !strcmp(b->function, of->function) && !strcmp(b->label, of->label)) {
			*lanes += b->lanes;
			*taken += b->lanes_taken;
		}
	}
}

static void same_decisions(Case *c, const LaunchStats *before, const LaunchStats *after, const char *pipeline)
{
	for (int k = 0; k < before->tables.branches.n; k++) {
		const BranchStats *b = &before->tables.branches.v[k];
		uint64_t lanes[2], taken[2];
		decided(before, b, &lanes[0], &taken[0]);
		decided(after, b, &lanes[1], &taken[1]);
		if (b->source && (lanes[0] != lanes[1] || taken[0] != taken[1]))
			FAIL(c, "%s: %llu of %llu lanes take the branch of %s of %s, %llu of %llu before",
				pipeline, ll(taken[1]), ll(lanes[1]), b->label, b->function, ll(taken[0]),
				ll(lanes[0]));
	}
}

/* The lanes that each block of the source has had, and those that have taken its branch, after a pipeline. */
static void same_sources(Case *c, const Run *before, const char *pipeline)
{
	char why[1700];
	Module *m = transformed(c->k->module, pipeline, why, sizeof why);
	Job job = job_of(c, m);
	Way way = { model_index("ipdom"), pipeline, true };
	Config config;
	Probe probe = { 0 };
	Outcome got = { 0 };
	if (!m) {
		FAIL(c, "%s", why);
		return;
	}
	config_defaults(&config);
	outcome_machine(&job, &config, &way, &probe, &got);
	if (got.how == RAN_BADLY)
		FAIL(c, "%s: %s", pipeline, got.text);
	for (int k = 0; k < before->probe.stats.tables.blocks.n && got.how == RAN_WELL; k++) {
		const BlockStats *b = &before->probe.stats.tables.blocks.v[k],
				 *a = block_named(&probe.stats, b);
		/* a function that nobody calls any more has no rows */
		if ((a ? a->threads : 0) != b->threads)
			FAIL(c, "%s: %llu lanes in block %s of %s, %llu before", pipeline,
				a ? ll(a->threads) : 0, b->label, b->function, ll(b->threads));
	}
	if (got.how == RAN_WELL)
		same_decisions(c, &before->probe.stats, &probe.stats, pipeline);
	outcome_free(&got);
	arena_free(&probe.arena);
	module_free(m);
}

/* What passes do to blocks of the source changes nothing about how often lanes come to them, and how they
   decide. */
void sources(Case *c)
{
	const Run *before = case_run(c, "ipdom", "");
	StrBuf s = { 0 };
	if (!before)
		return;
	for (int k = 0; k < 4; k++) {
		s.n = 0;
		random_pipeline(c->k->module->func.n * 7919u + (uint64_t)before->fetches * 4 + (uint64_t)k,
			c->k->module, NULL, &s);
		same_sources(c, before, s.s);
	}
	sb_free(&s);
}


/* ---- the memory ---- */

/* After the pipeline: on the interpreter, and under mechanisms of four kinds, which count the same
   instructions of threads. */
static void same_memory(Case *c, const char *pipeline)
{
	static const char *const models[] = { NULL, "ipdom", "exec_mask", "its", "tf_stack" };
	char why[1700];
	uint64_t instructions = 0;
	bool refused;
	Config config;
	Module *m = transformed(c->k->module, pipeline, why, sizeof why);
	Job job = job_of(c, m);
	config_defaults(&config);
	if (!m)
		FAIL(c, "%s", why);
	for (int k = 0; m && k < 5; k++) {
		Way way = { .model = models[k] ? model_index(models[k]) : -1, .passes = pipeline,
			.functional = true };
		if (!way_agrees(&job, &config, &way, &c->want, &refused, &instructions, why, sizeof why))
			FAIL(c, "%s, %s: %s", pipeline, models[k] ? models[k] : "the interpreter", why);
		c->extra++;
	}
	if (m)
		module_free(m);
}

void melding(Case *c)
{
	enum { PIPELINES = 6 };
	const Run *before = case_run(c, "ipdom", "");
	for (int k = 0; k < PIPELINES && before; k++) {
		StrBuf s = { 0 };
		random_melding(number_of(c, k), &s);
		same_memory(c, s.s);
		same_sources(c, before, s.s);
		sb_free(&s);
	}
}

/* ---- one pass by itself ---- */

static const char *const alone[] = { "meld", "meld", "branch-fusion", "tail-merge", NULL };

void again(Case *c)
{
	uint64_t rng = number_of(c, 0);
	char why[1700];
	StrBuf s = { 0 };
	random_pass(alone, &rng, &s);
	Module *once = transformed(c->k->module, s.s, why, sizeof why),
		*twice = once ? transformed(once, s.s, why, sizeof why) : NULL;
	if (!once || !twice)
		FAIL(c, "%s", why);
	else if (!module_equal(once, twice) && !strstr(s.s, "work="))
		FAIL(c, "%s changes more the second time", s.s);
	if (once)
		module_free(once);
	if (twice)
		module_free(twice);
	sb_free(&s);
}

/* As melding counts it. -1: there is an irreducible cycle, in which the order of the blocks decides what is a
   loop in another, so that turning a branch around changes the sum. */
static int64_t cost_of_function(Function *f)
{
	Arena a = { 0 };
	Loops *l = loops_build(&a, cfg_build(&a, f));
	bool plain = true;
	for (int k = 0; k < l->n; k++)
		plain &= l->loop[k].reducible;
	arena_free(&a);
	return plain ? cost_function(NULL, f) : -1;
}

/* With the machine's costs, which are what is counted here. */
void cost(Case *c)
{
	static const char *const list[] = { "meld", "meld", "branch-fusion", NULL };
	uint64_t rng = number_of(c, 1);
	char why[1700];
	StrBuf s = { 0 };
	do {
		s.n = 0;
		random_pass(list, &rng, &s);
	} while (strstr(s.s, "costs=paper"));
	Module *m = transformed(c->k->module, s.s, why, sizeof why);
	if (!m)
		FAIL(c, "%s", why);
	for (int f = 0; m && f < m->func.n; f++) {
		int64_t before = cost_of_function(c->k->module->func.v[f]),
			after = cost_of_function(m->func.v[f]);
		if (before >= 0 && after > before)
			FAIL(c, "%s: %s costs %lld cycles, %lld before", s.s, m->func.v[f]->name,
				(long long)after, (long long)before);
	}
	if (m)
		module_free(m);
	sb_free(&s);
}

/* Runs with warps of one lane, where the accesses of warps are those of threads. */
static bool run_alone(Case *c, const Module *m, const char *pipeline, LaunchStats *stats)
{
	Job job = job_of(c, m);
	Way way = { .model = model_index("ipdom"), .passes = pipeline, .functional = true };
	Config config;
	Diag d = { 0 };
	Probe probe = { 0 };
	Outcome got = { 0 };
	config_defaults(&config);
	must(config_set(&config, "warp_size", "1", &d) && config_set(&config, "sm.max_warps", "64", &d) &&
		config_set(&config, "sm.max_threads_per_block", "64", &d)); /* larger blocks are refused */
	outcome_machine(&job, &config, &way, &probe, &got);
	c->extra++;
	bool ran = got.how == RAN_WELL;
	*stats = probe.stats;
	if (got.how == RAN_BADLY && pipeline) /* as it is, it may count on larger warps at a barrier */
		FAIL(c, "%s, warps of one lane: %s", pipeline, got.text);
	outcome_free(&got);
	arena_free(&probe.arena);
	diag_free(&d);
	return ran;
}

/* Kernels whose threads do nothing as warps. */
void accesses(Case *c)
{
	LaunchStats before, after;
	uint64_t rng = number_of(c, 2);
	char why[1700];
	StrBuf s = { 0 };
	random_pass(alone, &rng, &s);
	Module *m = transformed(c->k->module, s.s, why, sizeof why);
	if (!m)
		FAIL(c, "%s", why);
	else if (!(c->k->features & (RF_WARP | RF_GROUP)) && run_alone(c, c->k->module, NULL, &before) &&
		run_alone(c, m, s.s, &after)) {
		const uint64_t was[] = { before.totals.global_loads, before.totals.global_stores,
			before.totals.shared_accesses, before.totals.local_accesses, before.totals.atomics };
		const uint64_t is[] = { after.totals.global_loads, after.totals.global_stores,
			after.totals.shared_accesses, after.totals.local_accesses, after.totals.atomics };
		static const char *const what[] = { "loads", "stores", "shared accesses", "local accesses",
			"atomics" };
		for (int k = 0; k < 5; k++)
			if (was[k] != is[k])
				FAIL(c, "%s: threads have %llu %s, %llu before", s.s, ll(is[k]), what[k],
					ll(was[k]));
	}
	if (m)
		module_free(m);
	sb_free(&s);
}
