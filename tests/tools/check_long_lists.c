/* Time to read grows with the length of a list, not with its square: of each thing that a file may hold many
 * of, PTX with ten times as many takes at most thirty times as long (measured: 8 to 16; squares take 100),
 * and so does the IR text of it. */
#include "isa/ir.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <stdlib.h>
#include <time.h>

enum { SMALL = 3000, MORE = 10, MOST_RATIO = 30, TRIES = 4 };

/* Lines that are repeated: # stands for 1, 2, ..., n, ^ for n more than that, @ for n. */
/* first: repeated in front of the others */
static const struct { const char *before, *each, *behind, *first; } lists[] = {
	{ ".entry k() { ret; }", ".file # \"f#.c\"", "" },
	{ ".entry k() { .reg .b32 r;", ".loc # 1 1\nmov.u32 r, #;", "ret; }\n.file 1 \"a.c\"" },
	{ ".entry k() { .reg .b32 r;", ".file # \"f#.c\"", "" }, /* an error for each */
	{ "", ".global .u32 g#;", "" }, { "", ".const .u64 g# = g#;", "" },
	{ "", ".extern .shared .b8 s[];", "" },
	{ "", ".global .texref t#;", "" }, { ".entry k() {", ".local .b32 v#;", "ret; }" },
	{ ".entry k() {", "{ .shared .b32 v; }", "ret; }" },
	{ ".entry k() { .reg .b32 r<@>;", "mov.u32 r0, #;", "ret; }" },
	{ ".entry k() { .reg .b32 r<1000000>;", "mov.u32 r#, 1;", "ret; }" },
	{ ".entry k() {", ".reg .b32 r#;\nmov.u32 r#, 1;", "ret; }" },
	{ ".entry k() {", "{ .reg .b32 r; mov.u32 r, 1; }", "ret; }" },
	{ ".entry k() { .reg .b32 r<1000000>; .reg .b32 x; mov.u32 x, 1;",
		"mov.u32 r#, 2; { .reg .b32 x; mov.u32 x, 1; }", "ret; }" },
	{ ".entry k() {", "L#:", "ret; }" }, { ".entry k() { .reg .pred p;", "L#: @p bra L#;", "ret; }" },
	{ ".entry k() { .reg .pred p;", "@p ret;", "ret; }" }, { ".entry k() {", "{ bra L; L: }", "ret; }" },
	{ ".entry k() { .reg .pred p;", ".pragma \"reconverge L#\"; @p bra L#; L#:", "ret; }" },
	{ ".entry k() { .reg .b32 r; t: .branchtargets L", ", L", "; brx.idx r, t; L: ret; }" },
	{ ".entry k() { .reg .b32 r;", "t#: .branchtargets L#; brx.idx r, t#; L#:", "ret; }" },
	{ ".entry k() {", "t#: .callprototype _ ();", "ret; }" },
	{ ".entry k() {", ".pragma \"x\";", "ret; }" },
	{ "", ".pragma \"x\";", "" }, { ".section .debug_info {", ".b8 1, 2, #", "}" },
	{ "", ".section .debug_# {\n.b8 1\n}", "" },
	{ "", ".func f#() { ret; }", "" }, { "", ".extern .func f#(.param .b32 a);", "" },
	{ "", ".entry k#(.param .u32 a) { ret; }", "" },
	{ "", ".entry k#(.param .u32 a) { wmma.a; }", "" },
	{ ".func f() { ret; }\n.entry k() {", "call f;", "ret; }" },
	{ ".func f(.param .b32 a) { ret; }\n.entry k() {",
		"{ .param .b32 q; st.param.b32 [q], 1; call f, (q); }", "ret; }" },
	{ ".global .u32 t[] = {0", ", #", "};" }, { ".global .u32 t[@][2] = {{0, 1}", ", {#}", "};" },
	{ ".global .u64 t[] = {0", ", t+#", "};" },
	{ ".global .u32 t = 0", " + #", ";" }, { ".entry k() {", "ad.u32 r, #;", "ret; }" },
	{ ".entry k() {", "bra L#;", "ret; }" },
	{ "", "// x\n/* y */", "" }, { "", ".local .b32 v#;", "" },
	{ ".reg .b32 r<1000000>;\n.func f() { mov.u32 r1, 1; ret; }\n.entry k() { call f;", "mov.u32 r#, 1;",
		"ret; }" },
	{ ".reg .b32 r;\n.func f() { mov.u32 r, 1; ret; }\n.entry k() { mov.u32 r, 1;", "call f;", "ret; }" },
	/* names that a name which must give way finds taken */
	{ ".entry k() {", "{ .reg .b32 x; mov.u32 x, 1; }", "ret; }", ".reg .b32 x_^; mov.u32 x_^, 1;" },
	{ ".entry k() {", "{ L: }", "ret; }", "L_^:" },
	{ ".entry k() {", "{ .local .b32 v; }", "ret; }", ".local .b32 v_^;" },
};
enum { NLISTS = sizeof lists / sizeof *lists };

static void put(StrBuf *out, const char *s, int k, int n)
{
	for (; *s; s++)
		if (*s == '#' || *s == '@' || *s == '^')
			sb_printf(out, "%d", *s == '#' ? k : *s == '@' ? n : n + k);
		else
			sb_putc(out, *s);
	sb_putc(out, '\n');
}

static void make(StrBuf *out, int i, int n)
{
	sb_puts(out, ".version 7.5\n.target sm_75\n.address_size 64\n");
	put(out, lists[i].before, 0, n);
	for (int k = 1; lists[i].first && k < n; k++)
		put(out, lists[i].first, k, n);
	for (int k = 1; k < n; k++)
		put(out, lists[i].each, k, n);
	put(out, lists[i].behind, 0, n);
}

typedef Module *Reader(const char *, size_t, const char *, Diag *);

/* Processor time of one reading, in seconds; *printed gets its IR text, if there is a module. */
static double seconds(Reader *reader, const StrBuf *text, StrBuf *printed)
{
	Diag d = { .limit = 20 };
	clock_t from = clock();
	Module *m = reader(text->s, text->n, "list", &d);
	double t = (double)(clock() - from) / CLOCKS_PER_SEC;
	if (m && printed)
		ir_print(m, printed);
	module_free(m);
	diag_free(&d);
	return t;
}

/* The best of some tries, for others use the machine too. Times below five milliseconds say nothing: a clock
 * of processor time may tick each four. A square of what takes less takes half a second. */
static void check(Reader *reader, const StrBuf *small, const StrBuf *large, const char *what)
{
	double least_small = 1e9, least_large = 1e9;
	for (int k = 0; k < TRIES; k++) {
		double s = seconds(reader, small, NULL), l = seconds(reader, large, NULL);
		least_small = s < least_small ? s : least_small;
		least_large = l < least_large ? l : least_large;
		if (least_large <= MOST_RATIO * (least_small > 5e-3 ? least_small : 5e-3))
			return;
	}
	ck_abort_msg("%s: %.4f s, ten times as many take %.4f s", what, least_small, least_large);
}

START_TEST(long_list)
{
	StrBuf small = { 0 }, large = { 0 }, small_ir = { 0 }, large_ir = { 0 };
	make(&small, _i, SMALL);
	make(&large, _i, SMALL * MORE);
	check(ptx_read, &small, &large, lists[_i].each);
	seconds(ptx_read, &small, &small_ir);
	seconds(ptx_read, &large, &large_ir);
	if (large_ir.n)
		check(ir_read, &small_ir, &large_ir, lists[_i].each);
	sb_free(&small);
	sb_free(&large);
	sb_free(&small_ir);
	sb_free(&large_ir);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("long lists");
	TCase *t = tcase_create("long lists");
	tcase_add_loop_test(t, long_list, 0, NLISTS);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
