/* Random pipelines on random kernels: the reference interpreter leaves the same memory, clean-ups that say
 * they have come to an end have, and no clean-up makes a warp execute more instructions. COUNT kernels, each
 * under PIPELINES of its own. */
#include "passes/pass.h"
#include "tests/random/differential.h"
#include "tests/random/random_pipeline.h"
#include "tests/check.h"

static int wanted(const char *variable, int otherwise)
{
	const char *text = getenv(variable);
	return text ? atoi(text) : otherwise;
}

typedef struct Kernel { RandomKernel *k; Job job; } Kernel;

static Kernel kernel(uint64_t seed)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	Kernel x = { .k = random_kernel_new(&p) };
	x.job = (Job){ .shape = x.k, .module = x.k->module };
	memcpy(x.job.grid, x.k->grid, sizeof x.job.grid);
	return x;
}

static void try(Kernel *x, uint64_t seed, const char *pipeline, const Outcome *want)
{
	char text[1700] = "";
	Outcome got;
	Module *m = transformed(x->k->module, pipeline, text, sizeof text);
	ck_assert_msg(m != NULL, "seed %d: %s", (int)seed, text);
	x->job.module = m;
	outcome_reference(&x->job, 32, &got);
	ck_assert_msg(outcome_agrees(x->k, want, &got, text, sizeof text), "seed %d: %s: %s", (int)seed,
		pipeline, text);
	outcome_free(&got);
	module_free(m);
}

START_TEST(same_memory)
{
	int n = wanted("COUNT", 12), each = wanted("PIPELINES", 60);
	for (uint64_t seed = 1; seed <= (uint64_t)n; seed++) {
		Kernel x = kernel(seed);
		Outcome want;
		outcome_reference(&x.job, 32, &want);
		for (int p = 0; p < each; p++) {
			StrBuf pipeline = { 0 };
			random_pipeline(seed * 1000 + (uint64_t)p, x.k->module, NULL, &pipeline);
			if (getenv("VERBOSE"))
				fprintf(stderr, "seed %d: %s\n", (int)seed, pipeline.s);
			try(&x, seed, pipeline.s, &want);
			sb_free(&pipeline);
		}
		outcome_free(&want);
		random_kernel_free(x.k);
	}
}
END_TEST

/* ---- clean-ups by themselves ---- */

static const Pass *pass_named(const char *name)
{
	for (int k = 0; pass_at(k); k++)
		if (!strcmp(pass_at(k)->name, name))
			return pass_at(k);
	bug("no such pass");
}

static const char *const settling[] = { "const-prop", "copy-prop", "cse", "dce", "gcse", "lcm", "pre", "scm",
	"simplify-cfg", "split-edges", "sscm", "structurize",
	"tail-merge", "webs" };
enum { SETTLING = sizeof settling / sizeof *settling };

/* Whatever registers it takes: what a pass leaves for the registers' sake it may do when it has made the
   function another one. */
static void settling_options(const Pass *p, PassValue *option)
{
	pass_defaults(p, option);
	for (int k = 0; k < p->noptions; k++)
		if (!strcmp(p->options[k].name, "max-pressure"))
			option[k].number = 0;
}

START_TEST(a_second_run_changes_nothing)
{
	int n = wanted("COUNT", 60), changed[SETTLING] = { 0 };
	for (uint64_t seed = 1; seed <= (uint64_t)n; seed++) {
		Kernel x = kernel(seed);
		for (int p = 0; p < SETTLING; p++) {
			Module *m = module_copy(x.k->module);
			Diag d = { 0 };
			PassValue option[PASS_OPTIONS];
			settling_options(pass_named(settling[p]), option);
			for (int f = 0; f < m->func.n; f++) {
				if (m->func.v[f]->kind == FN_HOST || !m->func.v[f]->block.n)
					continue;
				changed[p] += pass_apply(pass_named(settling[p]), m, m->func.v[f], option,
					&d);
				ck_assert_msg(!pass_apply(pass_named(settling[p]), m, m->func.v[f], option,
					&d), "seed %d: %s changes %s a second time", (int)seed, settling[p],
					m->func.v[f]->name);
			}
			diag_free(&d);
			module_free(m);
		}
		random_kernel_free(x.k);
	}
	for (int p = 0; p < SETTLING; p++)
		ck_assert_msg(changed[p] > n / 4, "%s changed %d functions of %d kernels", settling[p],
			changed[p], n);
}
END_TEST

static uint64_t warp_instructions(const Kernel *x, const char *pipeline, const char *model)
{
	char text[1700];
	Diag d = { 0 };
	Config c;
	Probe probe = { 0 };
	Outcome got;
	Job job = x->job;
	Way way = { .passes = pipeline, .functional = true };
	Module *m = transformed(x->k->module, pipeline, text, sizeof text);
	ck_assert_msg(m != NULL, "%s", text);
	differential_machine(&c);
	ck_assert(config_set_model(&c, model, &d));
	way.model = (int)c.model;
	job.module = m;
	outcome_machine(&job, &c, &way, &probe, &got);
	ck_assert_msg(got.how == RAN_WELL, "%s: %s", pipeline ? pipeline : "as it is", got.text);
	uint64_t n = probe.stats.totals.warp_instructions;
	outcome_free(&got);
	module_free(m);
	arena_free(&probe.arena);
	diag_free(&d);
	return n;
}

static const char *const cleaning[] = { "const-prop", "copy-prop", "cse", "dce", "gcse", "global-dce",
	"simplify-cfg", "tail-merge", "unroll",
	"webs,const-prop,copy-prop,cse,gcse,copy-prop,dce,simplify-cfg" };
enum { CLEANING = sizeof cleaning / sizeof *cleaning };

START_TEST(clean_ups_never_execute_more)
{
	int n = wanted("COUNT", 40);
	uint64_t before = 0, after[CLEANING] = { 0 };
	for (uint64_t seed = 1; seed <= (uint64_t)n; seed++) {
		Kernel x = kernel(seed);
		uint64_t as_it_is = warp_instructions(&x, NULL, "ipdom");
		before += as_it_is;
		for (int p = 0; p < CLEANING; p++) {
			uint64_t now = warp_instructions(&x, cleaning[p], "ipdom");
			ck_assert_msg(now <= as_it_is, "seed %d: %s: %d warp instructions instead of %d",
				(int)seed, cleaning[p], (int)now, (int)as_it_is);
			after[p] += now;
		}
		random_kernel_free(x.k);
	}
	for (int p = 0; p < CLEANING && getenv("VERBOSE"); p++)
		fprintf(stderr, "%s: %.2f %% of the warp instructions\n", cleaning[p],
			100.0 * (double)after[p] / (double)before);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random pipelines");
	TCase *t = tcase_create("all");
	tcase_add_test(t, same_memory);
	tcase_add_test(t, a_second_run_changes_nothing);
	tcase_add_test(t, clean_ups_never_execute_more);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
