/* --fail-if: what is read, and how it is judged. */
#include "sim/report/condition.h"
#include "tests/check.h"

static const struct { const char *text, *kernel, *path; ConditionKind value; double bound; } good[] = {
	{ "cycles > 1.02", NULL, "cycles", VALUE_RATIO, 1.02 },
	{ "cycles>1.02", NULL, "cycles", VALUE_RATIO, 1.02 },
	{ "  memory.dram.reads \t<= 102 % ", NULL, "memory.dram.reads", VALUE_RATIO, 1.02 },
	{ "ratio.cycles != 1", NULL, "cycles", VALUE_RATIO, 1 },
	{ "after.cycles >= 5e3", NULL, "cycles", VALUE_AFTER, 5000 },
	{ "change.simd_utilization < -2%", NULL, "simd_utilization", VALUE_CHANGE, -0.02 },
	{ "kernel axpy: cycles == .5", "axpy", "cycles", VALUE_RATIO, 0.5 },
	{ "kernel  * :after.static.spilled > 0", "*", "static.spilled", VALUE_AFTER, 0 },
	{ "kernel ns::f<int>: cycles < 1", "ns::f<int>", "cycles", VALUE_RATIO, 1 },
	{ "active_lanes[32] < +1", NULL, "active_lanes[32]", VALUE_RATIO, 1 },
};

START_TEST(reads)
{
	Arena a = { 0 };
	Condition c;
	const char *error;
	int column;
	ck_assert_msg(condition_parse(&a, good[_i].text, &c, &error, &column), "'%s': column %d: %s",
		good[_i].text, column, error);
	ck_assert_str_eq(c.path, good[_i].path);
	ck_assert_int_eq(c.value, good[_i].value);
	ck_assert(c.bound == good[_i].bound);
	ck_assert((c.kernel != NULL) == (good[_i].kernel != NULL));
	if (c.kernel)
		ck_assert_str_eq(c.kernel, good[_i].kernel);
	arena_free(&a);
}
END_TEST

static const struct { const char *text, *error; int column; } bad[] = {
	{ "", "a figure", 1 }, { "   ", "a figure", 4 }, { "> 1", "a figure", 1 },
	{ "cycles", "an operator", 7 }, { "cycles = 1", "an operator", 8 },
	{ "cycles 1 > 2", "an operator", 8 }, { "cycles >", "a number", 9 }, { "cycles >> 1", "a number", 9 },
	{ "cycles > x", "a number", 10 },
	{ "cycles > nan", "a number", 10 }, { "cycles > inf", "a number", 10 },
	{ "cycles > 0x10", "a number", 10 }, { "cycles > 1e999", "a number", 10 },
	{ "cycles > 1.02x", "the end", 14 }, { "cycles > 1 %%", "the end", 13 },
	{ "kernel k cycles > 1", "':'", 20 }, { "kernel : cycles > 1", "a kernel's name", 8 },
	{ "kernel k:", "a figure", 10 }, { "after. > 1", "a figure", 1 },
};

START_TEST(refuses)
{
	Arena a = { 0 };
	Condition c;
	const char *error;
	int column;
	ck_assert_msg(!condition_parse(&a, bad[_i].text, &c, &error, &column), "read: '%s'", bad[_i].text);
	ck_assert_msg(strstr(error, bad[_i].error) == error && column == bad[_i].column,
		"'%s': column %d: %s", bad[_i].text, column, error);
	arena_free(&a);
}
END_TEST

#define REPORT(STATUS, TOTAL, KERNELS) "{\"model\":\"token\",\"passes\":\"\",\"status\":\"" \
	STATUS "\",\"error\":\"x\",\"total\":{" TOTAL "},\"kernels\":[" \
	KERNELS "],\"code\":{\"instructions\":7}}"
#define K(NAME, CYCLES) "{\"kernel\":\"" NAME "\",\"cycles\":" CYCLES "}"
static const char before[] = REPORT("ok", "\"cycles\":100,\"none\":0,\"zero\":0,\"share\":0.5,\"lost\":null,"
	"\"never\":null,\"old\":1,\"memory\":{\"l1\":{\"hits\":3}},\"active_lanes\":[1,2]",
	K("k", "60") "," K("l", "40") "," K("gone", "1"));
static const char after[] = REPORT("ok", "\"cycles\":102,\"none\":0,\"zero\":3,\"share\":0.375,\"lost\":5,"
	"\"never\":null,\"memory\":{\"l1\":{\"hits\":6}},\"active_lanes\":[1,4]",
	K("k", "90") "," K("l", "30") "," K("made", "5"));
static const char failed[] = REPORT("failed", "\"cycles\":102", K("k", "90"));

/* judged, holds, failed, open, and a text of what is said */
static const struct { const char *text, *before, *after; Judgement sum; const char *said; } judged[] = {
	{ "cycles > 1.02", before, after, { 1, 0, 0, 0 }, NULL }, /* 102 / 100 is 1.02, to the bit */
	{ "cycles >= 1.02", before, after, { 1, 1, 0, 0 },
		"holds: cycles is 100 before, 102 after, ratio 1.02" },
	{ "cycles == 1.02", before, after, { 1, 1, 0, 0 }, NULL },
	{ "cycles != 1.02", before, after, { 1, 0, 0, 0 }, NULL },
	{ "cycles < 1.03", before, after, { 1, 1, 0, 0 }, NULL },
	{ "cycles <= 1", before, after, { 1, 0, 0, 0 }, NULL },
	{ "cycles > 1", after, before, { 1, 0, 0, 0 }, NULL },
	{ "none > 1", before, after, { 1, 0, 0, 0 }, NULL },
	{ "none == 1", before, after, { 1, 1, 0, 0 }, NULL },
	{ "zero > 1e300", before, after, { 1, 1, 0, 0 }, "zero is 0 before, 3 after, ratio infinite" },
	{ "zero < 2", before, after, { 1, 0, 0, 0 }, NULL },
	{ "zero < 0.5", after, before, { 1, 1, 0, 0 }, "ratio 0" },
	{ "after.zero > 2", before, after, { 1, 1, 0, 0 }, "zero is 3" },
	{ "change.zero == 3", before, after, { 1, 1, 0, 0 }, "change 3" },
	{ "change.share < -12 %", before, after, { 1, 1, 0, 0 }, "change -0.125" },
	{ "after.lost > 4", before, after, { 1, 1, 0, 0 }, NULL }, /* before is not asked for */
	{ "lost > 4", before, after, { 0, 0, 0, 1 }, "error: --fail-if 'lost > 4' cannot be judged: lost is "
		"not measured before" },
	{ "lost > 4", after, before, { 0, 0, 0, 1 }, "lost is not measured after" },
	{ "old > 4", before, after, { 0, 0, 0, 1 }, "the report after has no old" },
	{ "never > 4", before, after, { 0, 0, 0, 1 }, "never is not measured in any run" },
	{ "cylces > 4", before, after, { 0, 0, 0, 1 }, "no run has a figure cylces; did you mean cycles?" },
	{ "memory.l1 > 4", before, after, { 0, 0, 0, 1 },
		"memory.l1 is no number; expected one of its members: memory.l1.hits" },
	{ "memory.l1.hits == 2", before, after, { 1, 1, 0, 0 }, NULL },
	{ "active_lanes[1] == 2", before, after, { 1, 1, 0, 0 }, NULL },
	{ "active_lanes[2] == 2", before, after, { 0, 0, 0, 1 }, NULL },
	{ "active_lanes[99999999999999999999] == 2", before, after, { 0, 0, 0, 1 }, NULL },
	{ "active_lanes == 2", before, after, { 0, 0, 0, 1 }, "as in [0]" },
	{ "active_lanes[1].l1 == 2", before, after, { 0, 0, 0, 1 }, "no run has" },
	{ "active_lanes[1]x == 2", before, after, { 0, 0, 0, 1 }, "no run has" },
	{ "active_lanes[] == 2", before, after, { 0, 0, 0, 1 }, "no run has" },
	{ "active_lanes[[1] == 2", before, after, { 0, 0, 0, 1 }, "no run has" },
	{ "memory.nonfaulting.loads > 1", before, after, { 1, 0, 0, 0 }, NULL }, /* left out where it is 0 */
	{ "code.instructions == 1", before, after, { 1, 1, 0, 0 }, NULL },
	{ "kernel k: cycles == 1.5", before, after, { 1, 1, 0, 0 },
		"holds for kernel k: cycles is 60 before, 90 after" },
	{ "kernel *: cycles > 1", before, after, { 2, 1, 0, 0 },
		"is not judged for kernel gone: the run after does not launch it" },
	{ "kernel *: after.cycles > 1", before, after, { 3, 3, 0, 0 }, "for kernel made: cycles is 5" },
	{ "kernel *: cycels > 1", before, after, { 0, 0, 0, 1 }, "did you mean cycles?" },
	{ "kernel gone: cycles > 1", before, after, { 0, 0, 0, 1 },
		"for kernel gone: the run after does not launch it" },
	{ "kernel kk: cycles > 1", before, after, { 0, 0, 0, 1 },
		"no run launches kernel kk; did you mean k?" },
	{ "cycles > 9", before, failed, { 0, 0, 1, 0 }, "the run after failed: x" },
	{ "cycles > 9", failed, after, { 0, 0, 0, 1 }, "the run before failed: x" },
	{ "cycles > 9", failed, failed, { 0, 0, 0, 1 }, "no two runs that have ended well" },
	{ "cycles > 9", failed, failed, { 0, 0, 0, 1 }, "both runs failed: x" },
};

static const JsonValue *report(Arena *a, const char *text)
{
	Diag d = { 0 };
	const JsonValue *v = json_read(a, text, strlen(text), "t", &d);
	ck_assert_msg(v != NULL, "%s", text);
	return v;
}

START_TEST(judges)
{
	Arena a = { 0 };
	StrBuf out = { 0 };
	Condition c;
	const char *error;
	int column;
	GridPair pair = { { report(&a, judged[_i].before), report(&a, judged[_i].after) } };
	ck_assert(condition_parse(&a, judged[_i].text, &c, &error, &column));
	Judgement sum = conditions_judge(&c, 1, &pair, 1, false, &out), want = judged[_i].sum;
	ck_assert_msg(sum.judged == want.judged && sum.holds == want.holds && sum.failed == want.failed &&
		sum.open == want.open, "case %d, '%s': judged %d holds %d failed %d open %d: %s", _i,
		judged[_i].text, sum.judged, sum.holds, sum.failed, sum.open, out.s ? out.s : "");
	ck_assert_msg(!judged[_i].said || (out.s && strstr(out.s, judged[_i].said)), "case %d, '%s' says: %s",
		_i, judged[_i].text, out.s ? out.s : "nothing");
	ck_assert_msg((sum.holds || sum.open || sum.failed || judged[_i].said) == (out.n > 0),
		"case %d, '%s' says: %s", _i, judged[_i].text, out.s ? out.s : "nothing");
	sb_free(&out);
	arena_free(&a);
}
END_TEST

/* Every operator is the opposite of another one, whatever the two values are. */
START_TEST(operators_exclude_each_other)
{
	static const char *const pair[][2] = { { ">", "<=" }, { "<", ">=" }, { "==", "!=" } };
	static const char *const bound[] = { "0", "0.5", "1.0199999", "1.02", "1.03", "1e9" };
	Arena a = { 0 };
	GridPair runs = { { report(&a, before), report(&a, after) } };
	for (size_t p = 0; p < 3; p++)
		for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
			int holds = 0;
			for (int side = 0; side < 2; side++) {
				Condition c;
				StrBuf out = { 0 };
				const char *error;
				int column;
				ck_assert(condition_parse(&a, arena_printf(&a, "cycles %s %s", pair[p][side],
					bound[k]), &c, &error, &column));
				holds += conditions_judge(&c, 1, &runs, 1, false, &out).holds;
				sb_free(&out);
			}
			ck_assert_msg(holds == 1, "cycles %s or %s %s: %d hold", pair[p][0], pair[p][1],
				bound[k], holds);
		}
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("condition");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, reads, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(t, refuses, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_loop_test(t, judges, 0, (int)(sizeof judged / sizeof *judged));
	tcase_add_test(t, operators_exclude_each_other);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failures = srunner_ntests_failed(r);
	srunner_free(r);
	return failures != 0;
}
