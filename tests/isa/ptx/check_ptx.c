/* The PTX reader: files made by compilers, the IR that small texts become, errors with their places, hostile
   bytes. */
#include "isa/ir.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n";

/* ---- files ---- */

static const char *const files[] = {
	"both.O0", "both.sm_75", "calls.sm_100", "calls.sm_75", "clang.O0", "clang.O3", "control.sm_100",
	"control.sm_75", "floats.sm_75", "inlined.sm_75",
	"integers.sm_100", "integers.sm_75", "memory.sm_100", "memory.sm_75", "operations", "saxpy.sm_75",
	"warp.sm_100", "warp.sm_75"
};

static char *read_file(const char *name, size_t *n)
{
	const char *dir = getenv("srcdir"), *why = NULL;
	static char path[1024];
	snprintf(path, sizeof path, "%s/tests/isa/ptx/%s.ptx", dir ? dir : ".", name);
	char *text = file_read(path, 1 << 24, n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	return text;
}

static Module *read_ok(const char *text, size_t n, const char *name)
{
	Diag d = { 0 };
	Module *m = ptx_read(text, n, name, &d);
	ck_assert_msg(m != NULL, "%s:%d: %s", name, d.item.n ? d.item.v[0].loc.line : 0,
		d.item.n ? d.item.v[0].text : "no message");
	diag_free(&d);
	return m;
}

/* What compilers wrote reads, verifies, and its IR text reads back as the same module. */
START_TEST(compiled)
{
	size_t n;
	char *text = read_file(files[_i], &n);
	Module *m = read_ok(text, n, files[_i]);
	StrBuf out = { 0 };
	ir_print(m, &out);
	Diag d = { 0 };
	Module *again = ir_read(out.s, out.n, files[_i], &d);
	ck_assert_msg(again != NULL, "%s as IR, line %d: %s", files[_i], d.item.n ? d.item.v[0].loc.line : 0,
		d.item.n ? d.item.v[0].text : "");
	ck_assert_msg(module_equal(m, again), "%s: the printed module reads as another one", files[_i]);
	diag_free(&d);
	sb_free(&out);
	module_free(again);
	module_free(m);
	free(text);
}
END_TEST

/* ---- places of inlined code ---- */

static void put_chain(StrBuf *s, const Module *m, const Ins *i)
{
	Loc l = ins_loc(m, i);
	sb_printf(s, "%s:%d", l.file, l.line);
	for (int at = i->inlined; place_next(m, &at, &l);)
		sb_printf(s, " < %s:%d", l.file, l.line);
	ins_print_inlined(m, i, s);
	sb_putc(s, '\n');
}

/* The lists of all instructions of an operation, in the order of the text. */
static char *chains(const Module *m, Op op)
{
	const Function *f = m->func.v[0];
	StrBuf s = { 0 };
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == op)
				put_chain(&s, m, &f->block.v[b]->ins.v[k]);
	return s.s ? s.s : calloc(1, 1);
}

/* By inlined.cu and inlined.h: which call has which calls around it. */
START_TEST(inlined_chains)
{
	size_t n;
	char *text = read_file("inlined.sm_75", &n);
	Module *m = read_ok(text, n, "inlined");
	char *divisions = chains(m, OP_DIV), *stores = chains(m, OP_ST);
	ck_assert_str_eq(divisions, "inlined.cu:8 < inlined.h:4 < inlined.cu:8 < inlined.cu:13 < "
		"inlined.cu:20 (inlined inlined.h:4, at inlined.cu:13, at inlined.cu:20)\n"
		"inlined.cu:8 < inlined.h:4 < inlined.cu:8 < inlined.cu:14 < inlined.cu:20 (inlined "
		"inlined.h:4, at inlined.cu:14, at inlined.cu:20)\n"
		"inlined.cu:20 < inlined.h:4 < inlined.cu:20 (inlined inlined.h:4)\n");
	ck_assert_str_eq(stores, "inlined.cu:7 < inlined.cu:7 < inlined.cu:14 < inlined.cu:20 (inlined at "
		"inlined.cu:14, at inlined.cu:20)\n"
		"inlined.cu:20\n");
	free(divisions);
	free(stores);
	module_free(m);
	free(text);
}
END_TEST

/* A place that says that it was inlined in itself, again and again, has as many places as a list may have;
   calls in files that the module has not are none. */
START_TEST(odd_chains)
{
	static const char row[] = ".loc 1 5 3, function_name $L + 4, inlined_at 1 5 3\n";
	enum { ROWS = 3000 };
	StrBuf s = { 0 };
	sb_printf(&s, "%s.entry k()\n{\n.loc 1 2 0, function_name $L, inlined_at 7 1 1\nmembar.cta;\n", head);
	for (int k = 0; k < ROWS; k++)
		sb_puts(&s, row);
	sb_puts(&s, "membar.gl;\n.loc 1 6 1\nmembar.sys;\nret;\n}\n.file 1 \"a.cu\"\n");
	Module *m = read_ok(s.s, s.n, "odd");
	const Ins *i = m->func.v[0]->block.v[0]->ins.v;
	Arena a = { 0 };
	int n;
	ck_assert_int_eq(i[0].line, 2);
	ck_assert_int_eq(i[0].inlined, 0);
	places_list(m, i[1].inlined, &a, &n);
	ck_assert_int_eq(i[1].line, 5);
	ck_assert_int_gt(n, 2);
	ck_assert_int_le(n, INLINED_LIMIT);
	ck_assert_int_eq(i[2].line, 6);
	ck_assert_int_eq(i[2].inlined, 0);
	ck_assert_int_lt(m->place.n, 2 * ROWS);
	arena_free(&a);
	module_free(m);
	sb_free(&s);
}
END_TEST

/* ---- small texts ---- */

/* The lines of the only kernel's blocks, without places and declarations, joined by '\n'. */
static char *lines_of(const Module *m)
{
	StrBuf out = { 0 }, all = { 0 };
	ir_print(m, &all);
	for (char *s = strtok(all.s, "\n"); s; s = strtok(NULL, "\n")) {
		char *loc = strstr(s, " !loc"), *point = strstr(s, " !reconverge");
		if (loc && point > loc)
			memmove(loc, point, strlen(point) + 1);
		else if (loc)
			*loc = 0;
		while (*s == '\t')
			s++;
		if (*s && strcmp(s, "{") && strcmp(s, "}") && strncmp(s, "reg ", 4) &&
			strncmp(s, "file ", 5) && strncmp(s, "kernel", 6))
			sb_printf(&out, "%s\n", s);
	}
	sb_free(&all);
	return out.s;
}

/* A statement list in a kernel with the registers that compilers use; and what it becomes, without the final
   ret. */
static void check_body(const char *body, const char *expected)
{
	StrBuf text = { 0 };
	sb_printf(&text, "%s.global .align 4 .b8 g[64];\n.extern .shared .align 16 .b8 dyn[];\n"
		".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[12]) { ret; }\n"
		".entry k(.param .u64 out, .param .align 8 .b8 s[16]) {\n"
		".reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 "
		"%%fd<9>;\n"
		".reg .pred %%p<9>;\n.shared .u32 buf[8];\n%s\nret; }\n", head, body);
	Module *m = read_ok(text.s, text.n, body);
	char *got = lines_of(m);
	char *from = strstr(got, "entry:\n");
	from = from ? strstr(from + 1, "entry:\n") : NULL; /* the second function's */
	ck_assert_msg(from != NULL, "no entry in:\n%s", got);
	char *end = strstr(from, "ret\n");
	ck_assert(end != NULL);
	for (char *next; (next = strstr(end + 1, "ret\n")) != NULL;)
		end = next;
	*end = 0;
	ck_assert_str_eq(from + 7, expected);
	free(got);
	sb_free(&text);
	module_free(m);
}

static const struct { const char *ptx, *ir; } bodies[] = {
	/* parameters, addresses */
	{ "ld.param.u64 %rd1, [out];", "%rd1 = ld.param.u64 [out]\n" },
	{ "ld.param.v2.f32 {%f1, _}, [s+8];", "{%f1, _} = ld.param.v2.f32 [s+8]\n" },
	{ "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd1+-4];", "%r1 = ld.global.nc.u32 [%rd1-4]\n" },
	{ "st.shared::cta.b32 [buf+4], 077;", "st.shared.b32 [buf+4], 63\n" },
	{ "st.volatile.global.v2.u32 [g+8], {%r1, 5};", "st.volatile.global.v2.u32 [g+8], {%r1, 5}\n" },
	{ "ldu.global.u32 %r1, [%rd1];", "%r1 = ld.global.u32 [%rd1]\n" },
	{ "mov.u32 %r1, buf[3];", "%r1 = mov.u32 buf+12\n" },
	{ "mov.u64 %rd1, dyn;", "%rd1 = mov.u64 dyn\n" },
	{ "mov.u64 %rd1, f;", "%rd1 = mov.u64 f\n" },
	/* one register in braces; floats in wider registers */
	{ "ld.global.b32 { %r1 }, [ %rd1 + 0 ];", "%r1 = ld.global.b32 [%rd1]\n" },
	{ "@%p1 st.global.b64 [ %rd1 + 8 ], { %rd2 };", "@%p1 st.global.b64 [%rd1+8], %rd2\n" },
	{ "st.global.b32 [%rd1], {5};", "st.global.b32 [%rd1], 5\n" },
	{ "ld.param.b64 {%rd1}, [out];", "%rd1 = ld.param.b64 [out]\n" },
	{ "{ .param .b32 p0; st.param.b32 [p0], {%r1}; ld.param.b32 {%r2}, [p0]; }",
		"%p0 = mov.b32 %r1\n%r2 = mov.b32 %p0\n" },
	{ "mov.b32 {%r1}, %f2; mov.b16 %rs1, {%rs2}; mov.b64 {%rd1}, 5;",
		"%r1 = mov.b32 %f2\n%rs1 = mov.b16 %rs2\n%rd1 = mov.b64 5\n" },
	{ "ld.global.f32 %rd2, [%rd1];", "%rd2 = ld.global.b32 [%rd1]\n" },
	{ "ld.param.v2.f32 {%rd1, %rd2}, [s];", "{%rd1, %rd2} = ld.param.v2.b32 [s]\n" },
	{ "st.global.v2.f32 [%rd1], {%rd2, 0f3F800000};", "st.global.v2.b32 [%rd1], {%rd2, 0x3f800000}\n" },
	{ "@%p1 cvt.rn.f32.u32 %rd2, %r1;", "@%p1 %t_3 = cvt.rn.f32.u32 %r1\n"
		"@%p1 %rd2 = cvt.u64.u32 %t_3\n" },
	{ "cvt.f64.f32 %fd1, %rd2;", "%t_2 = cvt.u32.u64 %rd2\n%fd1 = cvt.f64.f32 %t_2\n" },
	/* numbers */
	{ "mov.f32 %f1, 1.5;", "%f1 = mov.f32 0f3fc00000\n" },
	{ "mov.f64 %fd1, 0f3F800000;", "%fd1 = mov.f64 0d3ff0000000000000\n" },
	{ "mov.b32 %r1, 0fBF800000;", "%r1 = mov.b32 0xbf800000\n" },
	{ "add.s32 %r1, %r2, (3 + 4) * 2 << 1;", "%r1 = add.s32 %r2, 28\n" },
	{ "mov.u16 %rs1, -1;", "%rs1 = mov.u16 65535\n" },
	/* packing, special registers */
	{ "mov.b64 %rd1, {%r1, %r2};", "%rd1 = pack.b64 {%r1, %r2}\n" },
	{ "mov.b32 {%rs1, _}, %r1;", "{%rs1, _} = unpack.b32 %r1\n" },
	{ "mov.u32 %r1, %ntid.z;", "%r1 = mov.u32 %ntid.z\n" },
	{ "mov.u32 %r1, %envreg7;", "%r1 = mov.u32 %envreg7\n" },
	{ "mul.lo.s32 %r1, %r2, WARP_SZ;", "%t_2 = mov.u32 WARP_SZ\n%r1 = mul.lo.s32 %r2, %t_2\n" },
	/* the launch ends there */
	{ "@%p1 trap; add.u32 %r1, %r1, 1;", "@%p1 trap\n%r1 = add.u32 %r1, 1\n" },
	{ "@%p1 bra L; trap; bra L; L: add.u32 %r1, %r1, 1;",
		"bra %p1, L, bb1\nbb1:\ntrap\nL:\n%r1 = add.u32 %r1, 1\n" },
	/* predicates, pairs, guards */
	{ "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;", "%p1|%p2 = setp.lt.and.s32 %r1, -5, !%p3\n" },
	{ "@!%p1 add.u32 %r1, %r1, 1;", "@!%p1 %r1 = add.u32 %r1, 1\n" },
	{ "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
		"%r1|%p1 = shfl.sync.down.b32 %r2, 1, 31, 0xffffffff\n" },
	{ "vote.sync.ballot.b32 %r1, !%p1, 0xff;", "%r1 = vote.sync.ballot.b32 !%p1, 255\n" },
	{ "barrier.cta.sync.aligned 0;", "bar.sync.aligned 0\n" },
	{ "barrier.sync %r1, 64;", "bar.sync %r1, 64\n" },
	{ "bar.sync 1;", "bar.sync.aligned 1\n" },
	{ "bar.arrive 1, 64;", "bar.arrive.aligned 1, 64\n" },
	{ "bar.red.popc.u32 %r1, 1, 64, !%p1;", "%r1 = bar.red.popc.aligned.u32 1, 64, !%p1\n" },
	{ "bar.red.or.pred %p1, 0, %p2;", "%p1 = bar.red.or.aligned.pred 0, _, %p2\n" },
	/* scopes */
	{ "{ .reg .b32 %r1; mov.u32 %r1, 1; } mov.u32 %r1, 2; { .reg .u32 t; mov.u32 t, 3; }",
		"%r1 = mov.u32 1\n%r1_1 = mov.u32 2\n%t = mov.u32 3\n" },
	/* control */
	{ ".pragma \"nounroll\"; .pragma \"reconverge B\"; setp.eq.u32 %p2, %r1, 0; @%p1 bra A; @%p2 bra A; "
		"A: B: ",
		"%p2 = setp.eq.u32 %r1, 0\nbra %p1, A, bb1 !reconverge B\nbb1:\nbra %p2, A, A\nA:\nbra B\n"
		"B:\n" },
	{ "@%p1 ret; @!%p2 exit; mov.u32 %r1, 1;",
		"bra %p1, bb1, bb2\nbb1:\nret\nbb2:\nbra !%p2, bb3, bb4\nbb3:\nexit\nbb4:\n"
		"%r1 = mov.u32 1\n" },
	{ "L: @%p1 bra.uni L; bra M; mov.u32 %r1, 1; M: ",
		"bra L\nL:\nbra.uni %p1, L, bb1\nbb1:\nbra M\nM:\n" },
	{ "t: .branchtargets A, B, A;\n@%p1 brx.idx %r1, t; A: B: ",
		"bra %p1, bb1, A\nbb1:\nbrx %r1, [A, B, A]\nA:\nbra B\nB:\n" },
	{ "{ bra L; L: } { bra L; L: }", "bra L\nL:\nbra L_2\nL_2:\n" },
	/* calls: structures are words, bytes that nobody stored are 0 */
	{ "{ .param .b32 p0; .param .align 8 .b8 p1[12]; .param .b32 r0; st.param.b32 [p0], %r1; "
		"st.param.b64 [p1], %rd1;\n"
		"call.uni (r0), f, (p0, p1); ld.param.s8 %rs1, [r0+1]; }",
		"%p0 = mov.b32 %r1\n{%p1_0, %p1_1} = unpack.b64 %rd1\n%p1_2 = mov.b32 0\n"
		"(%r0) = call.uni f, (%p0, %p1_0, %p1_1, %p1_2)\n%t_8 = shr.u32 %r0, 8\n"
		"%rs1 = cvt.s16.s8 %t_8\n" },
	{ "{ .param .align 4 .b8 q[8]; st.param.b8 [q+1], %rs1; st.param.b16 [q+2], 7; ld.param.b64 %rd1, "
		"[q]; }",
		"%q_0 = mov.b32 0\n%t_2 = cvt.u32.u8 %rs1\n%q_0 = bfi.b32 %t_2, %q_0, 8, 8\n"
		"%q_0 = bfi.b32 7, %q_0, 16, 16\n"
		"%rd1 = pack.b64 {%q_0, %q_1}\n" },
	{ "pr: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
		"{ .param .b32 r0; .param .b64 a0; st.param.f64 [a0], %fd1; call (r0), %rd2, (a0), pr; }",
		"%a0 = mov.f64 %fd1\n(%r0) = call %rd2, (%a0)\n" },
	/* written out */
	{ "dp2a.hi.s32.u32 %r1, %r2, %r3, -1;", "%r1 = dp2a.hi.s32.u32 %r2, %r3, 0xffffffff\n" },
	{ "szext.wrap.s32 %r1, %r2, 8;", "%r1 = szext.wrap.s32 %r2, 8\n" },
	{ "fns.b32 %r1, 0xf0, %r2, -3;", "%r1 = fns.b32 240, %r2, 0xfffffffd\n" },
	{ "bmsk.clamp.b32 %r1, %r2, 5;", "%r1 = bmsk.clamp.b32 %r2, 5\n" },
	{ "@%p1 max.s16x2 %r1, %r1, %r2;",
		"@%p1 {%t_3, %t_4} = unpack.b32 %r1\n@%p1 {%t_5, %t_6} = unpack.b32 %r2\n"
		"@%p1 %t_7 = max.s16 %t_3, %t_5\n"
		"@%p1 %t_8 = max.s16 %t_4, %t_6\n@%p1 %r1 = pack.b32 {%t_7, %t_8}\n" },
	/* names that would collide */
	{ "{ .reg .b32 laneid; mov.u32 laneid, %laneid; }", "%laneid_0 = mov.u32 %laneid\n" },
};

START_TEST(body)
{
	check_body(bodies[_i].ptx, bodies[_i].ir);
}
END_TEST

/* ---- declarations ---- */

static Module *read_text(const char *text)
{
	StrBuf all = { 0 };
	sb_printf(&all, "%s%s", head, text);
	Module *m = read_ok(all.s, all.n, "text.ptx");
	sb_free(&all);
	return m;
}

START_TEST(kernel_header)
{
	Module *m = read_text(".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param "
		".align 16 .b8 c[20], .param .f64 d)\n.maxntid 128, 2\n.reqntid 64\n.minnctapersm 3\n"
		".pragma \"x\";\n{ ret; }");
	const Function *f = m->func.v[0];
	static const uint32_t offset[] = { 0, 8, 16, 40 }, size[] = { 1, 8, 20, 8 };
	ck_assert_int_eq(f->param.n, 4);
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_eq(f->param.v[i].offset, offset[i]);
		ck_assert_uint_eq(f->param.v[i].size, size[i]);
	}
	ck_assert(f->param.v[1].pointer && f->param.v[1].space == SP_GLOBAL &&
		f->param.v[1].points_align == 16 && !f->param.v[0].pointer);
	ck_assert_uint_eq(f->param_bytes, 48);
	ck_assert_uint_eq(f->maxntid[0] * 100 + f->maxntid[1] * 10 + f->maxntid[2], 12821);
	ck_assert_uint_eq(f->reqntid[0] * 100 + f->reqntid[1] * 10 + f->reqntid[2], 6411);
	ck_assert_uint_eq(f->minnctapersm, 3);
	module_free(m);
}
END_TEST

START_TEST(variables)
{
	Module *m = read_text(".global .align 4 .u32 a[2][3] = {{1, 2}, {-1}};\n"
		".const .f32 b[] = {1.0, 0f40000000, -3};\n"
		".func f() ;\n.global .u64 t[3] = {f, generic(a)+4, 0};\n"
		".global .align 1 .u8 pk[9] = {7, 0xFF(a), 0XFF00(a), 0xFF0000(a), 0xFF000000(a), "
		"0xFF00000000(a),"
		" 0xFF0000000000(a), 0xFF000000000000(a), 0xFF00000000000000(a)};\n.func f() { ret; }\n");
	static const int32_t a[] = { 1, 2, 0, -1, 0, 0 };
	static const float b[] = { 1, 2, -3 };
	ck_assert_int_eq(m->symbol.n, 4);
	ck_assert_mem_eq(m->symbol.v[0]->init, a, sizeof a);
	ck_assert_uint_eq(m->symbol.v[1]->count, 3);
	ck_assert_mem_eq(m->symbol.v[1]->init, b, sizeof b);
	const Symbol *t = m->symbol.v[2], *pk = m->symbol.v[3];
	ck_assert_int_eq(t->reloc.n, 2);
	ck_assert(t->reloc.v[0].func && t->reloc.v[0].offset == 0);
	ck_assert(!t->reloc.v[1].func && t->reloc.v[1].generic && t->reloc.v[1].offset == 8 &&
		t->reloc.v[1].addend == 4);
	ck_assert_int_eq(pk->reloc.n, 1);
	ck_assert_uint_eq(pk->reloc.v[0].offset, 1);
	ck_assert_uint_eq(pk->init[0], 7);
	module_free(m);
}
END_TEST

/* Old compilers wrote prototypes without ';'. */
START_TEST(bare_prototypes)
{
	Module *m = read_text(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b)\n"
		".func f(.param .b32 a)\n"
		".extern .func g ()\n.pragma \"x\";\n.global .u32 v;\n"
		".visible .entry k() { .param .b32 a; call f, (a); ret; }\n"
		".func f(.param .b32 a) { ret; }\n.extern .func h");
	ck_assert_int_eq(m->func.n, 5);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(m->func.v[i]->declared_only, i != 1 && i != 3);
	ck_assert_int_eq(m->symbol.n, 1);
	module_free(m);
}
END_TEST

/* .loc gives the place of what follows, also when .file stands at the end. */
START_TEST(places)
{
	Module *m = read_text(".entry k() { .reg .u32 a;\nmov.u32 a, 1;\n.loc 2 30 4\nadd.u32 a, a, 1;\n"
		".loc 1 31 7, function_name $L__info+3, inlined_at 1 5 6\nret; }\n.file 1 \"a.cu\"\n"
		".file 2 \"b.h\", 5, 6\n");
	const Block *b = m->func.v[0]->block.v[0];
	Loc l = ins_loc(m, &b->ins.v[0]);
	ck_assert_str_eq(l.file, "text.ptx");
	ck_assert_int_eq(l.line * 100 + l.col, 501);
	l = ins_loc(m, &b->ins.v[1]);
	ck_assert_str_eq(l.file, "b.h");
	ck_assert_int_eq(l.line * 100 + l.col, 3004);
	l = ins_loc(m, &b->ins.v[2]);
	ck_assert_str_eq(l.file, "a.cu");
	ck_assert_int_eq(l.line * 100 + l.col, 3107);
	module_free(m);
}
END_TEST

/* Parameters of functions whose address is taken get a copy in local memory. */
START_TEST(parameter_address)
{
	Module *m = read_text(".func (.param .b32 r) f(.param .align 4 .b8 s[8], .param .b32 i) { .reg .b64 "
		"a; .reg .b32 x;\n"
		"mov.b64 a, s; ld.param.u32 x, [a+4]; st.param.b32 [r], x; ret; }");
	char *got = lines_of(m);
	const char *from = strstr(got, "entry:");
	ck_assert_str_eq(from, "entry:\nst.local.b32 [s_local], %s_0\nst.local.b32 [s_local+4], %s_1\n"
		"%a = mov.b64 s_local\n"
			 "%x = ld.local.u32 [%a+4]\n%r = mov.b32 %x\nret\n");
	free(got);
	module_free(m);
}
END_TEST

/* ---- errors ---- */

/* text behind the head (so line 4 is its first); "line:col: text\n" */
static const struct { const char *text, *errors; } wrong[] = {
	{ ".entry k() { .reg .u32 a;\ntex.2d.v4.f32.f32 {a, a, a, a}, [t, {a, a}];\nadd.f16 a, a, a;\n"
		"wmma.mma.sync a;\nret; }",
		"" },
	{ ".entry k() { .reg .u32 a;\nad.u32 a;\ntex.2d.v4.f32.f32 {a, a, a, a}, [t, {a, a}];\nad.u32 a; }",
		"5:1: unknown operation 'ad'; did you mean 'add'?\n" },
	{ ".entry k() { .reg .u32 a;\ntex.2d.v4.f32.f32 {a, a, a, a}, [t, {a, a}]; {",
		"5:47: the body of 'k' has no end\n" },
	{ ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.entry k() { ret; }", "" },
	{ ".entry k() { .reg .pred p;\n.pragma \"reconverge X\";\n@p bra A;\n.pragma \"reconverge A\";\n"
		"A: ret; }",
		"5:9: label 'X' is not defined\n7:9: no conditional or indexed branch follows .pragma "
		"\"reconverge A\"\n" },
	{ ".entry k() { .reg .pred p;\n.pragma \"reconverge\";\n.pragma \"reconverge A\";\n"
		".pragma \"reconverge A\";\n@p bra A;\nA: ret; }",
		"5:9: expected .pragma \"reconverge LABEL\"\n"
		"6:9: no conditional or indexed branch follows .pragma \"reconverge A\"\n" },
	{ ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
		".entry k() { .param .b32 r; .param .b64 a;\n"
		"call (r), vprintf, (a); ret; }", "" },
	{ ".func f(.param .b32 a) { ret; }\n.entry k() { .param .b64 a;\ncall f, (a); ret; }",
		"6:6: the parameters of this call do not fit the declaration of 'f'\n" },
	{ ".entry k() { .reg .u32 a; .reg .u64 b;\nadd.u32 a, b, 1;\nadd.u32 a, c, 1;\n\nad.u32 a, a, a;\n"
		"mov.u32 5, a;\n}",
		"5:12: register %b of type .u64 cannot be an operand of type .u32\n"
		"6:12: 'c' is not declared\n"
		"8:1: unknown operation 'ad'; did you mean 'add'?\n9:9: a destination is a register\n" },
	{ ".entry k() { .reg .u32 a;\nbra L;\nM: M:\n@a ret;\nadd.u32 a a;\nmov.u32 a, %pm1; }",
		"6:4: label 'M' is defined twice\n7:2: a guard is a predicate register\n"
		"8:11: expected ';' behind an instruction, not 'a'\n" },
	{ ".entry k() { .reg .u32 a; st.global.u32 a, a;\n"
		"add.u32 a, [a], 1; mov.b64 {a, a, a}, a; add.f32 a, a, 1;\n"
		"setp.lt.s32 a, a, 0f00000000; launch.s33 a; alloc.u64 a; }",
		"4:41: expected an address in brackets\n5:13: an address cannot stand here\n"
		"5:28: mov.b64 of a vector of 3 parts does not exist\n"
		"5:56: expected a floating-point number such as 0f3F800000\n"
		"6:13: register %a of type .u32 cannot be an operand of type .pred\n"
		"6:31: unknown operation 'launch.s33'\n"
		"6:45: unknown operation 'alloc.u64'\n" },
	{ ".global .u32 a[2] = {1, 2, 3};\n.global .u32 b = x;\n.global .u64 c = x;\n.shared .u32 d = 3;\n"
		".global .u32 a[2];\n"
		".global .texref t;\n.global .u32 e[];\n.alias f, g;",
		"4:28: 'a' has 2 elements; this value is one too many\n"
		"5:18: an address needs an element of 64 bits, not .u32\n"
		"7:16: only .global and .const variables may have initial values\n"
		"8:14: 'a' is declared twice\n"
		"10:14: 'e' needs a size\n11:8: 'f' is not declared\n"
		"6:18: 'x' is not declared\n" },
	{ ".entry k() .maxntid 4, 0 { ret; }", "4:21: a dimension is at least 1\n" },
	{ ".entry k()\n.entry j() { ret; }\n.func f() 5;",
		"5:1: unexpected '.entry' before the body of a function\n"
		"6:11: unexpected '5' before the body of a function\n" },
	{ ".entry k() { .reg .u32 a; add.u32 a, a, 1;", "4:43: the body of 'k' has no end\n" },
	{ ".entry k(.param .u32 p, .param .u32 p) { ret; }\n.entry j() { ret; }\n.entry j() { ret; }\n"
		"foo bar;",
		"4:37: 'p' is declared twice\n6:8: 'j' is defined twice\n"
		"7:1: expected a directive of module scope, not 'foo'\n" },
	/* second names, as ptxas refuses them */
	{ ".func f();\n.func g() { ret; }\n.func h(.param .b32 a) { ret; }\n.entry e() { ret; }\n"
		".global .u32 v;\n.alias f, h;\n.alias g, h;\n"
		".alias f, e;\n.alias v, g;\n.alias f, g\n.alias f, g;",
		"9:8: 'f' was declared with other parameters than 'h'\n"
		"10:8: 'g' has a body: it cannot be a second name\n"
		"11:11: 'e' is a kernel: .alias is for functions\n"
		"12:8: 'v' is a variable: .alias is for functions\n"
		"14:1: expected ';' behind .alias, not '.alias'\n14:8: 'f' is a second name already\n" },
	{ ".func f();\n.func g();\n.alias f, g;\n.alias g, f;\n.entry k() { call f; ret; }",
		"6:8: 'f' is a second name of itself\n7:8: 'g' is a second name of itself\n" },
	{ ".func f();\n.func g() { ret; }\n.alias f, g;\n.func f() { ret; }",
		"6:8: 'f' has a body: it cannot be a second name\n" },
	{ ".entry k() { .reg .u32 a; .reg .b128 b; .reg .v2 .f32 c;\n"
		"mov.u32 a, 1; @!b ret; add.u32 a, !a, 1; }",
		"" },
	{ ".entry k() { .reg .u32 a; .reg .b99 b;\nmov.u32 a, 1; @!b ret; add.u32 a, !a, 1; }",
		"4:32: '.b99' is not a type that gsim supports\n5:17: 'b' is not declared\n"
		"5:35: '!' stands before predicates only\n" },
};

static char *messages(const Diag *d)
{
	StrBuf out = { 0 };
	sb_puts(&out, "");
	for (int i = 0; i < d->item.n; i++)
		sb_printf(&out, "%d:%d: %s\n", d->item.v[i].loc.line, d->item.v[i].loc.col,
			d->item.v[i].text);
	return out.s ? out.s : xstrdup("");
}

static void check_errors(const char *text, const char *expected)
{
	Diag d = { 0 };
	Module *m = ptx_read(text, strlen(text), "bad.ptx", &d);
	char *got = messages(&d);
	ck_assert_str_eq(got, expected);
	ck_assert_msg((m == NULL) == (*expected != 0), "a module and errors for:\n%s", text);
	module_free(m);
	free(got);
	diag_free(&d);
}

START_TEST(errors)
{
	StrBuf text = { 0 };
	sb_printf(&text, "%s%s", head, wrong[_i].text);
	check_errors(text.s, wrong[_i].errors);
	sb_free(&text);
}
END_TEST

/* Known operations in forms that gsim has not: the function alone is refused, at the instruction's place in
   the PTX text. What follows the first of them is not looked at. */
static const struct { const char *ins, *why; } forms[] = {
	{ "ld.global a, [a];", "needs a type: one of .b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 "
		".s64 .f16 .f32 .f64" },
	{ "ld.global.pred p, [d];", "has a type that it cannot take; expected one of .b8 .b16 .b32 .b64 .u8 "
		".u16 .u32 .u64 .s8 .s16 .s32 .s64"
		" .f16 .f32 .f64" },
	{ "cvt.u32 a, a;", "needs a second type: one of .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f32 "
		".f64" },
	{ "mov a, {a, a};", "needs a type: one of .pred .b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 "
		".s64 .f16 .f32 .f64" },
	{ "dp4a.u32 a, a, a, a;", "needs a second type: one of .u32 .s32" },
	{ "dp2a.lo.b32.u32 a, a, a, a;", "has a type that it cannot take; expected one of .u32 .s32" },
	{ "dp2a.s32.u32 a, a, a, a;", "needs one of .lo .hi" },
	{ "szext.u32 a, a, a;", "needs one of .wrap .clamp" },
	{ "szext.shiftamt.u32 a, a, a;", "cannot be .shiftamt here, but one of .wrap .clamp" },
	{ "mul.s32 a, a, a;", "needs one of .lo .hi .wide" },
	{ "add.rni.f32 f, f, f;", "cannot be .rni here, but nothing or one of .rn .rz .rm .rp" },
	{ "ld.global.nonfaulting.u32 a, [d];", "'.nonfaulting' is a suffix of gsim's IR, none of PTX" },
	{ "add.u32 a, a;", "add takes 2 source operands, not 1" },
	{ "min.f32 f, f, f, f;", "min takes 2 source operands, not 3" },
	{ "add.u32 a, {a, a};", "add takes no vector here" },
	{ "add.u32 {a}, a, a;", "add takes no vector here" },
	{ "mov.b32 {a}, {a};", "mov takes no vector here" },
	{ "atom.global.add.u32 {a}, [d], a;", "atom takes no vector here" },
	{ "add.s33 a, a, a;", "unknown suffix '.s33' of add; did you mean '.s32'?" },
	{ "redux.sync.min.f32 f, f, -1;", "has a type that it cannot take; expected one of .b32 .u32 .s32" },
	{ "redux.sync.min.abs.f32 f, f, -1;", "unknown suffix '.abs' of redux" },
	{ "set.lt.and.u32.s32 a, a, a, p;", "set does not take the suffix '.and'" },
	{ "lop3.or.b32 a|p, a, a, a, 128, p;", "lop3 does not take the suffix '.or'" },
	{ "addc.sat.s32 a, a, a;", "addc does not take the suffix '.sat'" },
	{ "atom.global.add.v4.f32 {f, f, f, f}, [d], {f, f, f, f};", "atom does not take the suffix '.v4'" },
	{ "atom.global.and.b32 a, [d], a, a;", "takes two sources: only .cas takes three" },
	{ "atom.cas.b16 h, [d], h, h;", "has a type that it cannot take; expected one of .b32 .b64 .u32 .u64 "
		".s32 .s64 .f32 .f64" },
	{ "ld.global.v4.f64 {d, d, d, d}, [d];", "accesses more than 16 bytes" }, { "ld.global.f32 d, [d];",
		"destination 1: %d is u64, but the operation takes 32 bits" },
	{ "@p ld.u32 a, [sv];", "accesses 'sv', which is in .shared" },
	{ "rcp.rn.ftz.f64 d, d;", "is not a combination of operation, types and modifiers that gsim can "
		"execute" },
	{ "isspacep.global p, a;", "addresses have 64 bits" },
	{ "mov.pred p, sv;", "mov takes a register or a number here" },
	{ "match.any.sync.b32 a|p, a, -1;", "has a second destination only with .all" },
};

START_TEST(known_forms)
{
	const char *ins = forms[_i].ins, *word = *ins == '@' ? strchr(ins, ' ') + 1 : ins;
	StrBuf text = { 0 };
	Diag d = { 0 };
	char want[500];
	snprintf(want, sizeof want, "%.*s is not supported by gsim: %s", (int)strcspn(word, " "), word,
		forms[_i].why);
	sb_printf(&text, "%s.file 1 \"a.cu\"\n.shared .u32 sv;\n.entry before() { ret; }\n"
		".entry k() { .reg .u16 h; .reg .u32 a; .reg .u64 d; .reg .f32 f; .reg .pred p;\n"
		".loc 1 70 3\n%s\nmov.u32 a, unknown; ret; }\n.entry behind() { ret; }\n", head, ins);
	Module *m = ptx_read(text.s, text.n, "form.ptx", &d);
	ck_assert_msg(m != NULL, "%s: %s", ins, m ? "" : d.item.v[0].text);
	const Refusal *r = &m->func.v[1]->refused;
	ck_assert_ptr_null(m->func.v[0]->refused.what);
	ck_assert_ptr_null(m->func.v[2]->refused.what);
	ck_assert_ptr_nonnull(r->what);
	ck_assert_str_eq(r->what, want);
	ck_assert_str_eq(r->loc.file, "form.ptx");
	ck_assert_int_eq(r->loc.line * 100 + r->loc.col, 901 + (int)(word - ins));
	module_free(m);
	diag_free(&d);
	sb_free(&text);
}
END_TEST

/* Forms that are spelt otherwise in the IR. */
START_TEST(read_forms)
{
	Module *m = read_text(".global .u32 g;\n.func f() { ret; }\n.entry k() { .reg .u32 a; .reg .u64 d;\n"
		"ld.global.ca.nc.L2::64B.u32 a, [d];\n"
		"prefetch.global.L2::evict_last [d];\nprefetch.L1 [d];\nmov.b32 a, g; mov.u32 a, f; ret; }");
	char *got = lines_of(m);
	const char *from = strstr(got, "%a = ld");
	ck_assert_ptr_nonnull(from);
	ck_assert_str_eq(from, "%a = ld.global.nc.u32 [%d]\nprefetch.global.L2 [%d]\nprefetch.L1 [%d]\n"
		"%t_2 = mov.u64 g\n%t_3 = cvt.u32.u64 %t_2\n"
			 "%a = mov.b32 %t_3\n%t_4 = mov.u64 f\n%t_5 = cvt.u32.u64 %t_4\n%a = mov.u32 %t_5\n"
			 "ret\n");
	free(got);
	module_free(m);
}
END_TEST

/* ---- second names of functions ---- */

START_TEST(aliases)
{
	Module *m = read_text(".func (.param .b32 r) other(.param .b32 a);\n"
		".func (.param .b32 r) third(.param .b32 a);\n.reg .u32 shared_by_all;\n"
		".global .u64 table[3] = { other, third, first };\n"
		".entry k(.param .u64 out) { .param .b32 r; .param .b32 a; .reg .u64 d; .shared .u32 mine;\n"
		"call (r), third, (a); mov.u64 d, other; mov.u32 shared_by_all, 1; ret; }\n"
		".func (.param .b32 r) first(.param .b32 a) { .shared .u32 its; mov.u32 shared_by_all, 2; "
		"ret; }\n"
		".alias third, other;\n.alias other, first;\n"
		".func last() { .local .u32 own; mov.u32 shared_by_all, 3; ret; }");
	ck_assert_int_eq(m->func.n, 3);
	for (int k = 0; k < 3; k++)
		ck_assert_int_eq(m->func.v[k]->id, k);
	ck_assert_str_eq(m->func.v[1]->name, "first");
	for (int k = 0; k < 3; k++)
		ck_assert_int_eq(m->symbol.v[0]->reloc.v[k].id, 1);
	char *got = lines_of(m);
	ck_assert_ptr_nonnull(strstr(got, " = call first, ("));
	ck_assert_ptr_nonnull(strstr(got, "%d = mov.u64 first\n"));
	ck_assert_ptr_null(strstr(got, "other"));
	free(got);
	module_free(m);
}
END_TEST

/* The names of all instructions of PTX ISA 8.7: each is read, or refused by its name. */
static const char *const names[] = {
	"add", "sub", "mul", "mad", "mul24", "mad24", "sad", "div", "rem", "abs", "neg", "min", "max", "popc",
	"clz", "bfind", "fns", "brev",
	"bfe", "bfi", "szext", "bmsk", "dp4a", "dp2a", "addc", "subc", "madc", "testp", "copysign", "fma",
	"rcp", "sqrt", "rsqrt", "sin",
	"cos", "lg2", "ex2", "tanh", "set", "setp", "selp", "slct", "and", "or", "xor", "not", "cnot", "lop3",
	"shf", "shl", "shr", "mov",
	"shfl", "prmt", "ld", "ldu", "st", "st.async", "st.bulk", "red.async", "multimem.ld_reduce",
	"multimem.st", "multimem.red",
	"prefetch", "prefetchu", "applypriority", "discard", "createpolicy.fractional", "isspacep", "cvta",
	"cvt", "cvt.pack", "mapa",
	"getctarank", "cp.async", "cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all",
	"cp.async.bulk", "cp.reduce.async.bulk",
	"cp.async.bulk.prefetch", "cp.async.bulk.tensor", "cp.async.mbarrier.arrive", "tensormap.replace",
	"tensormap.cp_fenceproxy",
	"tex", "tld4", "txq", "istypep", "suld.b", "sust.b", "sured.b", "suq", "bra", "call", "ret", "exit",
	"bar.sync",
	"bar.red", "bar.arrive", "bar.warp.sync", "barrier.sync", "barrier.cta.red", "barrier.cluster.arrive",
	"barrier.cluster.wait", "membar", "fence", "fence.proxy.async", "fence.mbarrier_init", "atom", "red",
	"vote", "match", "activemask",
	"redux", "griddepcontrol", "elect", "mbarrier.init", "mbarrier.inval", "mbarrier.expect_tx",
	"mbarrier.complete_tx", "mbarrier.arrive",
	"mbarrier.arrive_drop", "mbarrier.test_wait", "mbarrier.try_wait", "mbarrier.pending_count",
	"clusterlaunchcontrol.try_cancel",
	"clusterlaunchcontrol.query_cancel", "wmma.load", "wmma.store", "wmma.mma", "mma", "mma.sp",
	"ldmatrix", "stmatrix", "movmatrix",
	"wgmma.mma_async", "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "tcgen05.alloc",
	"tcgen05.mma", "stacksave",
	"stackrestore", "alloca", "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset",
	"vadd2", "vsub2", "vavrg2",
	"vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4",
	"vset4", "brkpt", "nanosleep",
	"pmevent", "trap", "setmaxnreg"
};

START_TEST(all_names)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	sb_printf(&text, "%s.entry k() {\n%s.mystery %%r1;\nret; }", head, names[_i]);
	Module *m = ptx_read(text.s, text.n, "name.ptx", &d);
	const Refusal refused = m ? m->func.v[0]->refused : (Refusal){ NULL, { 0 } };
	const char *got = m ? refused.what : d.item.v[0].text;
	ck_assert_msg(got != NULL, "%s.mystery is read", names[_i]);
	ck_assert_int_eq(m ? refused.loc.line : d.item.v[0].loc.line, 5);
	ck_assert_msg(m ? !strncmp(got, names[_i], strlen(names[_i])) && strstr(got, "not supported by gsim")
		: strstr(got, ".mystery") && !strstr(got, "unknown operation"), "%s: %s", names[_i], got);
	module_free(m);
	diag_free(&d);
	sb_free(&text);
}
END_TEST

START_TEST(bad_heads)
{
	check_errors("", "1:1: a PTX file begins with .version\n");
	check_errors("kernel f() { }", "1:1: a PTX file begins with .version\n");
	check_errors(".version 7.5\n.address_size 64\n", "1:1: the file has no .target\n");
	check_errors(".version 7.5\n.target sm_75\n.address_size 32\n",
		"3:15: .address_size 32 is not supported: addresses have 64 bits in gsim\n");
	check_errors(".version x\n.target gpu\n", "1:10: expected a version such as 7.5, not 'x'\n"
		"2:9: unknown target 'gpu'\n"
		"1:1: the file has no .target\n");
	check_errors(".version 7.5 /* \n", "1:14: comment without an end\n");
	check_errors(".version 7.5\n\x01 0x 0f12 1e5x",
		"2:1: unexpected byte 0x01\n2:3: malformed integer, or one of more than 64 bits\n"
		"2:6: 0f needs 8 hexadecimal digits\n2:11: malformed number\n");
}
END_TEST

/* ---- hostile bytes ---- */

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	return *s ^= *s << 17;
}

static void module_or_errors(const char *text, size_t n, const char *what, int k)
{
	Diag d = { 0 };
	Module *m = ptx_read(text, n, "hostile.ptx", &d);
	ck_assert_msg((m != NULL) == (d.errors == 0), "%s, number %d: a module with errors, or none without",
		what, k);
	for (int i = 0; i < d.item.n; i++)
		ck_assert_msg(d.item.v[i].loc.line > 0, "%s, number %d: no place: %s", what, k,
			d.item.v[i].text);
	module_free(m);
	diag_free(&d);
}

static bool in_word(char c) { return c == '_' || c == '.' || c == ':' || isalnum((unsigned char)c); }

/* Every instruction without its k-th suffix: st.param.b32 is st.b32, st.param. Or without its k-th operand,
   the first being 0. */
static char *without(const char *text, size_t n, int k, bool suffix, size_t *left)
{
	char *out = xmalloc(n);
	size_t w = 0;
	for (size_t i = 0, end; i < n; ) {
		bool begins = islower((unsigned char)text[i]) &&
			(!i || (!in_word(text[i - 1]) && text[i - 1] != '%'));
		for (end = i + 1; begins && end < n && (suffix ? in_word(text[end])
			: !strchr(";{}", text[end])); end++)
			;
		for (int part = 0; i < end; i++) {
			part += text[i] == (suffix ? '.' : ',');
			if (!begins || part != k)
				out[w++] = text[i];
		}
	}
	*left = w;
	return out;
}

START_TEST(shortened)
{
	size_t n, left;
	char *text = read_file(files[_i], &n);
	for (int k = 1; k < 14; k++) {
		char *bad = without(text, n, k < 8 ? k : k - 7, k < 8, &left);
		module_or_errors(bad, left, files[_i], k);
		free(bad);
	}
	free(text);
}
END_TEST

/* Cut, doubled, overwritten and swapped pieces of real files: a module or errors, never a crash. */
START_TEST(mutations)
{
	size_t n;
	char *text = read_file(files[_i], &n);
	uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	for (int k = 0; k < 40; k++) {
		size_t len = n > 6000 ? 6000 + next_random(&seed) % (n - 6000) : n;
		char *bad = xmalloc(len);
		memcpy(bad, text, len);
		for (int e = 0; e < 1 + k % 5; e++) {
			size_t at = next_random(&seed) % len, from = next_random(&seed) % len;
			size_t most = len - (at > from ? at : from), piece = next_random(&seed) % 60;
			if (next_random(&seed) & 1)
				bad[at] = (char)next_random(&seed);
			else
				memmove(bad + at, bad + from, piece < most ? piece : most);
		}
		module_or_errors(bad, len, files[_i], k);
		free(bad);
	}
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx");
	TCase *t = tcase_create("ptx");
	tcase_add_test(t, inlined_chains);
	tcase_add_test(t, odd_chains);
	tcase_add_loop_test(t, compiled, 0, sizeof files / sizeof *files);
	tcase_add_loop_test(t, body, 0, sizeof bodies / sizeof *bodies);
	tcase_add_test(t, kernel_header);
	tcase_add_test(t, variables);
	tcase_add_test(t, bare_prototypes);
	tcase_add_test(t, places);
	tcase_add_test(t, parameter_address);
	tcase_add_loop_test(t, errors, 0, sizeof wrong / sizeof *wrong);
	tcase_add_loop_test(t, known_forms, 0, sizeof forms / sizeof *forms);
	tcase_add_test(t, read_forms);
	tcase_add_test(t, aliases);
	tcase_add_loop_test(t, all_names, 0, sizeof names / sizeof *names);
	tcase_add_test(t, bad_heads);
	tcase_add_loop_test(t, shortened, 0, sizeof files / sizeof *files);
	tcase_add_loop_test(t, mutations, 0, sizeof files / sizeof *files);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
