/* Changes of passes, counted (passes/pass.h): the first N of a pipeline are the first N of all, and leave a
   kernel that does what it did. */
#include "passes/pass.h"
#include "tests/check.h"
#include "tests/random/differential.h"
#include "tests/random/random_pipeline.h"
#include <stdlib.h>

typedef struct Limited { Module *m; PassLimit limit; PassLog log; } Limited;

/* The module after the first `most` changes of a pipeline. */
static Limited *run_limited(const Module *m, const char *passes, int64_t most)
{
	Limited *x = xcalloc(1, sizeof *x);
	Diag d = { 0 };
	x->m = module_copy(m);
	x->limit.most = most;
	x->log.limit = &x->limit;
	bool ok = pipeline_run(x->m, passes, &(PassHost){ .log = &x->log }, &d);
	ck_assert_msg(ok, "%s after %lld changes: %s", passes, (long long)most, diag_first(&d));
	diag_free(&d);
	return x;
}

static void free_limited(Limited *x)
{
	module_free(x->m);
	vec_free(&x->limit.change);
	pass_log_free(&x->log);
	free(x);
}

static bool same_change(const PassChange *a, const PassChange *b)
{
	return a->step == b->step && !strcmp(a->pass, b->pass) && !strcmp(a->function, b->function) &&
		!strcmp(a->what, b->what) && a->place.line == b->place.line;
}

static void check_result(const RandomKernel *k, const Module *m, const Outcome *want, const char *passes,
	int n)
{
	Outcome got;
	char text[256];
	Job j = { .shape = k, .module = m };
	memcpy(j.grid, k->grid, sizeof j.grid);
	outcome_reference(&j, 32, &got);
	ck_assert_msg(outcome_agrees(k, want, &got, text, sizeof text), "%s, the first %d changes: %s",
		passes, n, text);
	outcome_free(&got);
}

/* A pipeline with all its changes, with none, and with some numbers between; returns how many it has. */
static int check_pipeline(const RandomKernel *k, const Outcome *want, const char *passes, uint64_t seed)
{
	Limited *all = run_limited(k->module, passes, INT64_MAX);
	int total = all->limit.change.n;
	for (int n = 0, at = (int)(seed % 3); n < 4; n++, at += 1 + total / 4) {
		int most = at < total ? at : total;
		Limited *some = run_limited(k->module, passes, most);
		ck_assert_msg(some->limit.change.n == most, "%s: %d changes of %d", passes,
			some->limit.change.n, most);
		for (int c = 0; c < most; c++)
			ck_assert_msg(same_change(&all->limit.change.v[c], &some->limit.change.v[c]),
				"%s, the first %d changes: number %d is another one", passes, most, c + 1);
		ck_assert_msg(most < total || module_equal(some->m, all->m),
			"%s: all changes by number differ", passes);
		ck_assert_msg(most || module_equal(some->m, k->module), "%s: no change changes something",
			passes);
		check_result(k, some->m, want, passes, most);
		free_limited(some);
	}
	free_limited(all);
	return total;
}

START_TEST(first_changes_are_sound)
{
	int changes = 0;
	const char *first = getenv("FIRST"), *count = getenv("COUNT");
	uint64_t from = first ? strtoull(first, NULL, 10) : 1,
		 kernels = count ? strtoull(count, NULL, 10) : 60;
	for (uint64_t seed = from; seed < from + kernels; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		Job j = { .shape = k, .module = k->module };
		Outcome want;
		memcpy(j.grid, k->grid, sizeof j.grid);
		outcome_reference(&j, 32, &want);
		for (int p = 0; p < 3 && want.how == RAN_WELL; p++) {
			StrBuf text = { 0 };
			if (p)
				random_defaults(seed * 31 + (uint64_t)p, &text);
			else
				random_pipeline(seed, NULL, NULL, &text);
			changes += check_pipeline(k, &want, text.s, seed);
			sb_free(&text);
		}
		outcome_free(&want);
		random_kernel_free(k);
	}
	ck_assert_int_gt(changes, 1000);
}
END_TEST

/* Every pass changes something in some kernel, one pass at a time; where it asks for each change, there are
   more of them than functions. */
START_TEST(passes_ask_for_each_change)
{
	static const char *const asks[] = { "branch-fusion", "const-prop", "copy-prop", "cse", "dce",
		"flatten(rule=always)", "forward-stores", "gcse", "global-dce", "if-convert(branches=all)",
		"lcm", "loop-rotate", "meld", "pre", "scm", "simplify-cfg", "split-edges", "spre", "srqp",
		"ssrqp", "sscm", "tail-merge", "unroll", "webs" };
	for (size_t p = 0; p < sizeof asks / sizeof *asks; p++) {
		int whole = 0, named = 0;
		for (uint64_t seed = 1; seed <= 120 && !named; seed++) {
			RandomParams params = RANDOM_DEFAULTS(seed);
			params.arms = seed % 2;
			RandomKernel *k = random_kernel_new(&params);
			Limited *x = run_limited(k->module, asks[p], INT64_MAX);
			for (int c = 0; c < x->limit.change.n; c++)
				*(strstr(x->limit.change.v[c].what, "as a whole") ? &whole : &named) += 1;
			free_limited(x);
			random_kernel_free(k);
		}
		ck_assert_msg(named > 0, "%s has not asked; as a whole it has made %d changes", asks[p],
			whole);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("changes");
	TCase *t = tcase_create("changes");
	tcase_add_test(t, first_changes_are_sound);
	tcase_add_test(t, passes_ask_for_each_change);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
