/* Random kernels: the reference interpreter leaves the same memory with and without passes; what
 * linearization leaves unstructured it gives a reason for. */
#include "passes/analysis/analysis.h"
#include "passes/pass.h"
#include "tests/random/differential.h"
#include "tests/check.h"

static const char *const pipelines[] = { "linearize", "simplify-cfg", "dce",
	"linearize,simplify-cfg,dce,linearize", "webs", "webs,linearize,webs", "tail-merge",
	"unroll,tail-merge,simplify-cfg", "simplify-cfg,tail-merge,linearize" };
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

typedef struct Seen { int changed, unstructured, left, notes; } Seen;

static void count(const Module *m, bool after, Seen *seen)
{
	Arena a = { 0 };
	for (int i = 0; i < m->func.n; i++) {
		Function *f = m->func.v[i];
		if (f->kind == FN_HOST || !f->block.n || structured(&a, cfg_build(&a, f), NULL))
			continue;
		*(after ? &seen->left : &seen->unstructured) += 1;
	}
	arena_free(&a);
}

static void try(uint64_t seed, Seen *seen)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	RandomKernel *k = random_kernel_new(&p);
	Job job = { .shape = k, .module = k->module };
	memcpy(job.grid, k->grid, sizeof job.grid);
	Outcome want, got;
	outcome_reference(&job, p.warp_size, &want);
	ck_assert_msg(want.how == RAN_WELL, "seed %d: %s", (int)seed, want.text);
	count(k->module, false, seen);
	for (int i = 0; i < PIPELINES; i++) {
		char text[600] = "";
		Diag diag = { 0 };
		Module *m = module_copy(k->module);
		bool ok = pipeline_run(m, pipelines[i], NULL, &diag);
		ck_assert_msg(ok, "seed %d: %s: %s", (int)seed, pipelines[i],
			diag.item.n ? diag.item.v[0].text : "failed");
		seen->changed += !module_equal(m, k->module);
		if (i == 0) {
			seen->notes += diag.item.n;
			count(m, true, seen);
		}
		job.module = m;
		outcome_reference(&job, p.warp_size, &got);
		ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, pipelines[i], got.text);
		ck_assert_msg(outcome_agrees(k, &want, &got, text, sizeof text), "seed %d: %s: %s", (int)seed,
			pipelines[i], text);
		outcome_free(&got);
		module_free(m);
		diag_free(&diag);
	}
	outcome_free(&want);
	random_kernel_free(k);
}

START_TEST(same_memory)
{
	Seen seen = { 0 };
	const char *text = getenv("COUNT");
	int n = text ? atoi(text) : 60;
	for (int i = 0; i < n; i++)
		try((uint64_t)i + 1, &seen);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d kernels: %d changed by passes; functions unstructured %d, after "
			"linearization %d, notes %d\n", n, seen.changed, seen.unstructured, seen.left,
			seen.notes);
	ck_assert_int_gt(seen.unstructured, n / 4);
	ck_assert_int_ge(seen.notes, seen.left); /* what stays unstructured has been said */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("passes on random kernels");
	TCase *t = tcase_create("all");
	tcase_add_test(t, same_memory);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
