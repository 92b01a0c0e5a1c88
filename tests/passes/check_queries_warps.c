/* Question propagation and warps, on random nests of loops over arrays. ssrqp: where the threads of a warp
 * part at each divergent branch that they execute, a warp loads no more often than before. esrqp: no load is
 * inserted that depends on a divergent branch, by control dependence as it is defined, on the graph that
 * comes out. COUNT and FIRST say how many kernels, and from which seed on. */
#include "passes/analyses.h"
#include "tests/passes/random_loads.h"
#include "tests/random/differential.h"
#include "tests/check.h"

static Module *nest(uint64_t seed, bool orderly)
{
	char *text = random_loads(seed, orderly);
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "nest.ir", &d);
	ck_assert_msg(m != NULL, "%s\n%s", d.item.n ? d.item.v[0].text : "", text);
	diag_free(&d);
	free(text);
	return m;
}

static void campaign(void (*one)(uint64_t seed, void *), void *self)
{
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 60,
		first = getenv("FIRST") ? atoi(getenv("FIRST")) : 1;
	for (int i = 0; i < n; i++)
		one((uint64_t)(first + i), self);
}

/* ---- warps load no more often ---- */

static const char *const law[] = { "esrqp(cdrnd-strict=1)", "ssrqp", "ssrqp(nonfaulting=1)",
	"ssrqp(nonfaulting=1,shifts=6)", "ssrqp(nonfaulting=1),copy-prop,dce,ssrqp(nonfaulting=1)",
	"ssrqp(nonfaulting=1,max-pressure=10)" };
enum { LAWS = sizeof law / sizeof *law };

/* more: ssrqp-s loads more often */
typedef struct Warps { int kernels, skipped, more; uint64_t before[LAWS], after[LAWS]; } Warps;

/* Do lanes part at each execution of each branch that the analysis has as divergent? */
static bool all_part(Module *m, const LaunchStats *s)
{
	Arena a = { 0 };
	Function *f = m->func.v[0];
	const Cfg *c = cfg_build(&a, f);
	const Uniformity *u = uniformity_build(&a, c, 32);
	bool ok = true;
	for (int k = 0; k < s->tables.branches.n; k++)
		for (int b = 0; b < f->block.n; b++)
			if (u->divergent[b] && !strcmp(f->block.v[b]->label, s->tables.branches.v[k].label))
				ok &= s->tables.branches.v[k].executed == s->tables.branches.v[k].divergent;
	arena_free(&a);
	return ok;
}

static Outcome ran(const RandomKernel *shape, const Module *m, uint64_t seed, const char *pipeline,
	Probe *probe)
{
	Job job = { .shape = shape, .module = m, .grid = { 1, 1, 1 } };
	Config config;
	Diag d = { 0 };
	Outcome got;
	config_defaults(&config);
	ck_assert(config_set(&config, "divergence.model", "ipdom", &d));
	Way way = { .model = config.model, .functional = true };
	outcome_machine(&job, &config, &way, probe, &got);
	ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, pipeline, got.text);
	return got;
}

static void warps(uint64_t seed, void *self)
{
	Warps *seen = self;
	RandomKernel shape = { .module = nest(seed, true), .grid = { 1, 1, 1 }, .block = { RL_THREADS, 1, 1 },
		.threads = RL_THREADS, .out_bytes = RL_THREADS * RL_WORDS * 4 };
	char why[1700] = "";
	Probe before = { 0 };
	shape.kernel = shape.module->func.v[0];
	Outcome want = ran(&shape, shape.module, seed, "nothing", &before);
	bool parts = all_part(shape.module, &before.stats);
	seen->kernels++;
	seen->skipped += !parts;
	for (int l = 0; l <= LAWS && parts; l++) {
		const char *pipeline = l < LAWS ? law[l] : "ssrqp-s(nonfaulting=1)";
		Module *m = transformed(shape.module, pipeline, why, sizeof why);
		Probe after = { 0 };
		ck_assert_msg(m != NULL, "seed %d: %s: %s", (int)seed, pipeline, why);
		Outcome got = ran(&shape, m, seed, pipeline, &after);
		ck_assert_msg(!memcmp(want.out, got.out, shape.out_bytes), "seed %d: %s: other results",
			(int)seed, pipeline);
		ck_assert_msg(l == LAWS ||
				after.stats.totals.global_loads <= before.stats.totals.global_loads,
			"seed %d: %s: %d loads of warps, %d before", (int)seed, pipeline,
			(int)after.stats.totals.global_loads, (int)before.stats.totals.global_loads);
		seen->more += l == LAWS && after.stats.totals.global_loads > before.stats.totals.global_loads;
		if (l < LAWS) {
			seen->before[l] += before.stats.totals.global_loads;
			seen->after[l] += after.stats.totals.global_loads;
		}
		outcome_free(&got);
		arena_free(&after.arena);
		module_free(m);
	}
	outcome_free(&want);
	arena_free(&before.arena);
	module_free(shape.module);
}

START_TEST(warps_load_no_more)
{
	Warps seen = { 0 };
	campaign(warps, &seen);
	for (int l = 0; l < LAWS && getenv("VERBOSE"); l++)
		fprintf(stderr, "%s: %.1f %% of loads left\n", law[l],
			100.0 * (double)seen.after[l] / (double)seen.before[l]);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d of %d skipped, ssrqp-s loads more often in %d\n", seen.skipped,
			seen.kernels, seen.more);
	ck_assert_int_lt(seen.skipped, seen.kernels / 4);
	ck_assert(seen.after[2] < seen.after[0]);
	ck_assert_int_gt(seen.more, 0);
}
END_TEST

/* ---- control dependence ---- */

/* Does each way from s to an exit come to m? */
static bool post_dominates(const Function *f, int m, int s, bool *seen)
{
	if (s == m || seen[s])
		return true;
	seen[s] = true;
	const Block *b = f->block.v[s];
	for (int k = 0; k < b->nsucc; k++)
		if (!post_dominates(f, m, b->succ[k]->id, seen))
			return false;
	return b->nsucc > 0;
}

static bool after_all(const Function *f, int m, int s)
{
	bool *seen = xcalloc((size_t)f->block.n, sizeof *seen), yes = post_dominates(f, m, s, seen);
	free(seen);
	return yes;
}

static bool depends(const Function *f, int m, int n)
{
	const Block *b = f->block.v[n];
	bool some = false;
	for (int k = 0; k < b->nsucc; k++)
		some |= after_all(f, m, b->succ[k]->id);
	return some && (m == n || !after_all(f, m, n));
}

static void insertions(uint64_t seed, void *self)
{
	char why[1700] = "";
	Module *before = nest(seed, seed & 1), *m = transformed(before,
		seed & 2 ? "esrqp" : "esrqp(shifts=8)", why, sizeof why);
	ck_assert_msg(m != NULL, "seed %d: %s", (int)seed, why);
	Arena a = { 0 };
	Function *f = m->func.v[0];
	const Uniformity *u = uniformity_build(&a, cfg_build(&a, f), 32);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_LD || !i->origin)
				continue;
			++*(int *)self;
			for (int n = 0; n < f->block.n; n++)
				ck_assert_msg(!u->parts[n] || !depends(f, b, n),
					"seed %d: a load in %s, which depends on the divergent branch of %s",
					(int)seed, f->block.v[b]->label, f->block.v[n]->label);
		}
	arena_free(&a);
	module_free(m);
	module_free(before);
}

START_TEST(nothing_in_arms)
{
	int inserted = 0;
	campaign(insertions, &inserted);
	ck_assert_int_gt(inserted, 20);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("queries and warps");
	TCase *t = tcase_create("all");
	tcase_add_test(t, warps_load_no_more);
	tcase_add_test(t, nothing_in_arms);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
