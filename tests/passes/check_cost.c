/* Costs of instructions, and profiles from reports. */
#include "passes/analysis/cost.h"
#include <check.h>

START_TEST(costs)
{
	Module *m = module_new("test");
	Ins add = ins_make(m, OP_ADD, T_U32, 1, 2), fma = ins_make(m, OP_FMA, T_F64, 1, 3), ld = ins_make(m, OP_LD, T_U32, 1, 1), st = ins_make(m, OP_ST, T_U32, 0, 2);
	CostTable t = cost_default;
	ck_assert_int_eq(cost_latency(NULL, &add), 4);
	ck_assert_int_eq(cost_latency(NULL, &fma), 8);
	ck_assert_int_eq(cost_interval(NULL, &fma), 4);
	ld.space = SP_SHARED;
	st.space = SP_GLOBAL;
	ck_assert_int_eq(cost_latency(NULL, &ld), 19);
	ck_assert_int_eq(cost_latency(NULL, &st), 1); /* nobody waits for a store */
	t.memory[SP_SHARED] = 30;
	t.op[OP_ADD] = 6;
	ck_assert_int_eq(cost_latency(&t, &ld), 30);
	ck_assert_int_eq(cost_latency(&t, &add), 6);
	Function *f = function_new(m, FN_KERNEL, "k");
	Block *b = function_block(m, f, "A");
	vec_push(&b->ins, add);
	vec_push(&b->ins, ld);
	ck_assert_int_eq(cost_block(&t, b), 36);
	module_free(m);
}
END_TEST

START_TEST(profiles)
{
	Arena a = { 0 };
	Diag d = { 0 };
	const char *text = "{\"launches\": [{\"blocks\": [{\"function\": \"k\", \"label\": \"B\", \"fetches\": 3, \"threads\": 70}]},"
		" {\"static\": {\"blocks\": 2}, \"blocks\": [{\"function\": \"k\", \"label\": \"A\", \"fetches\": 1, \"threads\": 32},"
		" {\"function\": \"k\", \"label\": \"B\", \"fetches\": 4, \"threads\": 8}]}],"
		" \"total\": {\"blocks\": [{\"function\": \"k\", \"label\": \"B\", \"fetches\": 7, \"threads\": 78},"
		" {\"function\": \"k\", \"label\": \"A\", \"fetches\": 1, \"threads\": 32}]}}"; /* launches are in the total already */
	Profile *p = profile_read(&a, text, strlen(text), "r.json", &d);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(p->n, 2);
	ck_assert_uint_eq(profile_find(p, "k", "B")->fetches, 7);
	ck_assert_uint_eq(profile_find(p, "k", "B")->threads, 78);
	ck_assert_uint_eq(profile_find(p, "k", "A")->fetches, 1);
	ck_assert_ptr_null(profile_find(p, "k", "C"));
	ck_assert_ptr_null(profile_find(p, "j", "A"));
	ck_assert_ptr_null(profile_read(&a, "{\"x\": 1}", 8, "x.json", &d));
	ck_assert_int_eq(d.errors, 1);
	ck_assert_ptr_null(profile_read(&a, "{\"x\": ", 6, "x.json", &d));
	ck_assert_int_eq(d.errors, 2);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cost");
	TCase *t = tcase_create("all");
	tcase_add_test(t, costs);
	tcase_add_test(t, profiles);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
