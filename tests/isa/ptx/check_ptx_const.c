/* Constant expressions of PTX. The integer values are those that NVIDIA's ptxas 13.0 puts into the object
   file. */
#include "isa/ir.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <stdlib.h>

static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n";

static Module *read_with(const char *before, const char *expr, const char *behind, Diag *d)
{
	StrBuf text = { 0 };
	sb_printf(&text, "%s%s%s%s", head, before, expr, behind);
	Module *m = ptx_read(text.s, text.n, "const.ptx", d);
	sb_free(&text);
	return m;
}

/* The bits of the only element of a variable that begins so. */
static uint64_t value_of(const char *before, const char *expr)
{
	Diag d = { 0 };
	Module *m = read_with(before, expr, ";\n", &d);
	ck_assert_msg(m != NULL, "%s: %s", expr, d.item.n ? d.item.v[0].text : "no message");
	const Symbol *s = m->symbol.v[0];
	uint64_t v = 0;
	for (uint64_t k = 0; k < s->size; k++)
		v |= (uint64_t)s->init[k] << 8 * k;
	module_free(m);
	diag_free(&d);
	return v;
}

static const struct { const char *expr; uint64_t value; } integers[] = {
	{ "-1 >> 1", 0xffffffffffffffff }, { "~1 >> 1", 0x7fffffffffffffff }, { "~1 < 0", 0 },
	{ "(.s64)0xffffffffffffffff >> 1", 0xffffffffffffffff }, { "(.u64)-1 >> 1", 0x7fffffffffffffff },
	{ "5 % -3", 5 },
	{ "-5 % 3", 2 }, { "-5 % 3U", 2 }, { "(-5 % 3) >> 60", 0 }, { "-1 < 1U", 0 }, { "-1 < 1", 1 },
	{ "-5 / 2", 0xfffffffffffffffe }, { "-5 / 2U", 0x7ffffffffffffffd },
	{ "(1 ? -1 : 1U) >> 1", 0xffffffffffffffff },
	{ "(1 ? -1 : 1) >> 1", 0xffffffffffffffff }, { "1.0 < 2.0", 1 }, { "1 << 64", 1 },
	{ "1 << 63", 0x8000000000000000 },
	{ "1 << 65", 2 }, { "-1 >> 65", 0xffffffffffffffff }, { "-1U >> 65", 0x7fffffffffffffff },
	{ "1 << -1", 0x8000000000000000 }, { "0x8000000000000000 >> 4", 0x800000000000000 },
	{ "9223372036854775808 >> 4", 0x800000000000000 }, { "(-8 & -1) >> 1", 0xfffffffffffffffc },
	{ "(-8 | -1) >> 1", 0xffffffffffffffff }, { "(-8 ^ 0) >> 1", 0xfffffffffffffffc },
	{ "(-8 | -1) < 0", 1 },
	{ "(-1 && 2) - 2 < 0", 1 }, { "!0 - 2 < 0", 1 }, { "!5U", 0 }, { "(3 > 2U) - 2 < 0", 1 },
	{ "(1U - 2) < 0", 0 },
	{ "+0x8000000000000000 < 0", 0 }, { "-(1U) < 0", 0 }, { "-5U / 2", 0x7ffffffffffffffd },
	{ "(-9223372036854775807 - 1) % -1", 0x8000000000000000 }, { "-1 >> 1U", 0xffffffffffffffff },
	{ "1U ? 2 : 3", 2 },
	{ "0 || -1", 1 }, { "1 ? 2 : 3 ? 4 : 5", 2 }, { "2 * 3 + 4 << 1", 20 }, { "1 < 2 == 1", 1 },
	{ "1 + 2 & 3", 3 },
	{ "6 & 3 == 3", 0 }, { "1 | 2 ^ 3 & 4", 3 }, { "010", 8 }, { "0b101", 5 }, { "0x1fU", 31 },
	{ "- - 5", 5 },
	{ "-~5", 6 }, { "!-5", 0 }, { "1.5 == 1.5", 1 }, { "-1.5 < 1.5", 1 }, { "(-2 % -1) < 0", 0 },
	{ "(-2 % -1) >> 1", 0x7fffffffffffffff }, { "(-8U & -1) >> 1", 0x7ffffffffffffffc },
	{ "(-8 & -1U) >> 1", 0x7ffffffffffffffc }, { "(-8U | -1U) >> 1", 0x7fffffffffffffff },
	{ "(-8 ^ 0U) >> 1", 0x7ffffffffffffffc }, { "(-8 ^ 0) < 0", 1 },
	{ "(0U ^ -8) >> 1", 0x7ffffffffffffffc },
	{ "(-8 & -1) / 3", 0xfffffffffffffffe }, { "(-8U & -1) / 3", 0x5555555555555552 },
	{ "(1 ? -1 : 1U) < 0", 1 },
	{ "(0 ? 1U : -1) < 0", 1 }, { "(1 ? -1U : 1) < 0", 0 }, { "(0 ? 1U : -1) >> 1", 0xffffffffffffffff },
	{ "(0 ? 1U : -1) / 3", 0 }, { "(1 ? -1 : 1U) / 3", 0 }, { "(1 ? -1U : 1) >> 1", 0x7fffffffffffffff },
	{ "(0 ? -1 : 1U) - 2 < 0", 0 }, { "!(-1U) - 1 < 0", 1 }, { "(1U && 1U) - 2 < 0", 1 },
	{ "(1U == 1U) - 2 < 0", 1 },
	{ "-1 == 0xffffffffffffffffU", 1 }, { "-1 <= 0U", 0 }, { "(-1 << 1) >> 1", 0xffffffffffffffff },
	{ "(-1 << 1U) >> 1", 0xffffffffffffffff }, { "(-1U << 1) >> 1", 0x7fffffffffffffff },
	{ "-1 + 0U >> 1", 0x7fffffffffffffff }, { "-1 - 0U >> 1", 0x7fffffffffffffff },
	{ "-1 * 1U >> 1", 0x7fffffffffffffff }, { "-1 * 1 >> 1", 0xffffffffffffffff },
	{ "-1 + 0 >> 1", 0xffffffffffffffff },
	{ "~0 + 0 >> 1", 0x7fffffffffffffff }, { "~0 * 1 / 3", 0x5555555555555555 }, { "(~0) < 0", 0 },
	{ "(.s64)~0 < 0", 1 }, { "(.s64)~0 >> 1", 0xffffffffffffffff },
	{ "(.s64)-1U >> 1", 0xffffffffffffffff },
	{ "(.u64)-1 / 3", 0x5555555555555555 }, { "(.u64)(-1) / 3", 0x5555555555555555 },
	{ "(.s64)5U - 6 < 0", 1 },
	{ "+5U - 6 < 0", 0 }, { "!~0", 0 }, { "-(-5U)", 5 },
	{ "(-9223372036854775807-1) >> 3", 0xf000000000000000 },
	{ "-9223372036854775808 >> 3", 0x1000000000000000 }, { "-9223372036854775809", 0x7fffffffffffffff },
	{ "9223372036854775807 + 1 < 0", 1 }, { "9223372036854775808 < 0", 0 },
	{ "0x7fffffffffffffff + 1 >> 1", 0xc000000000000000 },
	{ "01777777777777777777777 >> 1", 0x7fffffffffffffff },
	{ "0777777777777777777777 >> 1", 0x3fffffffffffffff },
	{ "0b1111111111111111111111111111111111111111111111111111111111111111 >> 1", 0x7fffffffffffffff },
	{ "-1 ? 2 : 3", 2 }, { "2 || 0", 1 }, { "2 && 0", 0 }, { "-1 > 1", 0 }, { "-1U > 1", 1 },
	{ "-1 >= 0U", 1 },
	{ "1 != 2", 1 }, { "~-1", 0 }, { "- 1 - - 1", 0 }, { "1 - -1", 2 }, { "1--1", 2 },
	{ "2*-3", 0xfffffffffffffffa },
	{ "2+-3", 0xffffffffffffffff }, { "(.s64) - 3", 0xfffffffffffffffd },
	{ "(.u64) ~ 3 >> 1", 0x7ffffffffffffffe },
	{ "1 ? 2 : 3 + 1", 2 }, { "1 || 1 ? 5 : 6", 5 }, { "0 ? 1 : 0 ? 2 : 3", 3 }, { "1<<2+1", 8 },
	{ "1<2<3", 1 },
	{ "5-3-1", 1 }, { "100/5/2", 10 }, { "1==1==1", 1 }, { "2&3==3", 0 }, { "1|0&0", 1 }, { "1^3|4", 6 },
	{ "0&&0||1", 1 }, { "1||0&&0", 1 },
	/* ptxas stops at a signal here; two's complement goes round */
	{ "(-9223372036854775807 - 1) / -1", 0x8000000000000000 },
};

START_TEST(integer)
{
	uint64_t v = value_of(".global .u64 x = ", integers[_i].expr);
	ck_assert_msg(v == integers[_i].value, "%s is 0x%llx, not 0x%llx", integers[_i].expr,
		(unsigned long long)v, (unsigned long long)integers[_i].value);
}
END_TEST

static const struct { const char *expr; double value; } floats[] = {
	{ "1.0 + 2.0 * 3.0", 7 }, { "- - 1.5", 1.5 }, { "+1.5", 1.5 }, { "-(1.5 + 2.0)", -3.5 },
	{ "1.0 / 3.0", 1.0 / 3 },
	{ "0d3ff8000000000000 * 2.0", 3 }, { "(0f3FC00000)", 1.5 }, { "-0fBFC00000", 1.5 },
	{ "1.0 < 2.0 ? 1.5 : 2.5", 1.5 },
	{ "0 ? 1.5 : -2.5", -2.5 }, { "1e10", 1e10 }, { "-3", -3 }, { "0x8000000000000000", 0x1p63 },
};

START_TEST(floating)
{
	uint64_t v = value_of(".global .f64 x = ", floats[_i].expr);
	uint32_t w = (uint32_t)value_of(".global .f32 x = ", floats[_i].expr);
	double d;
	float f;
	memcpy(&d, &v, sizeof d);
	memcpy(&f, &w, sizeof f);
	ck_assert_msg(d == floats[_i].value && f == (float)floats[_i].value, "%s is %a, %a", floats[_i].expr,
		d, (double)f);
}
END_TEST

/* The same expressions as sizes, offsets and operands. */
START_TEST(places)
{
	Diag d = { 0 };
	Module *m = read_with(".global .u32 a[", "~0 == 0xffffffffffffffff ? 3 : 4",
		"];\n.entry k() { .reg .u64 x; .reg .f64 f;\n"
		"mov.u64 x, -2U >> 1; add.f64 f, f, 1.5 - 2.0; mov.u64 x, a[-1 < 0U ? 1 : 2]; mov.u64 x, 2.0 "
		"> 1.0;\n"
		"ld.global.u64 x, [x + 2 * 4]; ret; }", &d);
	ck_assert_msg(m != NULL, "%s", d.item.n ? d.item.v[0].text : "no message");
	const Ins *i = m->func.v[0]->block.v[0]->ins.v;
	ck_assert_uint_eq(m->symbol.v[0]->count, 3);
	ck_assert_int_eq(i[0].opd[1].imm, INT64_MAX);
	ck_assert_uint_eq((uint64_t)i[1].opd[2].imm, 0xbfe0000000000000);
	ck_assert_int_eq(i[2].opd[1].imm, 8);
	ck_assert_int_eq(i[3].opd[1].imm, 1);
	ck_assert_int_eq(i[4].opd[1].imm, 8);
	module_free(m);
	diag_free(&d);
}
END_TEST

/* the first message, with the column behind the `=` */
static const struct { const char *expr, *error; } wrong[] = {
	{ "1 / 0", "3: division by zero in a constant expression" },
	{ "1U % (2 - 2)", "4: division by zero in a constant expression" },
	{ "0 && 1 / 0", "8: division by zero in a constant expression" },
	{ "1 ? 2 : 1 % 0", "11: division by zero in a constant expression" },
	{ "1.0 / 0.0", "5: division by zero in a constant expression" },
	{ "1 == 1.0", "3: the operands of '==' are an integer and a floating-point number" },
	{ "1.5 + 1", "5: the operands of '+' are an integer and a floating-point number" },
	{ "1.5 % 2.0", "5: the operands of '%' must be integers" },
	{ "1.5 && 2.0", "5: the operands of '&&' must be integers" },
	{ "~1.5", "1: expected an integer constant, not a floating-point number" },
	{ "!1.5", "1: expected an integer constant, not a floating-point number" },
	{ "(.s64)1.5", "1: expected an integer constant, not a floating-point number" },
	{ "1.5 ? 1 : 2", "5: expected an integer constant, not a floating-point number" },
	{ "1 ? 1.5 : 2", "3: the operands of '?:' are of different types" },
	{ "0f3F800000 + 1.0", "12: a 0f number cannot be an operand of '+'; a decimal or 0d number can" },
	{ "2 * WARP_SZ", "5: WARP_SZ in a constant expression is not supported by gsim: it is the "
		"machine's" },
	{ "(5", "3: expected ')' in a constant expression, not ';'" },
	{ "(.u32)5", "2: expected a constant, not '.u32'" },
	{ "3 +", "4: expected a constant, not ';'" }, { "1 ? 2",
		"6: expected ':' in a constant expression, not ';'" },
};

START_TEST(error)
{
	static const char before[] = ".global .u64 x = ";
	StrBuf got = { 0 };
	Diag d = { 0 };
	Module *m = read_with(before, wrong[_i].expr, ";\n", &d);
	ck_assert_msg(m == NULL && d.item.n, "%s is accepted", wrong[_i].expr);
	sb_printf(&got, "%d: %s", d.item.v[0].loc.col - (int)(sizeof before - 1), d.item.v[0].text);
	ck_assert_str_eq(got.s, wrong[_i].error);
	ck_assert_int_eq(d.item.v[0].loc.line, 4);
	module_free(m);
	sb_free(&got);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_const");
	TCase *t = tcase_create("ptx_const");
	tcase_add_loop_test(t, integer, 0, sizeof integers / sizeof *integers);
	tcase_add_loop_test(t, floating, 0, sizeof floats / sizeof *floats);
	tcase_add_test(t, places);
	tcase_add_loop_test(t, error, 0, sizeof wrong / sizeof *wrong);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
