/* Melding on small kernels, written down: the paper's figures 1, 4 and 6 counted on a warp whose threads
 * part, and that the kernels of the golden files do afterwards what they did before. */
#include "lib/file.h"
#include "tests/random/differential.h"
#include "tests/check.h"

enum { THREADS = 32, OUT_BYTES = 16 * THREADS };

static Module *read_module(const char *text, size_t n, const char *name)
{
	Diag d = { 0 };
	Module *m = ir_read(text, n, name, &d);
	ck_assert_msg(m != NULL, "%s: %s", name, d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
	return m;
}

static RandomKernel shape_of(Module *m, Function *f)
{
	return (RandomKernel){ .module = m, .kernel = f, .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 },
		.threads = THREADS, .out_bytes = OUT_BYTES, .n = 2 };
}

static Way way_of(const char *name, bool functional)
{
	Way w = { .functional = functional };
	while (strcmp(model_keys(w.model)->name, name))
		w.model++;
	return w;
}

static Module *melded(const Module *m, const char *pipeline)
{
	char why[1700] = "";
	Module *after = transformed(m, pipeline, why, sizeof why);
	ck_assert_msg(after != NULL, "%s: %s", pipeline, why);
	return after;
}

/* ---- the same memory ---- */

static void same_memory(const RandomKernel *shape, const Module *after, const char *what, uint64_t seed)
{
	static const char *const mechanism[] = { "ipdom", "its", "tf_stack", "exec_mask" };
	Config config;
	Outcome want;
	char why[1700] = "";
	Job job = { .shape = shape, .module = shape->module, .grid = { 1, 1, 1 } };
	differential_machine(&config);
	outcome_reference(&job, THREADS, &want);
	ck_assert_msg(want.how == RAN_WELL, "%s, seed %d: %s", what, (int)seed, want.text);
	job.module = after;
	for (int k = 0; k < 4; k++) {
		Way way = way_of(mechanism[k], k % 2);
		ck_assert_msg(way_agrees(&job, &config, &way, &want, NULL, NULL, why, sizeof why),
			"%s, seed %d: %s", what, (int)seed, why);
	}
	outcome_free(&want);
}

/* All kernels of a golden file, behind the pipeline of its first line. */
static void try_file(const char *name)
{
	char path[500], pipeline[200];
	const char *why = NULL, *top = getenv("srcdir");
	size_t n;
	snprintf(path, sizeof path, "%s/tests/passes/%s", top ? top : ".", name);
	char *text = file_read(path, 1 << 20, &n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	ck_assert_int_eq(sscanf(text, "// passes: %199s", pipeline), 1);
	Module *m = read_module(text, n, name), *after = melded(m, pipeline);
	for (int k = 0; k < m->func.n; k++) {
		RandomKernel shape = shape_of(m, m->func.v[k]);
		ck_assert_msg(!module_equal(m, after), "%s: nothing is melded", name);
		same_memory(&shape, after, shape.kernel->name, 0);
	}
	module_free(after);
	module_free(m);
	free(text);
}

START_TEST(golden_files_do_the_same)
{
	try_file("meld_addresses.ir");
	try_file("meld_swap.ir");
}
END_TEST

/* ---- figures 1, 4 and 6 ---- */

/* A step of bitonic sort on 32 words of shared memory that are neither sorted nor the other way around; k is
   2, j is 1. So threads 0, 4, 8 .. take the first arm, 2, 6, 10 .. the second one, and of both arms some
   swap. */
static const char bitonic[] =
	"kernel k(u64 in, u64 out, u64 acc, u32 n) {\n\tshared u32 s[32]\n\treg u64 %p\n"
	"\treg u32 %tid, %k, %ixj, %bit, %at, %of, %a, %b, %c, %d\n\treg pred %less, %up, %p1, %q1\n"
	"A:\t%tid = mov.u32 %tid.x\n\t%k = ld.param.u32 [n]\n\t%p = ld.param.u64 [out]\n"
	"\t%p = mad.wide.u32 %tid, 4, %p\n\t%ixj = xor.b32 %tid, 1\n"
	"\t%of = mov.u32 s\n\t%at = mad.lo.u32 %tid, 4, %of\n\t%of = mad.lo.u32 %ixj, 4, %of\n"
	"\t%a = mul.lo.u32 %tid, 2654435761\n\t%a = shr.u32 %a, 7\n\tst.shared.u32 [%at], %a\n\tbar.sync 0\n"
	"\t%less = setp.gt.u32 %ixj, %tid\n\tbra %less, B, G\n"
	"B:\t%bit = and.b32 %tid, %k\n\t%up = setp.eq.u32 %bit, 0\n\tbra %up, C, D\n"
	"C:\t%a = ld.shared.u32 [%of]\n\t%b = ld.shared.u32 [%at]\n\t%p1 = setp.lt.u32 %a, %b\n"
	"\tbra %p1, E, G\n"
	"D:\t%c = ld.shared.u32 [%of]\n\t%d = ld.shared.u32 [%at]\n\t%q1 = setp.gt.u32 %c, %d\n"
	"\tbra %q1, F, G\n"
	"E:\tst.shared.u32 [%at], %a\n\tst.shared.u32 [%of], %b\n\tbra G\n"
	"F:\tst.shared.u32 [%at], %c\n\tst.shared.u32 [%of], %d\n\tbra G\n"
	"G:\tbar.sync 0\n\t%a = ld.shared.u32 [%at]\n\tst.global.u32 [%p], %a\n\texit\n}\n";

static int count(const Module *m, Op op)
{
	int n = 0;
	const Function *f = m->func.v[0];
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			n += f->block.v[b]->ins.v[k].op == op && f->block.v[b]->ins.v[k].space != SP_PARAM;
	return n;
}

static LaunchStats statistics(const RandomKernel *shape, const Module *m, Probe *probe)
{
	Config config;
	Outcome got;
	Way way = way_of("ipdom", true);
	Job job = { .shape = shape, .module = m, .grid = { 1, 1, 1 } };
	differential_machine(&config);
	config.model = (size_t)way.model;
	config.warp_size = THREADS;
	outcome_machine(&job, &config, &way, probe, &got);
	ck_assert_msg(got.how == RAN_WELL, "%s", got.text);
	outcome_free(&got);
	return probe->stats;
}

START_TEST(bitonic_sort_as_in_the_paper)
{
	Module *m = read_module(bitonic, strlen(bitonic), "bitonic.ir"), *after = melded(m, "meld");
	RandomKernel shape = shape_of(m, m->func.v[0]);
	Probe before = { 0 }, then = { 0 };
	same_memory(&shape, after, "bitonic", 0);
	/* The program: of four loads in the arms two are left, of four stores two, besides one each for the
	   word that a thread begins and ends with; the two compares stay, and one choice comes in, between
	   their results. */
	ck_assert_int_eq(count(m, OP_LD), 4 + 1);
	ck_assert_int_eq(count(after, OP_LD), 2 + 1);
	ck_assert_int_eq(count(m, OP_ST), 4 + 2);
	ck_assert_int_eq(count(after, OP_ST), 2 + 2);
	ck_assert_int_eq(count(m, OP_SETP), 2 + 2);
	ck_assert_int_eq(count(after, OP_SETP), 2 + 2);
	ck_assert_int_eq(count(m, OP_SELP), 0);
	ck_assert_int_eq(count(after, OP_SELP), 1);
	ck_assert_int_eq(count(after, OP_MOV), count(m, OP_MOV));
	/* The warp, whose threads part at every branch: four loads and four stores in the arms become two and
	   two; one access before and one behind stay. */
	LaunchStats a = statistics(&shape, m, &before), b = statistics(&shape, after, &then);
	ck_assert_int_eq((int)a.totals.shared_accesses, 4 + 4 + 2);
	ck_assert_int_eq((int)b.totals.shared_accesses, 2 + 2 + 2);
	ck_assert_int_lt((int)b.totals.warp_instructions, (int)a.totals.warp_instructions);
	arena_free(&before.arena);
	arena_free(&then.arena);
	/* Table I: neither of the other two does anything. */
	static const char *const others[] = { "tail-merge", "branch-fusion" };
	for (int k = 0; k < 2; k++) {
		Module *same = melded(m, others[k]);
		ck_assert_msg(module_equal(m, same), "%s changes bitonic sort", others[k]);
		module_free(same);
	}
	module_free(after);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("melding: figures");
	TCase *t = tcase_create("all");
	tcase_add_test(t, golden_files_do_the_same);
	tcase_add_test(t, bitonic_sort_as_in_the_paper);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
