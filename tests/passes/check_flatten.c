/* Loop flattening: the paper's figure as a graph, and nests of loops that do the same before and after. */
#include "passes/transform/transform.h"
#include "tests/passes/graphs.h"
#include "tests/random/differential.h"
#include <check.h>

static Module *m;
static Arena arena;
static Diag diag;
static void setup(void) { m = module_new("test"); }
static void teardown(void)
{
	module_free(m);
	arena_free(&arena);
	diag_free(&diag);
}

static char *text_of(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++) {
		const Block *p = f->block.v[b];
		s = arena_printf(&arena, "%s%s%s%s", s, b ? " " : "", p->label, p->nsucc ? ":" : "");
		for (int k = 0; k < p->nsucc; k++)
			s = arena_printf(&arena, "%s%s%s", s, k ? "," : "", p->succ[k]->label);
	}
	return s;
}

static const char *flattened(const char *graph, const char *pipeline)
{
	module_free(m);
	m = module_new("test");
	Function *f = graph_kernel(m, graph);
	ck_assert(pipeline_run(m, pipeline, NULL, &diag));
	char *once = text_of(f);
	ck_assert(pipeline_run(m, pipeline, NULL, &diag));
	ck_assert_str_eq(text_of(f), once); /* again: nothing to do */
	return once;
}

#define FIG5 "P:A A:B B:B,E E:A,X X"

START_TEST(figure_5)
{
	ck_assert_str_eq(flattened(FIG5, "flatten(exits=direct)"), "P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch,X A_latch:A_next X");
	ck_assert_str_eq(flattened(FIG5, "flatten"), "P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch A_latch:X,A_next X");
}
END_TEST

/* One back edge for each nest that is flattened. */
START_TEST(shapes)
{
	static const struct { const char *graph, *want; } list[] = {
		/* the entry is the outer loop's first block */
		{ "A:B B:B,E E:A,X X", "A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch A_latch:X,A_next X" },
		/* a test before the inner loop: threads begin it in the next turn */
		{ "P:A A:B,E B:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B,A A:A_latch,E B:A_latch,E E:A_latch A_latch:X,A_next X" },
		/* the inner loop's test at its top; it has two blocks */
		{ "P:A A:H H:B,E B:H E:A,X X", "P:A_enter A_enter:A_next A_next:H,A A:H H:B,E B:A_latch E:A_latch A_latch:X,A_next X" },
		/* continue and break of the outer loop within the inner one */
		{ "P:A A:B B:C,D C:A,X D:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B,A A:B B:C,D C:A_latch D:A_latch,E E:A_latch A_latch:X,A_next X" },
		/* two exits */
		{ "P:A A:B B:B,C C:E,Y E:A,X X Y", "P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,C C:E,A_latch E:A_latch A_latch:A_leave,A_next "
			"A_leave:Y,X X Y" },
		/* two inner loops */
		{ "P:A A:B B:B,C C:C,E E:A,X X", "P:A_enter A_enter:A_next A_next:B,A_next2 A_next2:C,A A:B B:A_latch C:A_latch,E E:A_latch "
			"A_latch:X,A_next X" },
		/* three deep */
		{ "P:A A:B B:C C:C,D D:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B_next,A A:B_enter B_enter:B_next B_next:C,B B:C C:B_latch,D "
			"D:B_latch B_latch:E,A_latch E:A_latch A_latch:X,A_next X" },
		/* an abort stays where it is; a return leaves with the others */
		{ "P:A A:B B:B,C C:T,D D:R,E E:A,X X T:trap R:ret", "P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,C C:T,D D:A_latch,E E:A_latch "
			"A_latch:A_leave,A_next A_leave:R,X X T R" },
		/* nothing to do */
		{ "P:A A:A,B B:B,X X", "P:A A:A,B B:B,X X" },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		ck_assert_str_eq(flattened(list[i].graph, "flatten"), list[i].want);
}
END_TEST

/* ---- random kernels ---- */

static void same_results(uint64_t seed, const char *pipeline, int *changed)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	RandomKernel *k = random_kernel_new(&p);
	Job job = { .shape = k, .module = k->module };
	char text[600] = "";
	memcpy(job.grid, k->grid, sizeof job.grid);
	Outcome want, got;
	outcome_reference(&job, p.warp_size, &want);
	ck_assert(want.how == RAN_WELL);
	Module *after = transformed(k->module, pipeline, text, sizeof text);
	ck_assert_msg(after != NULL, "seed %d: %s: %s", (int)seed, pipeline, text);
	*changed += !module_equal(after, k->module);
	job.module = after;
	outcome_reference(&job, p.warp_size, &got);
	ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, pipeline, got.text);
	ck_assert_msg(outcome_agrees(k, &want, &got, text, sizeof text), "seed %d: %s: %s", (int)seed, pipeline, text);
	outcome_free(&got);
	outcome_free(&want);
	module_free(after);
	random_kernel_free(k);
}

START_TEST(random_kernels)
{
	static const char *const pipeline[] = { "flatten", "flatten(enter=now)", "flatten(enter=next)", "flatten(exits=direct)" };
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 120, changed = 0;
	for (int i = 0; i < n; i++)
		same_results((uint64_t)i + 1, pipeline[i % 4], &changed);
	ck_assert_int_gt(changed, n / 20);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flatten");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 600);
	tcase_add_test(t, figure_5);
	tcase_add_test(t, shapes);
	tcase_add_test(t, random_kernels);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
