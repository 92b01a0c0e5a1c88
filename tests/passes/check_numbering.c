/* Which instructions commute, by definition: those that give the same bits with their first two sources the
   other way around, whatever these are. */
#include "isa/lane.h"
#include "passes/analysis/numbering.h"
#include <check.h>

enum { VALUES = 16 };

/* Numbers, zeros, infinities, NaNs that differ in sign, payload and being quiet. */
static const uint64_t doubles[VALUES] = { 0, 0x8000000000000000, 0x3ff0000000000000, 0xc008000000000000, 1,
	0x800fffffffffffff, 0x7ff0000000000000,
	0xfff0000000000000, 0x7fefffffffffffff, 0x7ff8000000000111, 0x7ff8000000000222, 0xfff8000000000111,
	0x7ff0000000000333, 0xfff0000000000444,
	0x7fffffffffffffff, 0x7ff8000000000000 };
static const uint64_t floats[VALUES] = { 0, 0x80000000, 0x3f800000, 0xc0400000, 1, 0x807fffff, 0x7f800000,
	0xff800000, 0x7f7fffff, 0x7fc00111, 0x7fc00222,
	0xffc00111, 0x7f800333, 0xff800444, 0x7fffffff, 0x7fc00000 };
static const uint64_t integers[VALUES] = { 0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
	0x80000000, 0xffffffff, 0x7fffffffffffffff,
	0x8000000000000000, 0xffffffffffffffff };

static const uint64_t *values(Type t) { return t == T_F64 ? doubles : t == T_F32 ? floats : integers; }

static uint64_t computed(Ins *i, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t d[2] = { 0 };
	ck_assert(lane_fold(i, (uint64_t[]){ a, b, c, 0 }, d));
	return d[0];
}

/* With that first source, every second and third one. */
static bool same_both_ways(Ins *i, uint64_t a)
{
	const uint64_t *v = values((Type)i->type);
	for (int b = 0; b < VALUES; b++)
		for (int c = 0; c < (i->nsrc > 2 ? VALUES : 1); c++)
			if (computed(i, a, v[b], v[c]) != computed(i, v[b], a, v[c]))
				return false;
	return true;
}

static int sources(Op op)
{
	int n = 0;
	for (const char *s = strchr(op_info[op].operands, ':') + 1; *s; s++)
		n += *s != '?';
	return n;
}

/* Of registers, and with a number as the first or the second source. */
static void check_form(Ins *i)
{
	bool any = true;
	char what[64];
	snprintf(what, sizeof what, "%s.%s rnd %d ftz %d sat %d half %d", op_info[i->op].name,
		type_name[i->type], i->rnd, i->ftz, i->sat, i->hilo);
	for (int k = 0; k < VALUES; k++) {
		uint64_t a = values((Type)i->type)[k];
		bool same = same_both_ways(i, a);
		any &= same;
		for (int at = 0; at < 2; at++) {
			i->opd[i->ndst] = i->opd[i->ndst + 1] = opd_reg(0);
			i->opd[i->ndst + at] = opd_imm((int64_t)a);
			ck_assert_msg(same || !ins_commutes(i), "%s commutes with %llx, and should not", what,
				(unsigned long long)a);
			ck_assert_msg(!same || ins_commutes(i), "%s does not commute with %llx, and should",
				what, (unsigned long long)a);
		}
	}
	i->opd[i->ndst] = i->opd[i->ndst + 1] = opd_reg(0);
	ck_assert_msg(any == ins_commutes(i), "%s of registers: commutes by %d, and by definition %d", what,
		ins_commutes(i), any);
}

START_TEST(commuting_by_definition)
{
	int forms = 0;
	for (int op = 0; op < OP_COUNT; op++)
		for (int n = 0; op_info[op].flags & OPF_COMM && n < T_COUNT * 5 * 4 * 4; n++) {
			Opd opd[8] = { { 0 } };
			Ins i = { .op = (uint8_t)op, .type = (uint8_t)(n / 80), .rnd = (uint8_t)(n % 5),
				.ftz = n / 5 % 2, .sat = n / 10 % 2, .hilo = (uint8_t)(n / 20 % 4),
				.guard = -1, .ndst = 1, .nsrc = (uint16_t)sources((Op)op), .opd = opd };
			uint64_t d[2];
			/* the carry flag is no operand */
			if (!lane_fn(&i) || !lane_fold(&i, (uint64_t[]){ 0, 0, 0, 0 }, d))
				continue;
			check_form(&i);
			forms++;
		}
	ck_assert_int_gt(forms, 150);
}
END_TEST

static int numbers(const Function *f, const Ins *a, const Ins *b)
{
	int64_t x[KEY_MOST], y[KEY_MOST];
	int n = ins_key(f, a, NULL, x), same = n == ins_key(f, b, NULL, y) &&
		!memcmp(x, y, sizeof *x * (size_t)n);
	Arena arena = { 0 };
	Keys keys = { .a = &arena };
	ck_assert_int_eq(ins_number(&keys, a) == ins_number(&keys, b), same);
	arena_free(&arena);
	return same;
}

/* Both kinds of numbers go by it. */
START_TEST(numbers_go_by_the_order_that_counts)
{
	Module *m = module_new("test");
	Function *f = function_new(m, FN_KERNEL, "k");
	Opd nan = opd_imm(0x7ff8000000000111), one = opd_imm(0x3ff0000000000000);
	for (int t = 0; t < 3; t++) {
		Type type = (Type[]){ T_U32, T_F32, T_F64 }[t];
		int d = function_reg(m, f, NULL, type), x = function_reg(m, f, NULL, type),
			y = function_reg(m, f, NULL, type);
		Ins a = ins_make(m, OP_ADD, type, 1, 2), b = ins_make(m, OP_ADD, type, 1, 2);
		a.opd[0] = b.opd[0] = opd_reg(d);
		a.opd[1] = b.opd[2] = opd_reg(x);
		a.opd[2] = b.opd[1] = opd_reg(y);
		ck_assert_int_eq(numbers(f, &a, &b), type != T_F64);
		a.opd[2] = b.opd[1] = one;
		ck_assert_int_eq(numbers(f, &a, &b), 1);
		a.opd[2] = b.opd[1] = nan;
		ck_assert_int_eq(numbers(f, &a, &b), type != T_F64);
		a.op = b.op = OP_SUB;
		ck_assert_int_eq(numbers(f, &a, &b), 0);
	}
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("numbering");
	TCase *t = tcase_create("all");
	tcase_add_test(t, commuting_by_definition);
	tcase_add_test(t, numbers_go_by_the_order_that_counts);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
