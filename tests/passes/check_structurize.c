/* The baseline of linearization: random graphs do the same and are structured; how it grows. COUNT graphs;
   VERBOSE: sizes beside linearization's. */
#include "passes/analysis/analysis.h"
#include "passes/fingerprint.h"
#include "passes/pass.h"
#include "tests/random/differential.h"
#include "tests/random/random_text.h"
#include "tests/check.h"

static int count(void)
{
	const char *text = getenv("COUNT");
	return text ? atoi(text) : 600;
}

static Module *after(const Module *m, const char *pipeline)
{
	char text[1700];
	Module *x = transformed(m, pipeline, text, sizeof text);
	ck_assert_msg(x != NULL, "%s", text);
	return x;
}

static Function *kernel(const Module *m) { return module_find_function(m, "k"); }

static int instructions(const Function *f)
{
	int n = 0;
	for (int k = 0; k < f->block.n; k++)
		n += f->block.v[k]->ins.n;
	return n;
}

typedef struct Seen { int graphs, unstructured, capped; double before, copied, linearized; } Seen;

static void try(uint64_t seed, unsigned kind, Seen *seen)
{
	char text[1700];
	RandomKernel *k = random_graph_kernel(seed, kind);
	Job job = { .shape = k, .module = k->module, .grid = { 1, 1, 1 } };
	Outcome want, got;
	Function *f = kernel(k->module);
	bool was = function_structured(f);
	Module *m = after(k->module, "structurize(growth=10000)");
	Function *now = kernel(m);
	bool changed = fingerprint(f).graph != fingerprint(now).graph;
	seen->graphs++;
	seen->unstructured += !was;
	ck_assert_msg(!was || !changed, "seed %d, kind %u: changed though structured", (int)seed, kind);
	if (!was && !changed)
		seen->capped++;
	else
		ck_assert_msg(function_structured(now), "seed %d, kind %u: not structured", (int)seed, kind);
	outcome_reference(&job, 32, &want);
	job.module = m;
	outcome_reference(&job, 32, &got);
	ck_assert_msg(outcome_agrees(k, &want, &got, text, sizeof text), "seed %d, kind %u: %s", (int)seed,
		kind, text);
	if (changed) {
		Module *l = after(k->module, "linearize");
		seen->before += instructions(f);
		seen->copied += instructions(now);
		seen->linearized += instructions(kernel(l));
		module_free(l);
	}
	outcome_free(&want);
	outcome_free(&got);
	module_free(m);
	random_kernel_free(k);
}

START_TEST(random_graphs)
{
	Seen seen = { 0 };
	for (int i = 0; i < count(); i++)
		try((uint64_t)i + 1, (unsigned)i % 8, &seen);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d graphs, %d unstructured, %d of these beyond the cap; instructions of the "
			"others: structurize %.2f, linearize %.2f times as many\n", seen.graphs,
			seen.unstructured, seen.capped, seen.copied / seen.before,
			seen.linearized / seen.before);
	ck_assert_int_gt(seen.unstructured, seen.graphs / 4);
	ck_assert_int_lt(seen.capped, seen.unstructured / 10);
	ck_assert(seen.linearized < seen.copied);
}
END_TEST

/* ---- the ladder of short circuits ---- */

/* Rung k goes on to rung k + 1, or skips it. */
static Module *ladder(int rungs)
{
	StrBuf s = { 0 };
	Diag d = { 0 };
	sb_puts(&s, "kernel k(u64 out) {\n reg u32 %t, %a\n reg u64 %o\n reg pred %p\n"
		"A: %t = mov.u32 %tid.x\n bra R0\n");
	for (int k = 0; k < rungs; k++)
		sb_printf(&s, "R%d: %%a = and.b32 %%t, %u\n %%t = mad.lo.u32 %%t, 1664525, %d\n"
			" %%p = setp.ne.u32 %%a, 0\n bra %%p, R%d, R%d\n", k, 1u << k % 31, k, k + 1,
			k + 2 < rungs ? k + 2 : rungs);
	sb_printf(&s, "R%d: %%o = ld.param.u64 [out]\n st.global.u32 [%%o], %%t\n exit\n}\n", rungs);
	Module *m = ir_read(s.s, s.n, "ladder.ir", &d);
	ck_assert(m != NULL);
	sb_free(&s);
	return m;
}

static int size_after(int rungs, const char *pipeline)
{
	Module *m = ladder(rungs), *x = after(m, pipeline);
	int n = instructions(kernel(x));
	ck_assert(function_structured(kernel(x)));
	module_free(x);
	module_free(m);
	return n;
}

START_TEST(a_ladder_grows_exponentially)
{
	enum { FROM = 6, TO = 20 };
	int copied[TO + 1], linearized[TO + 1];
	for (int k = FROM; k <= TO; k += 2) {
		copied[k] = size_after(k, "structurize(growth=1000000)");
		linearized[k] = size_after(k, "linearize");
		if (getenv("VERBOSE"))
			fprintf(stderr, "%d rungs: %d instructions by structurize, %d by linearize\n", k,
				copied[k], linearized[k]);
		if (k == FROM)
			continue;
		ck_assert(copied[k] > 2 * copied[k - 2]);
		ck_assert(linearized[k] - linearized[k - 2] < 4 * (linearized[FROM] / FROM));
	}
}
END_TEST

START_TEST(a_cap_leaves_the_function_as_it_was)
{
	Module *m = ladder(40), *x = after(m, "structurize");
	ck_assert(module_equal(m, x));
	module_free(x);
	x = after(m, "structurize(growth=1000000000,blocks=500)");
	ck_assert(module_equal(m, x));
	module_free(x);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("structurize");
	TCase *t = tcase_create("all");
	tcase_add_test(t, random_graphs);
	tcase_add_test(t, a_ladder_grows_exponentially);
	tcase_add_test(t, a_cap_leaves_the_function_as_it_was);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
