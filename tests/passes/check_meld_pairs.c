/* Which two instructions become one: arms that are alike but for one instruction, of which the program has
   one or two afterwards. */
#include "tests/random/differential.h"
#include "tests/check.h"

/* What the arms have in common is worth melding, whatever becomes of the instruction in question. */
#define ALIKE " %%f = ex2.approx.f32 %%f\n %%f = sin.approx.f32 %%f\n %%f = ex2.approx.f32 %%f\n"
#define KERNEL "global u32 word[1]\n" \
	"kernel k(u64 in, u64 out, u64 acc, u32 n) {\n shared u32 here[64]\n shared u32 there[64]\n" \
	" reg u32 %%t, %%a, %%b, %%x, %%y\n reg f32 %%f\n reg u64 %%o, %%w\n reg pred %%p, %%q\n" \
	"A: %%t = mov.u32 %%tid.x\n %%o = ld.param.u64 [out]\n %%o = mad.wide.u32 %%t, 16, %%o\n" \
		" %%w = add.u64 %%o, 4\n" \
	" %%a = and.b32 %%t, 1\n %%b = add.u32 %%t, 7\n %%x = mov.u32 0\n %%f = cvt.rn.f32.u32 %%t\n" \
	" %%q = setp.lt.u32 %%t, 5\n %%p = setp.ne.u32 %%a, 0\n bra %%p, T, F\n" \
	"T:" ALIKE " %s\n" ALIKE " bra J\nF:" ALIKE " %s\n" ALIKE " bra J\n" \
	"J: %%x = mad.lo.u32 %%x, 31, %%a\n %%x = mad.lo.u32 %%x, 31, %%b\n" \
	" st.global.u32 [%%o], %%x\n st.global.f32 [%%o+8], %%f\n exit\n}\n"
enum { THREADS = 32, OUT_BYTES = 16 * THREADS };

/* left: of how many there are in both arms */
typedef struct Pair { const char *of[2]; Op op; int left; } Pair;

static const Pair pairs[] = {
	/* values: registers, and immediates whose place has a type */
	{ { "%x = mad.lo.u32 %a, %b, %t", "%x = mad.lo.u32 %b, %a, %t" }, OP_MAD, 1 },
	{ { "%x = mul.lo.u32 %a, 3", "%x = mul.lo.u32 %a, 5" }, OP_MUL, 1 },
	{ { "%x = mul.lo.u32 %a, 3", "%x = mul.lo.u32 %a, %b" }, OP_MUL, 1 },
	{ { "%x = mul.lo.u32 %a, %b", "%x = mul.hi.u32 %a, %b" }, OP_MUL, 2 },
	{ { "%x = mul.lo.u32 %a, %b", "%x = mul.lo.s32 %a, %b" }, OP_MUL, 2 },
	{ { "%x = lop3.b32 %a, %b, %t, 150", "%x = lop3.b32 %a, %b, %x, 150" }, OP_LOP3, 1 },
	/* by this table a and b may be exchanged */
	{ { "%x = lop3.b32 %a, %b, %t, 150", "%x = lop3.b32 %b, %a, %t, 150" }, OP_LOP3, 1 },
	/* the table is no value */
	{ { "%x = lop3.b32 %a, %b, %t, 150", "%x = lop3.b32 %a, %b, %t, 232" }, OP_LOP3, 2 },
	/* results: to one place or two */
	{ { "%a = mul.lo.u32 %t, 3", "%b = mul.lo.u32 %t, 3" }, OP_MUL, 1 },
	{ { "@%q %x = mul.lo.u32 %t, 3", "%x = mul.lo.u32 %t, 3" }, OP_MUL, 1 },
	/* to one and to two */
	{ { "%x = div.u32 %t, 3\n %x = div.u32 %x, 5", "%a = div.u32 %t, 7\n %b = div.u32 %a, 9" }, OP_DIV,
		2 },
	{ { "%x = div.u32 %t, 3\n %x = div.u32 %x, 5", "%x = div.u32 %t, 7\n %b = div.u32 %x, 9" }, OP_DIV,
		2 },
	{ { "%a = div.u32 %t, 3\n %b = div.u32 %a, 5", "%b = div.u32 %t, 7\n %b = div.u32 %b, 9" }, OP_DIV,
		2 },
	/* not worth two choices, nor two moves, where a branch and two jumps are all there is to save */
	{ { "%x = lop3.b32 %a, %b, %t, 184", "%x = lop3.b32 %b, %a, %t, 184" }, OP_LOP3, 2 },
	{ { "%x = mul.lo.u32 %t, 3\n %x = not.b32 %x", "%a = mul.lo.u32 %t, 5\n %b = not.b32 %a" }, OP_NOT,
		2 },
	{ { "%a = xor.b32 %t, 3", "%b = xor.b32 %t, 3" }, OP_XOR, 2 },
	{ { "%a = not.b32 %a", "%b = not.b32 %b" }, OP_NOT, 2 },
	/* guards, and the same the other way around */
	{ { "@%q %x = mul.lo.u32 %x, 3\n @!%q %x = mul.lo.u32 %x, 5",
		"@!%q %x = mul.lo.u32 %x, 3\n @%q %x = mul.lo.u32 %x, 5" }, OP_MUL, 2 },
	/* addresses */
	{ { "%x = ld.global.u32 [%o+4]", "%x = ld.global.u32 [%w]" }, OP_LD, 1 },
	{ { "%x = ld.global.u32 [%o+4]", "%x = ld.global.u32 [%o+8]" }, OP_LD, 1 },
	{ { "%x = ld.shared.u32 [here]", "%x = ld.shared.u32 [there]" }, OP_LD, 1 },
	{ { "%x = ld.shared.u32 [here]", "%x = ld.shared.u32 [%x]" }, OP_LD, 1 },
	{ { "%x = ld.global.u32 [%w]", "%x = ld.u32 [%w]" }, OP_LD, 2 },
	/* neither a name in the generic space nor a number is chosen */
	{ { "%x = ld.u32 [word]", "%x = ld.u32 [%w]" }, OP_LD, 2 },
	{ { "%x = ld.shared.u32 [64]\n st.shared.u32 [here], %t",
		"%x = ld.shared.u32 [%x]\n st.shared.u32 [here], %t" }, OP_LD, 2 },
	/* two names are to be read before the choice between them; a store saved outweighs that */
	{ { "st.shared.v2.u32 [here], {%a, %b}", "st.shared.v2.u32 [there], {%b, %a}" }, OP_ST, 1 },
	{ { "st.shared.v4.u32 [here], {%a, %b, %t, %x}",
		"st.shared.v4.u32 [there], {%b, %a, %x, %t}" }, OP_ST, 1 },
	/* what memory has in order stays as it is, but for relaxed atomic operations */
	{ { "%x = atom.global.add.u32 [%w], 1", "%x = atom.global.add.u32 [%w], 2" }, OP_ATOM, 1 },
	{ { "%x = atom.acquire.gpu.global.add.u32 [%w], 1", "%x = atom.acquire.gpu.global.add.u32 [%w], 2" },
		OP_ATOM, 2 },
	{ { "%x = ld.volatile.global.u32 [%w]", "%x = ld.volatile.global.u32 [%w]" }, OP_LD, 2 },
	{ { "st.global.u32 [%w], 1", "st.global.u32 [%w], 2" }, OP_ST, 1 },
	{ { "st.volatile.global.u32 [%w], 1", "st.volatile.global.u32 [%w], 2" }, OP_ST, 2 },
};

/* Those of the kernel's end and beginning do not count. */
static int count(const Module *m, Op op)
{
	int n = op == OP_ST ? -2 : op == OP_LD ? -1 : op == OP_MAD ? -3 : 0;
	const Function *f = m->func.v[0];
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			n += f->block.v[b]->ins.v[k].op == op;
	return n;
}

/* The kernel with these in its arms. */
static Module *kernel(const char *a, const char *b)
{
	char text[3000];
	Diag d = { 0 };
	snprintf(text, sizeof text, KERNEL, a, b);
	Module *m = ir_read(text, strlen(text), "pair.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s | %s: %s", a, b, d.item.n ? d.item.v[0].text : "?");
	return m;
}

/* What a pipeline makes of it leaves the same memory, and has no branch whose ways are one. */
static Module *melded(Module *m, const char *pipeline)
{
	char why[1700] = "";
	Module *after = transformed(m, pipeline, why, sizeof why);
	ck_assert_msg(after != NULL, "%s", why);
	const Function *f = after->func.v[0];
	for (int b = 0; b < f->block.n; b++)
		ck_assert(f->block.v[b]->nsucc < 2 || f->block.v[b]->succ[0] != f->block.v[b]->succ[1]);
	RandomKernel shape = { .module = m, .kernel = m->func.v[0], .grid = { 1, 1, 1 },
		.block = { THREADS, 1, 1 }, .threads = THREADS,
		.out_bytes = OUT_BYTES, .n = 1 };
	Job job = { .shape = &shape, .module = m, .grid = { 1, 1, 1 } };
	Outcome want, got;
	outcome_reference(&job, THREADS, &want);
	job.module = after;
	outcome_reference(&job, THREADS, &got);
	ck_assert_msg(want.how == RAN_WELL && outcome_agrees(&shape, &want, &got, why, sizeof why), "%s%s",
		want.text, why);
	outcome_free(&want);
	outcome_free(&got);
	return after;
}

START_TEST(pairs_meld)
{
	const Pair *p = &pairs[_i / 2];
	const char *a = p->of[_i % 2], *b = p->of[1 - _i % 2];
	Module *m = kernel(a, b), *after = melded(m, "branch-fusion(threshold=1,check=latency)");
	ck_assert_int_eq(count(m, p->op), p->op == OP_DIV || strchr(p->of[0], '!') ? 4 : 2);
	ck_assert_int_eq(count(after, OP_SIN), 2); /* else nothing has been melded */
	ck_assert_msg(count(after, p->op) == p->left, "%s | %s: %d left", a, b, count(after, p->op));
	module_free(after);
	module_free(m);
}
END_TEST

/* One side's value is made in the arm, so the choice cannot stand in front of it. Two instructions read
   it. */
START_TEST(a_choice_is_made_once)
{
	Module *m = kernel("%a = xor.b32 %a, 77\n %x = mul.lo.u32 %a, 3\n %y = div.u32 %a, 5\n"
		" %x = add.u32 %x, %y", "%x = mul.lo.u32 %b, 3\n %y = div.u32 %b, 5\n %x = add.u32 %x, %y"),
		*after = melded(m, "branch-fusion(threshold=1,check=latency)");
	ck_assert_int_eq(count(after, OP_DIV), 1);
	ck_assert_int_eq(count(after, OP_MUL), 1);
	ck_assert_int_eq(count(after, OP_SELP), 1);
	module_free(after);
	module_free(m);
}
END_TEST

/* But again where an instruction of one arm alone has written one of the two in between. */
START_TEST(a_choice_is_made_anew)
{
	Module *m = kernel("%a = xor.b32 %a, 77\n %x = mul.lo.u32 %a, 3\n"
		" %a = brev.b32 %a\n %y = div.u32 %a, 5\n %x = add.u32 %x, %y",
		"%x = mul.lo.u32 %b, 3\n %y = div.u32 %b, 5\n %x = add.u32 %x, %y");
	Module *after = melded(m, "branch-fusion(threshold=1,check=latency)");
	ck_assert_int_eq(count(after, OP_DIV), 1);
	ck_assert_int_eq(count(after, OP_MUL), 1);
	ck_assert_int_eq(count(after, OP_SELP), 2);
	module_free(after);
	module_free(m);
}
END_TEST

/* Blocks that do nothing but jump leave no trace in what goes together, wherever they stand in an arm. */
START_TEST(empty_blocks_do_not_count)
{
	static const char arm[] = "bra %c0\n%c0: %s%%x = mul.lo.u32 %%x, 3", idle[] = "bra %c1\n%c1: ";
	for (int sides = 0; sides < 4; sides++) {
		char text[2][200], extra[2][50];
		for (int s = 0; s < 2; s++) {
			int label = s ? 'N' : 'M';
			snprintf(extra[s], sizeof extra[s], idle, label, label);
			snprintf(text[s], sizeof text[s], arm, label, label, sides >> s & 1 ? extra[s] : "");
		}
		Module *m = kernel(text[0], text[1]), *after = melded(m, "meld(threshold=1,check=latency)");
		ck_assert_int_eq(count(after, OP_SIN), 2);
		ck_assert_int_eq(count(after, OP_MUL), 1);
		int blocks = after->func.v[0]->block.n;
		ck_assert_msg(blocks == 1, "%s | %s: %d blocks", text[0], text[1], blocks);
		module_free(after);
		module_free(m);
	}
}
END_TEST

/* A block with a branch alone is none of these: here it ends a loop, which stays in front of what goes
   together. */
START_TEST(branches_alone_count)
{
	static const char none[] = "bra N2\nN2:";
	static const char loop[] = "bra M0\nM0: %x = add.u32 %x, 3\n %q = setp.lt.u32 %x, 99\n bra M1\n"
		"M1: bra %q, M0, M2\nM2:";
	for (int side = 0; side < 2; side++) {
		Module *m = side ? kernel(none, loop) : kernel(loop, none);
		Module *after = melded(m, "meld(threshold=1,check=latency)");
		ck_assert_int_eq(count(after, OP_SIN), 2);
		module_free(after);
		module_free(m);
	}
}
END_TEST

/* What one arm alone computes, for itself, may be executed by all lanes: that saves the branch around it, if
   it is no longer than `straight` says, and no register is written that the others have a value in. */
START_TEST(short_runs_of_one_arm)
{
	static const struct { const char *run, *pipeline; int branches; } want[] = {
		{ "%y = mul.lo.u32 %t, 3\n %y = xor.b32 %y, 5", "meld(threshold=1,check=latency)", 1 },
		{ "%y = mul.lo.u32 %t, 3\n %y = xor.b32 %y, 5", "meld(threshold=1,check=latency,straight=1)",
			1 },
		{ "%y = mul.lo.u32 %t, 3\n %y = xor.b32 %y, 5", "meld(threshold=1,check=latency,straight=2)",
			0 },
		{ "%a = mul.lo.u32 %t, 3\n %a = xor.b32 %a, 5", "meld(threshold=1,check=latency,straight=2)",
			1 },
		{ "@%q %y = mul.lo.u32 %t, 3\n %y = xor.b32 %y, 5",
			"meld(threshold=1,check=latency,straight=2)", 1 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++)
		for (int side = 0; side < 2; side++) {
			Module *m = side ? kernel("", want[k].run) : kernel(want[k].run, ""),
				*after = melded(m, want[k].pipeline);
			int branches = 0;
			const Function *f = after->func.v[0];
			ck_assert_int_eq(count(after, OP_SIN), 2);
			for (int b = 0; b < f->block.n; b++)
				branches += f->block.v[b]->nsucc > 1;
			ck_assert_msg(branches == want[k].branches, "%s in arm %d, %s: %d branches",
				want[k].run, side, want[k].pipeline, branches);
			module_free(after);
			module_free(m);
		}
}
END_TEST

static const char wait[] = "bra T1\nT1: %y = ld.volatile.global.u32 [%w]\n %q = setp.eq.u32 %y, 99\n"
	" bra %q, T1, T2\nT2:";

/* One arm waits in its middle. What it does behind that may go together with what the other one does at its
   end, unless that is something that others wait for. What stands in front of it goes together in any
   case. */
START_TEST(nobody_waits_for_who_waits)
{
	static const struct { const char *end; int left; } want[] = {
		{ "%x = add.u32 %x, 1", 2 }, { "%x = ld.global.u32 [%w]", 2 },
		{ "st.volatile.global.u32 [%o+12], %x", 3 },
		{ "%y = atom.global.add.u32 [%o+12], %x", 3 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++)
		for (int side = 0; side < 2; side++) {
			char end[200];
			snprintf(end, sizeof end, "bra F1\nF1: %s", want[k].end);
			Module *m = side ? kernel(end, wait) : kernel(wait, end);
			Module *after = melded(m, "meld(threshold=1,check=latency)");
			ck_assert_int_eq(count(m, OP_SIN), 4);
			ck_assert_msg(count(after, OP_SIN) == want[k].left, "%s: %d left", want[k].end,
				count(after, OP_SIN));
			module_free(after);
			module_free(m);
		}
}
END_TEST

/* Of the other arm three blocks are looked at, or all four. Nobody knows what those do that are not. */
START_TEST(what_is_not_looked_at_may_be_waited_for)
{
	static const struct { const char *pipeline; int left; } want[] = {
		{ "meld(threshold=1,check=latency,blocks=3)", 4 },
		{ "meld(threshold=1,check=latency,blocks=4)", 3 },
	};
	static const char end[] = "bra F1\nF1: %f = ex2.approx.f32 %f\n %f = sin.approx.f32 %f\n"
		" %f = ex2.approx.f32 %f\n bra F2\nF2: %x = add.u32 %x, 1\n bra F3\nF3:";
	for (int k = 0; k < 2; k++)
		for (int side = 0; side < 2; side++) {
			Module *m = side ? kernel(end, wait) : kernel(wait, end),
				*after = melded(m, want[k].pipeline);
			ck_assert_int_eq(count(m, OP_SIN), 5);
			ck_assert_msg(count(after, OP_SIN) == want[k].left, "%s: %d left", want[k].pipeline,
				count(after, OP_SIN));
			module_free(after);
			module_free(m);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("melding: pairs");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, pairs_meld, 0, 2 * (int)(sizeof pairs / sizeof *pairs));
	tcase_add_test(t, a_choice_is_made_once);
	tcase_add_test(t, a_choice_is_made_anew);
	tcase_add_test(t, empty_blocks_do_not_count);
	tcase_add_test(t, branches_alone_count);
	tcase_add_test(t, short_runs_of_one_arm);
	tcase_add_test(t, nobody_waits_for_who_waits);
	tcase_add_test(t, what_is_not_looked_at_may_be_waited_for);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
