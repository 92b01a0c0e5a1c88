/* if-convert on small kernels: which instructions an arm may have, what profiles say, and that threads do
   what they did. */
#include "isa/edit.h"
#include "passes/analysis/cost.h"
#include "passes/pass.h"
#include "tests/random/differential.h"
#include "tests/check.h"

/* A branch at which a warp parts, with these in its arms: after it %p, %q and %x are stored. */
#define KERNEL "func f() -> (u32 %%r) {\nF0: %%r = mov.u32 5\n ret\n}\n" \
	"kernel k(u64 in, u64 out, u64 acc, u32 n) {\n reg pred %%q, %%p, %%u\n reg u32 %%t, %%x, %%y\n" \
		" reg u64 %%o\n" \
	"A: %%t = mov.u32 %%tid.x\n %%o = ld.param.u64 [out]\n %%o = mad.wide.u32 %%t, 16, %%o\n" \
		" %%x = add.u32 %%t, 9\n" \
	" %%y = ld.param.u32 [n]\n %%u = setp.ne.u32 %%y, 0\n %%y = and.b32 %%t, 1\n" \
	" %%p = setp.ne.u32 %%y, 0\n %%q = setp.lt.u32 %%t, 9\n bra %s, B, C\nB: %s\n bra D\nC: %s\n" \
		" bra D\n" \
	"D: st.global.u32 [%%o], %%x\n @%%p st.global.u32 [%%o+4], 1\n @%%q st.global.u32 [%%o+8], 1\n" \
	" exit\n}\n"
enum { THREADS = 32, OUT_BYTES = 16 * THREADS };

static Module *kernel_of(const char *condition, const char *b, const char *c)
{
	char text[3000];
	Diag d = { 0 };
	snprintf(text, sizeof text, KERNEL, condition, b, c);
	Module *m = ir_read(text, strlen(text), "arms.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s | %s: %s", b, c, d.item.n ? d.item.v[0].text : "?");
	return m;
}

static Module *kernel(const char *b, const char *c) { return kernel_of("%p", b, c); }

static int branches(const Module *m)
{
	const Function *f = module_find_function((Module *)m, "k");
	int n = 0;
	for (int b = 0; b < f->block.n; b++)
		n += f->block.v[b]->nsucc > 1;
	return n;
}

static void same_memory(const Module *m, const Module *after)
{
	RandomKernel shape = { .module = (Module *)m, .kernel = module_find_function((Module *)m, "k"),
		.grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 },
		.threads = THREADS, .out_bytes = OUT_BYTES, .n = 1 };
	Job job = { .shape = &shape, .module = m, .grid = { 1, 1, 1 } };
	Outcome want, got;
	char why[1700] = "";
	outcome_reference(&job, THREADS, &want);
	job.module = after;
	outcome_reference(&job, THREADS, &got);
	ck_assert_msg(want.how == RAN_WELL && outcome_agrees(&shape, &want, &got, why, sizeof why), "%s%s",
		want.text, why);
	outcome_free(&want);
	outcome_free(&got);
}

/* ---- which instructions ---- */

static const struct { const char *arm; bool stays; } arms[] = {
	{ "%x = mul.lo.u32 %x, 3", false },
	{ "st.global.u32 [%o+12], %x", false },
	{ "%y = atom.global.add.u32 [%o+12], %x", false },
	/* a guard under the guard */
	{ "@%q %x = mul.lo.u32 %x, 3\n @!%q %x = add.u32 %x, 1\n %x = xor.b32 %x, 5", false },
	{ "%p = setp.lt.u32 %t, 20\n %x = add.u32 %x, 100", false },            /* the condition is written */
	{ "%q = setp.lt.u32 %t, 20\n @%q %x = add.u32 %x, 100", false },
	{ "(%x) = call f, ()", true },
	{ "bar.sync 0", true },
	{ "bar.warp.sync 0xaaaaaaaa", true },
	{ "%q = vote.any.pred %q", true },
	{ "%x = vote.ballot.b32 %q", true },
	{ "%x = shfl.idx.b32 %x, 0, 31", true },
};
enum { ARMS = sizeof arms / sizeof *arms };

START_TEST(what_threads_do_together_stays)
{
	const char *arm = arms[_i / 2].arm;
	char why[1700] = "";
	Module *m = _i % 2 ? kernel("%x = add.u32 %x, 7", arm) : kernel(arm, "%x = add.u32 %x, 7"),
		*after = transformed(m, "if-convert", why, sizeof why);
	ck_assert_msg(after != NULL, "%s: %s", arm, why);
	ck_assert_msg(branches(after) == arms[_i / 2].stays, "%s: %d branches", arm, branches(after));
	if (!arms[_i / 2].stays)
		same_memory(m, after);
	module_free(after);
	module_free(m);
}
END_TEST

/* ---- which branches ---- */

/* Those at which a warp may part, or all that have a register for a guard. */
START_TEST(which_branches)
{
	static const struct { const char *condition, *pipeline; bool constant; int branches; } want[] = {
		{ "%p", "if-convert", false, 0 }, { "!%p", "if-convert", false, 0 },
		{ "%u", "if-convert", false, 1 }, { "%p", "if-convert(branches=all)", false, 0 },
		{ "%u", "if-convert(branches=all)", false, 0 },
		{ "!%u", "if-convert(branches=all)", false, 0 },
		{ "%p", "if-convert(branches=all)", true, 1 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char why[1700] = "";
		Module *m = kernel_of(want[k].condition, "%x = add.u32 %x, 7", "%x = mul.lo.u32 %x, 3");
		if (want[k].constant)
			*ins_src(block_term(module_find_function(m, "k")->block.v[0]), 0) = opd_imm(1);
		Module *after = transformed(m, want[k].pipeline, why, sizeof why);
		ck_assert_msg(after != NULL, "%s: %s", want[k].condition, why);
		ck_assert_msg(branches(after) == want[k].branches, "%s: bra %s: %d branches",
			want[k].pipeline, want[k].condition, branches(after));
		same_memory(m, after);
		module_free(after);
		module_free(m);
	}
}
END_TEST

/* ---- how many instructions ---- */

#define ONE "%x = add.u32 %x, 7"
#define THREE "%x = mul.lo.u32 %x, 3\n %x = add.u32 %x, 1\n %x = xor.b32 %x, 5"
#define FOUR THREE "\n %x = add.u32 %x, 2"

START_TEST(arms_no_longer_than_size)
{
	static const struct { const char *arm[2]; int branches; } want[] = {
		{ { THREE, THREE }, 0 }, { { THREE, FOUR }, 1 }, { { FOUR, THREE }, 1 },
		{ { ONE "\n bra B2\nB2: " THREE, ONE }, 1 },
		{ { ONE "\n bra B2\nB2: " ONE "\n bra B3\nB3: " ONE, ONE }, 0 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char why[1700] = "";
		Module *m = kernel(want[k].arm[0], want[k].arm[1]),
			*after = transformed(m, "if-convert(size=3)", why, sizeof why);
		ck_assert_msg(after != NULL, "%s", why);
		ck_assert_msg(branches(after) == want[k].branches, "%s | %s: %d branches", want[k].arm[0],
			want[k].arm[1], branches(after));
		same_memory(m, after);
		module_free(after);
		module_free(m);
	}
}
END_TEST

/* ---- profiles ---- */

/* The branch is executed 10 times. Its warps have issued it, and each arm with its jump; converted, they
   issue the instructions of both arms in any case, and one more for each that has a guard already. It is
   converted if that is no more. */
static const struct { const char *arm[2]; int b, b2, c, branches; } profiles[] = {
	{ { THREE, ONE }, 5, 0, 5, 0 },        /* 10 + 5 x 4 + 5 x 2 are 10 x (3 + 1) */
	{ { THREE, ONE }, 5, 0, 4, 1 },
	{ { ONE, THREE }, 5, 0, 5, 0 },
	{ { ONE, THREE }, 4, 0, 5, 1 },
	/* 10 + 6 x 5 + 10 x 2 are 10 x (4 + 1 + 1) */
	{ { THREE "\n @%q %x = add.u32 %x, 2", ONE }, 6, 0, 10, 0 },
	{ { THREE "\n @%q %x = add.u32 %x, 2", ONE }, 6, 0, 9, 1 },
	/* 10 + 5 x 2 + 5 x 2 + 5 x 2 are 10 x (1 + 2 + 1) */
	{ { ONE "\n bra B2\nB2: " ONE "\n %x = xor.b32 %x, 5", ONE }, 5, 5, 5, 0 },
	{ { ONE "\n bra B2\nB2: " ONE "\n %x = xor.b32 %x, 5", ONE }, 5, 5, 4, 1 },
	{ { THREE, ONE }, 0, 0, 10, 1 },       /* one arm was never executed: 10 + 10 x 2 */
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

START_TEST(profiles_decide)
{
	char text[1000];
	int n = snprintf(text, sizeof text, "{\"total\":{\"blocks\":[{\"function\":\"k\",\"label\":\"A\","
		"\"fetches\":10,\"threads\":320}");
	const struct { const char *label; int fetches; } of[] =
		{ { "B", profiles[_i].b }, { "B2", profiles[_i].b2 }, { "C", profiles[_i].c } };
	for (int k = 0; k < 3; k++)
		if (of[k].fetches)
			n += snprintf(text + n, sizeof text - (size_t)n,
				",{\"function\":\"k\",\"label\":\"%s\",\"fetches\":%d,\"threads\":9}",
				of[k].label, of[k].fetches);
	snprintf(text + n, sizeof text - (size_t)n, "]}}");
	Arena a = { 0 };
	Diag d = { 0 };
	Profile *p = profile_read(&a, text, strlen(text), "r.json", &d);
	ck_assert_msg(p != NULL, "%s", text);
	Module *m = kernel(profiles[_i].arm[0], profiles[_i].arm[1]);
	PassLog log = { .remarks = true };
	ck_assert(pipeline_run(m, "if-convert", &(PassHost){ .profile = p, .log = &log }, &d));
	ck_assert_msg(branches(m) == profiles[_i].branches, "%s: %d branches", text, branches(m));
	ck_assert_int_eq(d.item.n, profiles[_i].branches); /* it says why it stays */
	pass_log_free(&log);
	module_free(m);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("if-convert");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, what_threads_do_together_stays, 0, 2 * ARMS);
	tcase_add_test(t, which_branches);
	tcase_add_test(t, arms_no_longer_than_size);
	tcase_add_loop_test(t, profiles_decide, 0, PROFILES);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
