/* The text side of isa/: mnemonics, reader, printer, verifier, objects. */
#include "isa/ir.h"
#include "isa/mnemonic.h"
#include "lib/file.h"
#include "tests/check.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- mnemonics ---- */

static const char *canonical(const char *text)
{
	static char out[128];
	Ins i = { 0 };
	MnemonicError e;
	StrBuf sb = { 0 };
	if (mnemonic_parse(text, strlen(text), &i, &e))
		mnemonic_print(&i, &sb);
	else
		mnemonic_explain(&e, &sb);
	snprintf(out, sizeof out, "%s", sb.s);
	sb_free(&sb);
	return out;
}

START_TEST(mnemonic_canonical)
{
	static const char *const cases[][2] = {
		{ "add.s32", "add.s32" }, { "setp.s32.and.lt", "setp.lt.and.s32" },
		{ "setp.lo.u32", "setp.lo.u32" },
		{ "mul.lo.s32", "mul.lo.s32" }, { "mul.wide.u16", "mul.wide.u16" },
		{ "bar.warp.sync", "bar.warp.sync" },
		{ "bar.red.and.pred", "bar.red.and.pred" }, { "bar.sync", "bar.sync" },
		{ "cvt.f32.rn.s64", "cvt.rn.f32.s64" },
		{ "ld.global.volatile.v4.nc.f32", "ld.volatile.global.nc.v4.f32" },
		{ "ld.u32.nonfaulting.shared", "ld.shared.nonfaulting.u32" },
		{ "ld.v2.nc.global.nonfaulting.volatile.f32", "ld.volatile.global.nonfaulting.nc.v2.f32" },
		{ "bra.uni", "bra.uni" },
		{ "vote.sync.uni.pred", "vote.sync.uni.pred" },
		{ "shfl.sync.down.b32", "shfl.sync.down.b32" },
		{ "atom.cas.shared.b64", "atom.shared.cas.b64" }, { "prmt.f4e.b32", "prmt.b32.f4e" },
		{ "cvta.to.global.u64", "cvta.to.global.u64" }, { "exit", "exit" },
		{ "shf.l.wrap.b32", "shf.l.wrap.b32" },
		{ "fence.acq_rel.gpu", "fence.acq_rel.gpu" }, { "membar.gl", "membar.gl" },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		ck_assert_str_eq(canonical(cases[k][0]), cases[k][1]);
}
END_TEST

START_TEST(mnemonic_errors)
{
	static const char *const cases[][2] = {
		{ "ad.s32", "unknown operation 'ad'; did you mean 'add'?" },
		{ "bar.snc", "unknown operation 'bar.snc'; did you mean 'bar.sync'?" },
		{ "", "unknown operation ''" },
		{ "add.s33", "unknown suffix '.s33' of add; did you mean '.s32'?" },
		{ "add.", "unknown suffix '.' of add" }, { "add..s32", "unknown suffix '.' of add" },
		{ "add.global.u32", "add does not take the suffix '.global'" },
		{ "exit.u32", "exit does not take the suffix '.u32'" },
		{ "add.s32.s32", "'.s32': add has a suffix of this kind already" },
		{ "ld.global.shared.u32", "'.shared': ld has a suffix of this kind already" },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		ck_assert_str_eq(canonical(cases[k][0]), cases[k][1]);
}
END_TEST

/* Every value of every group of every operation prints as text that reads back as the same fields. */
START_TEST(mnemonic_every_suffix)
{
	for (int op = 1; op < OP_COUNT; op++)
		for (const Suffix *x = suffix_table; x->name; x++) {
			if (!strchr(op_info[op].suffixes, x->group))
				continue;
			char text[64];
			snprintf(text, sizeof text, "%s.%s", op_info[op].name, x->name);
			Ins i = { 0 };
			MnemonicError e;
			ck_assert_msg(mnemonic_parse(text, strlen(text), &i, &e), "%s", text);
			ck_assert_msg(ins_modifier(&i, x->group) == x->value && i.op == op, "%s", text);
			ck_assert_str_eq(canonical(text), text);
		}
}
END_TEST

static void add_mnemonics(Suite *s)
{
	TCase *t = tcase_create("mnemonics");
	tcase_add_test(t, mnemonic_canonical);
	tcase_add_test(t, mnemonic_errors);
	tcase_add_test(t, mnemonic_every_suffix);
	suite_add_tcase(s, t);
}

/* ---- reading and printing ---- */

static char *source_file(const char *name, size_t *n)
{
	char path[1024];
	const char *dir = getenv("srcdir"), *why;
	snprintf(path, sizeof path, "%s/tests/isa/%s", dir ? dir : ".", name);
	char *text = file_read(path, 1 << 24, n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	return text;
}

static Module *read_text(const char *text, size_t n, const char *path)
{
	Diag d = { 0 };
	Module *m = ir_read(text, n, path, &d);
	if (!m)
		diag_print(&d, stderr);
	ck_assert_msg(m != NULL, "%s is refused", path);
	ck_assert_int_eq(d.errors, 0);
	diag_free(&d);
	return m;
}

/* Reads, prints, reads again; the modules are equal, and printing again gives the same text. */
static void check_round_trip(const char *text, size_t n, const char *path)
{
	Module *a = read_text(text, n, path);
	StrBuf one = { 0 }, two = { 0 };
	ir_print(a, &one);
	Module *b = read_text(one.s, one.n, "printed.ir");
	if (!module_equal(a, b) || !module_equal(b, a))
		fprintf(stderr, "%s\n", one.s);
	ck_assert_msg(module_equal(a, b) && module_equal(b, a), "%s: the printed module (see above) differs",
		path);
	ir_print(b, &two);
	ck_assert_msg(!strcmp(one.s, two.s), "%s: printed twice, the text differs", path);
	Module *c = module_copy(a);
	ck_assert(module_equal(a, c));
	module_free(a);
	sb_free(&two);
	ir_print(c, &two); /* the copy stands alone */
	ck_assert_msg(!strcmp(one.s, two.s), "%s: the copy's text differs", path);
	module_free(b);
	module_free(c);
	sb_free(&one);
	sb_free(&two);
}

static const char *const sources[] = { "example.ir", "corners.ir" };
enum { NSOURCES = sizeof sources / sizeof *sources };

START_TEST(round_trip)
{
	size_t n;
	char *text = source_file(sources[_i], &n);
	check_round_trip(text, n, sources[_i]);
	free(text);
}
END_TEST

/* ---- errors ---- */

static char *messages(const char *text, size_t n)
{
	Diag d = { 0 };
	StrBuf sb = { 0 };
	Module *m = ir_read(text, n, "t.ir", &d);
	sb_puts(&sb, m ? "accepted" : "");
	for (int k = 0; k < d.item.n; k++)
		sb_printf(&sb, "%s%d:%d: %s", k ? "\n" : "", d.item.v[k].loc.line, d.item.v[k].loc.col,
			d.item.v[k].text);
	module_free(m);
	diag_free(&d);
	return sb.s;
}

typedef struct Case { const char *text, *message; } Case;

static void check_cases(const Case *cases, size_t n, const char *before, const char *after)
{
	for (size_t k = 0; k < n; k++) {
		StrBuf sb = { 0 };
		sb_printf(&sb, "%s%s%s", before, cases[k].text, after);
		char *got = messages(sb.s, sb.n);
		ck_assert_msg(!strcmp(got, cases[k].message), "%s\ngives:    %s\nexpected: %s", cases[k].text,
			got, cases[k].message);
		free(got);
		sb_free(&sb);
	}
}

/* Errors of the reader: where, what was expected, the nearest name. */
START_TEST(reader_errors)
{
	static const Case cases[] = {
#define X(TEXT, MESSAGE) { TEXT, MESSAGE },
#include "tests/isa/reader_errors.def"
#undef X
	};
	check_cases(cases, sizeof cases / sizeof *cases, "", "");
}
END_TEST

/* Errors of the verifier in one instruction of a kernel. */
START_TEST(verifier_errors)
{
	static const Case cases[] = {
#define X(TEXT, MESSAGE) { TEXT, MESSAGE },
#include "tests/isa/verifier_errors.def"
#undef X
	};
	check_cases(cases, sizeof cases / sizeof *cases,
		"global u32 table[4]\nfunc f(u32 %x) -> (u32 %y) { ret }\nkernel k(u64 out, b8 st[12]) {\n"
		"shared f32 buf[32]\n"
		"reg u32 %a, %b\nreg u64 %d, %e\nreg f32 %f\nreg f64 %g\nreg pred %p, %q\nreg u16 %h\nB: ",
		"\nexit\n}\n");
}
END_TEST

/* ---- uses that no definition reaches ---- */

/* "2:5 %x, ...": where the module is warned of, and of what. */
static char *warnings(const char *text, int *n)
{
	Diag d = { 0 };
	StrBuf sb = { 0 };
	Module *m = ir_read(text, strlen(text), "t.ir", &d);
	ck_assert_msg(m != NULL, "%s: %s", text, d.item.n ? d.item.v[0].text : "");
	ir_warn_undefined(m, &d);
	ck_assert_int_eq(d.errors, 0);
	sb_puts(&sb, "");
	*n = d.item.n;
	for (int k = 0; k < d.item.n; k++) {
		const DiagItem *x = &d.item.v[k];
		const char *what = strstr(x->text, "carry") ? "carry" : strchr(x->text, '%');
		ck_assert(x->warning);
		sb_printf(&sb, "%s%d:%d %.*s", k ? ", " : "", x->loc.line, x->loc.col,
			what ? (int)strcspn(what, " ") : 4, what ? what : x->text);
	}
	module_free(m);
	diag_free(&d);
	return sb.s;
}

START_TEST(undefined_uses)
{
	static const struct { const char *body, *found; } cases[] = {
		{ "%z = add.u32 %x, 1\n", "3:1 %x" },
		{ "%x = add.u32 %x, 1\n", "3:1 %x" },
		{ "%x = mov.u32 1\n%z = add.u32 %x, 1\n", "" },
		{ "@%p %x = mov.u32 1\n", "3:1 %p" },
		/* guarded: it may */
		{ "%q = setp.eq.u32 1, 1\n@%q %x = mov.u32 1\n%z = add.u32 %x, 1\n", "" },
		/* on one path */
		{ "%q = setp.eq.u32 1, 1\nbra %q, A, B\nA: %x = mov.u32 1\nB: %z = add.u32 %x, 1\n", "" },
		{ "%q = setp.eq.u32 1, 1\nbra %q, A, B\nA: %x = mov.u32 1\nbra C\nB: %z = add.u32 %x, 1\n"
			"C: exit\n", "7:4 %x" },
		/* round the loop */
		{ "L: %z = add.u32 %x, 1\n%x = mov.u32 1\n%q = setp.eq.u32 %z, 1\nbra %q, L, E\nE: exit\n",
			"" },
		{ "bra L\nL: %z = add.u32 %x, 1\n%q = setp.eq.u32 %z, 1\nbra %q, L, E\nE: %x = mov.u32 1\n",
			"4:4 %x" },
		{ "bra E\nD: %z = add.u32 %x, 1\nE: exit\n", "" },                    /* nobody comes there */
		/* nobody comes to the definition */
		{ "bra E\nD: %x = mov.u32 1\nE: %z = add.u32 %x, 1\n", "5:4 %x" },
		{ "%z = addc.u32 1, 2\n", "3:1 carry" },
		{ "%z = add.cc.u32 1, 2\n%z = addc.u32 1, 2\n", "" },
		{ "st.shared.u8 [%x], %z\n", "3:1 %x" },                        /* 8-bit values are padding */
		{ "%z = add.u32 %x, %y\n%z = add.u32 %x, %y\n", "3:1 %x, 3:1 %y" },
	};
	char *got;
	int n;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		StrBuf sb = { 0 };
		sb_printf(&sb, "kernel k() { reg u32 %%x, %%y, %%z\nreg pred %%p\n%s}\n", cases[k].body);
		got = warnings(sb.s, &n);
		ck_assert_msg(!strcmp(got, cases[k].found), "%s: %s", cases[k].body, got);
		free(got);
		sb_free(&sb);
	}
	got = warnings("func f(u32 %a) -> (u32 %r) {\n%r = add.u32 %a, 1\nret\n}\n", &n);
	ck_assert_str_eq(got, "");
	free(got);
	/* the callee may set the carry */
	got = warnings("func f(u32 %a) -> (u32 %r) {\n(%r) = call f, (%a)\n%r = addc.u32 %r, 1\nret\n}\n",
		&n);
	ck_assert_str_eq(got, "");
	free(got);
}
END_TEST

/* Many registers: they are looked at by 64, and told of up to a number. */
START_TEST(undefined_uses_of_many)
{
	StrBuf sb = { 0 };
	int n;
	sb_puts(&sb, "kernel k() {\nreg u32 %s\n%c = setp.eq.u32 1, 1\n%s = mov.u32 0\nbra %c, A, B\nA:\n");
	for (int k = 0; k < 300; k++)
		sb_printf(&sb, k % 3 ? "%%r%d = mov.u32 1\n" : "reg u32 %%r%d\n", k);
	sb_puts(&sb, "B:\n");
	for (int k = 0; k < 300; k++)
		sb_printf(&sb, "%%s = add.u32 %%s, %%r%d\n", k);
	sb_puts(&sb, "}\n");
	char *got = warnings(sb.s, &n);
	ck_assert_str_eq(got, "308:1 %r0, 311:1 %r3, 314:1 %r6, 317:1 %r9, 320:1 %r12, 323:1 %r15, 326:1 "
		"%r18, 329:1 %r21, 0:0 92 m");
	free(got);
	sb_free(&sb);
}
END_TEST

/* ---- modules with a wrong field: the verifier refuses them, or they survive as text ---- */

static uint64_t state;
static int rnd(int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) % (uint64_t)n);
}

static void break_operand(Opd *o)
{
	static const int64_t values[] = { 0, 1, -1, 2, 255, 65536, INT32_MAX, UINT32_MAX, INT64_MAX,
		INT64_MIN };
	switch (rnd(4)) {
	case 0: o->kind = (uint8_t)rnd(9); break;
	case 1: o->neg ^= 1; break;
	case 2: o->id = rnd(40) - 2; break;
	default: o->imm = values[rnd(10)];
	}
}

static void break_ins(Ins *i)
{
	uint8_t *fields = (uint8_t *)i;
	switch (rnd(8)) {
	case 0: case 1: fields[rnd((int)offsetof(Ins, ndst))] = (uint8_t)rnd(rnd(2) ? 4 : 30); break;
	case 2: i->guard = rnd(30) - 2; break;
	case 3: i->file = (uint16_t)rnd(5); i->line = rnd(3); break;
	case 5: i->melded = rnd(20) - 2; break;
	case 6: i->inlined = rnd(20) - 2; break;
	case 4: /* fewer operands: the array stays as long as it is */
		if (rnd(2) && i->ndst)
			i->ndst--;
		else if (i->nsrc)
			i->nsrc--;
		break;
	default:
		if (i->ndst + i->nsrc)
			break_operand(&i->opd[rnd(i->ndst + i->nsrc)]);
	}
}

static void break_block(Module *m, Function *f, Block *b)
{
	Function *g = m->func.v[rnd(m->func.n)];
	Block *other = g->block.n ? g->block.v[rnd(g->block.n)] : NULL;
	switch (rnd(6)) {
	case 0: b->label = rnd(2) && other ? other->label : "odd \"label\" `\\`"; break;
	case 1: b->origin = (uint8_t)rnd(4); break;
	case 2: b->reconverge = other; break;
	case 3: b->nsucc -= b->nsucc > 0; break;
	case 4: b->ins.n -= rnd(2); break;
	default:
		if (b->nsucc)
			b->succ[rnd(b->nsucc)] = other;
	}
}

static void break_symbol(Module *m, Symbol *s)
{
	switch (rnd(10)) {
	case 0: s->space = (uint8_t)rnd(7); break;
	case 1: s->type = (uint8_t)rnd(T_COUNT + 1); break;
	case 2: s->count = (uint64_t)rnd(5); break;
	case 3: s->align = (uint32_t)rnd(17); break;
	case 4: s->owner = rnd(m->func.n + 2) - 1; break;
	case 5: s->external ^= 1; break;
	case 6: s->array ^= 1; break;
	case 8: s->refused = rnd(2) ? "broken" : NULL; break;
	case 7: s->name = m->symbol.v[rnd(m->symbol.n)]->name; break;
	default:
		if (s->reloc.n) {
			Reloc *x = &s->reloc.v[rnd(s->reloc.n)];
			x->offset = (uint32_t)rnd(40);
			x->id = rnd(20) - 1;
			x->func = rnd(2);
		}
	}
}

static void break_function(Module *m, Function *f)
{
	switch (rnd(8)) {
	case 0: f->kind = (FuncKind)rnd(3); break;
	case 1: f->declared_only ^= 1; break;
	case 6: f->refused.what = f->refused.what ? NULL : "broken"; break;
	case 2: f->name = rnd(2) ? m->func.v[rnd(m->func.n)]->name : "name with spaces"; break;
	case 3: f->maxntid[rnd(3)] = (uint32_t)rnd(3); break;
	case 4:
		if (f->reg.n)
			f->reg.v[rnd(f->reg.n)] = (Reg){ rnd(2) ? f->reg.v[rnd(f->reg.n)].name : "%a b",
				(uint8_t)rnd(T_COUNT + 1) };
		break;
	case 5:
		if (f->arg.n)
			f->arg.v[rnd(f->arg.n)] = rnd(8) - 1;
		break;
	default:
		if (f->param.n)
			((uint32_t *)&f->param.v[rnd(f->param.n)].count)[rnd(4)] = (uint32_t)rnd(9);
	}
}

static void break_something(Module *m)
{
	Function *f = m->func.v[rnd(m->func.n)];
	int what = rnd(10);
	if (what == 0)
		break_symbol(m, m->symbol.v[rnd(m->symbol.n)]);
	else if (what == 1 || !f->block.n)
		break_function(m, f);
	else if (what == 2)
		break_block(m, f, f->block.v[rnd(f->block.n)]);
	else {
		Block *b = f->block.v[rnd(f->block.n)];
		if (b->ins.n)
			break_ins(&b->ins.v[rnd(b->ins.n)]);
	}
}

START_TEST(broken_modules)
{
	size_t n;
	char *text = source_file(sources[_i], &n);
	Module *good = read_text(text, n, sources[_i]);
	int refused = 0, accepted = 0;
	for (int k = 0; k < 3000; k++) {
		state = (uint64_t)k * 0x9e3779b97f4a7c15u;
		Module *m = module_copy(good);
		Diag d = { 0 };
		break_something(m);
		if (ir_verify(m, &d)) {
			StrBuf sb = { 0 };
			ir_print(m, &sb);
			Module *again = ir_read(sb.s, sb.n, "printed.ir", &d);
			diag_print(&d, stderr);
			ck_assert_msg(again && module_equal(m, again),
				"%s, change %d: accepted, but the text is %s", sources[_i], k,
				again ? "another module" : "refused");
			module_free(again);
			sb_free(&sb);
			accepted++;
		} else {
			ck_assert_int_gt(d.errors, 0);
			refused++;
		}
		diag_free(&d);
		module_free(m);
	}
	ck_assert_msg(refused > 600 && accepted > 300, "%d refused, %d accepted: the changes test little",
		refused, accepted);
	module_free(good);
	free(text);
}
END_TEST

/* ---- hostile texts: an error soon, and little memory ---- */

static const struct { const char *before, *repeat, *after; } hostile[] = {
	{ "", "a", "" }, { "", "{", "" }, { "", "(", "" }, { "kernel k(", "(", "" },
	{ "kernel k() { %a = mov.u32 ", "1", "" },
	{ "", "\"\\q", "" }, { "global u32 `", "x", "" }, { "/*", "*", "" }, { "", "bogus line\n", "" },
	{ "kernel k() {\nB:\n", "%a = bogus.u32 1, 2\n", "}\n" },
	{ "kernel k() {\nB: {", "%a,", "} = ld.v2.u32 [0]\n}\n" },
	{ "kernel k() {\nB: call f, (", "1,", ")\n}\n" }, { "func f(", "u32 %a,", ")" },
	{ "global u8 x[4] = {", "1,", "}" },
	{ "kernel k() {\nB: bra ", "B, ", "}\n" }, { "kernel k() {\n", "B:\n", "}" },
	{ "\177ELF", "\377", "" }, { "", "!loc 1:1:1 ", "" },
	{ "kernel k() { exit ", "!melded 0:1:1 ", "" },
	{ "kernel k() { exit !loc 0:1", " !inlined_at 0:1:1", "" },
	{ "kernel k() { ", "exit !auto ", "" }, { "", "global u8 x[60000000] = { 1 }\n", "" },
};

START_TEST(hostile_texts)
{
	enum { BYTES = 4 << 20 };
	StrBuf sb = { 0 };
	sb_puts(&sb, hostile[_i].before);
	while (sb.n < BYTES)
		sb_puts(&sb, hostile[_i].repeat);
	sb_puts(&sb, hostile[_i].after);
	Diag d = { 0 };
	ck_assert_msg(!ir_read(sb.s, sb.n, "hostile.ir", &d), "%s is accepted", hostile[_i].repeat);
	ck_assert_int_gt(d.errors, 0);
	ck_assert_int_gt(d.item.v[0].loc.line, 0);
	diag_free(&d);
	sb_free(&sb);
}
END_TEST

/* Zero bytes and bytes above 127 are errors with a place outside of quotes and comments. */
START_TEST(odd_bytes)
{
	static const char nul[] = "kernel k() {\n\0exit }",
		high[] = "// \xc3\xa4 is fine here\nkernel \xff() {}";
	char *got = messages(nul, sizeof nul - 1);
	ck_assert_str_eq(got, "2:1: unexpected byte 0x00");
	free(got);
	got = messages(high, sizeof high - 1);
	ck_assert_str_eq(got, "2:8: unexpected byte 0xff");
	free(got);
}
END_TEST

/* ---- object files ---- */

static const char object_path[] = "check_isa_text.gso"; /* in the build folder */

static char *object_of(const Module *m, size_t *n)
{
	Diag d = { 0 };
	const char *why;
	ck_assert(elf_write(m, object_path, &d));
	char *image = file_read(object_path, 1 << 24, n, &why);
	ck_assert(image != NULL);
	return image;
}

START_TEST(object_round_trip)
{
	size_t n, size;
	char *text = source_file(sources[_i], &n);
	Module *m = read_text(text, n, sources[_i]);
	char *image = object_of(m, &size);
	Diag d = { 0 };
	Module *e = elf_read(image, size, "x.gso", &d), *f = module_read(object_path, &d);
	diag_print(&d, stderr);
	ck_assert_msg(e && module_equal(m, e) && module_equal(e, m), "%s", sources[_i]);
	ck_assert_msg(f && module_equal(m, f), "%s", sources[_i]);
	module_free(m);
	module_free(e);
	module_free(f);
	diag_free(&d);
	free(image);
	free(text);
	remove(object_path);
}
END_TEST

/* Every truncation is refused, with exactly one message or more, and never accepted. */
START_TEST(object_truncated)
{
	size_t n, size;
	char *text = source_file("example.ir", &n);
	Module *m = read_text(text, n, "example.ir");
	char *image = object_of(m, &size);
	for (size_t k = 0; k < size; k++) {
		Diag d = { 0 };
		char *cut = malloc(k ? k : 1); /* exactly as long, so that a reading past it is seen */
		memcpy(cut, image, k);
		Module *e = elf_read(cut, k, "cut.gso", &d);
		ck_assert_msg(!e && d.errors > 0, "%zu of %zu bytes are accepted", k, size);
		diag_free(&d);
		free(cut);
	}
	module_free(m);
	free(image);
	free(text);
	remove(object_path);
}
END_TEST

/* Each byte of headers, tables and data set to a few values: refused with a message, or read as a module that
   verifies. */
START_TEST(object_mutated)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t n, size;
	char *text = source_file("corners.ir", &n);
	Module *m = read_text(text, n, "corners.ir");
	char *image = object_of(m, &size);
	for (size_t k = 0; k < size; k += k < 512 || k > size - 1024 ? 1 : 7)
		for (size_t v = 0; v < sizeof values; v++) {
			Diag d = { 0 };
			char old = image[k];
			image[k] = (char)values[v];
			Module *e = elf_read(image, size, "mutated.gso", &d);
			ck_assert_msg(e ? ir_verify(e, &d) : d.errors > 0, "byte %zu set to %d", k,
				values[v]);
			image[k] = old;
			module_free(e);
			diag_free(&d);
		}
	module_free(m);
	free(image);
	free(text);
	remove(object_path);
}
END_TEST

static void add_objects(Suite *s)
{
	TCase *t = tcase_create("objects");
	tcase_add_loop_test(t, object_round_trip, 0, NSOURCES);
	tcase_add_test(t, object_truncated);
	tcase_add_test(t, object_mutated);
	suite_add_tcase(s, t);
}

static void add_texts(Suite *s)
{
	TCase *t = tcase_create("texts");
	tcase_add_loop_test(t, round_trip, 0, NSOURCES);
	tcase_add_test(t, reader_errors);
	tcase_add_test(t, undefined_uses);
	tcase_add_test(t, undefined_uses_of_many);
	tcase_add_test(t, verifier_errors);
	tcase_add_loop_test(t, hostile_texts, 0, sizeof hostile / sizeof *hostile);
	tcase_add_test(t, odd_bytes);
	tcase_add_loop_test(t, broken_modules, 0, NSOURCES);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("isa text");
	add_mnemonics(s);
	add_texts(s);
	add_objects(s);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
