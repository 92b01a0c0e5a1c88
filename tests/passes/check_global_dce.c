/* global-dce, a pass over modules: what goes, what stays, and that numbers of functions and variables agree
   afterwards. */
#include "isa/ir.h"
#include "lib/strbuf.h"
#include "passes/pass.h"
#include "tests/check.h"

static const char text[] =
	"global u64 table[1] = { listed }\n"
	"func unused(u32 %a, u32 %b) -> (u32 %r) {\n"
	"\tlocal u32 mine[4]\n"
	"\treg u32 %t\n"
	"B:\t%t = add.u32 %a, %b\n"
	"\t(%r) = call only_unused, (%t)\n"
	"\tret\n"
	"}\n"
	"func only_unused(u32 %x) -> (u32 %y) {\n"
	"C:\tret\n"
	"}\n"
	"func listed(u32 %x) -> (u32 %y) {\n"
	"D:\t%y = mov.u32 %x\n"
	"\tret\n"
	"}\n"
	"func called(u32 %x) -> (u32 %y) {\n"
	"\tlocal u32 own[4]\n"
	"E:\tst.local.u32 [own+4], %x\n"
	"\t%y = ld.local.u32 [own+4]\n"
	"\tret\n"
	"}\n"
	"kernel k(u64 out) {\n"
	"\treg u64 %p\n"
	"\treg u32 %v\n"
	"F:\t%p = ld.param.u64 [out]\n"
	"\t(%v) = call called, (7)\n"
	"\tst.global.u32 [%p], %v\n"
	"\texit\n"
	"}\n";

static Module *read_text(const char *s, Diag *d)
{
	Module *m = ir_read(s, strlen(s), "test.ir", d);
	diag_print(d, stderr);
	ck_assert_ptr_nonnull(m);
	return m;
}

START_TEST(what_goes)
{
	Diag d = { 0 };
	PassLog log = { 0 };
	StrBuf s = { 0 };
	Module *m = read_text(text, &d);
	Module *before = module_copy(m);
	ck_assert(pipeline_run(m, "global-dce", &(PassHost){ .log = &log }, &d));
	ck_assert_int_eq(log.count.n, 1);
	ck_assert_str_eq(log.count.v[0].what, "bodies dropped");
	ck_assert_str_eq(log.count.v[0].function, "");
	ck_assert_int_eq(log.count.v[0].n, 2);
	for (int k = 0; k < m->func.n; k++) { /* addresses of functions stay */
		const Function *f = m->func.v[k];
		ck_assert_str_eq(f->name, before->func.v[k]->name);
		ck_assert_int_eq(f->declared_only, !strcmp(f->name, "unused") ||
			!strcmp(f->name, "only_unused"));
	}
	ck_assert_int_eq(m->symbol.n, before->symbol.n - 1);
	ck_assert_ptr_null(module_find_symbol(m, "mine", module_find_function(m, "unused")->id));
	ck_assert_ptr_nonnull(module_find_symbol(m, "own", module_find_function(m, "called")->id));

	ir_print(m, &s);                      /* the text says the same module */
	Module *again = read_text(s.s, &d);
	ck_assert(module_equal(m, again));
	pass_log_free(&log);
	log = (PassLog){ 0 };
	ck_assert(pipeline_run(m, "global-dce", &(PassHost){ .log = &log }, &d));
	ck_assert_int_eq(log.count.n, 0);     /* a second run finds nothing */
	ck_assert(module_equal(m, again));
	ck_assert_int_eq(d.errors, 0);
	sb_free(&s);
	pass_log_free(&log);
	module_free(before);
	module_free(again);
	module_free(m);
	diag_free(&d);
}
END_TEST

/* Function passes behind a module pass see the functions as they are now. */
START_TEST(function_passes_behind_it)
{
	Diag d = { 0 };
	Module *m = read_text(text, &d);
	ck_assert(pipeline_run(m, "dce,global-dce,dce,global-dce,simplify-cfg", NULL, &d));
	ck_assert_int_eq(module_find_function(m, "unused")->block.n, 0);
	ck_assert_int_eq(d.errors, 0);
	module_free(m);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("global-dce");
	TCase *t = tcase_create("all");
	tcase_add_test(t, what_goes);
	tcase_add_test(t, function_passes_behind_it);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
