/* What a module's text carries: every module that is printed and read is equal, and prints as the same text
 * again. The modules are those of kernels/, tests/isa/ptx and tests/isa and random ones; as they are, and
 * with attributes that no reader made: places that are missing or in other files, marks, names of any
 * characters. */
#include "tests/random/random_kernel.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- attributes ---- */

static uint64_t state;
static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}
#define PICK(T) T[pick(sizeof T / sizeof *T)]

static const char *const files[] = { "", "a b.cu", "dir/\"quoted\".c", "back\\slash", "tab\there",
	"line\nbreak", "\x01\x7f", "\xc3\xa9.cu", "x.ir" };
static const char *const odd_names[] = { "reg", "inf", "generic", "a b", "`", "1", "new\nline", "WARP_SZ",
	"loc", "x.y", "$", "align", "kernel",
	"\xe2\x82\xac", "add.u32", "\"", "_", "refused", "}" };

static const char *odd_name(Module *m, const char *prefix, int k)
{
	return arena_printf(&m->arena, "%s%s%s%d", prefix, PICK(odd_names), pick(2) ? "" : "'", k);
}

static Loc place(void)
{
	Loc l = { pick(4) ? PICK(files) : NULL, pick(4) ? 1 + (int)pick(100) : 0, (int)pick(3) };
	return l;
}

static void change_ins(Module *m, Ins *i)
{
	i->file = (uint16_t)pick((unsigned)m->file.n);
	i->line = pick(4) ? 1 + (int)pick(1000) : 0;
	i->col = (int)pick(3);
	for (int k = pick(4) ? 0 : 2 + (int)pick(3); k; k--) {
		SourcePlace p = { .file = (uint16_t)pick((unsigned)m->file.n), .line = 1 + (int32_t)pick(3),
			.col = (int32_t)pick(3) };
		i->inlined = module_inlined(m, p, i->inlined);
	}
	if (i->inlined)
		ins_place_inlined(m, i, i->inlined);
	i->origin = (uint8_t)(pick(2) ? pick((unsigned)m->origin.n) : 0);
	SourcePlace place[4];
	int n = pick(3) ? 0 : (int)pick(5);
	for (int k = 0; k < n; k++)
		place[k] = (SourcePlace){ .file = (uint16_t)pick((unsigned)m->file.n),
			.line = (int32_t)pick(3), .col = (int32_t)pick(3) };
	i->melded = module_melded(m, place, n);
}

static void change_block(Module *m, Function *f, int k)
{
	Block *b = f->block.v[k];
	b->loc = place();
	b->user = pick(2);
	b->origin = (uint8_t)(pick(2) ? pick((unsigned)m->origin.n) : 0);
	if (pick(3) == 0)
		b->label = odd_name(m, "", k);
	bool parts = block_term(b)->op == OP_BRX || b->nsucc == 2;
	b->reconverge = parts && pick(3) == 0 ? f->block.v[pick((unsigned)f->block.n)] : NULL;
	for (int i = 0; i < b->ins.n; i++)
		change_ins(m, &b->ins.v[i]);
}

static Mark any_mark(Function *f, const Ins *i, const int *pred, int n)
{
	Mark x = { .kind = pick(2) ? MARK_BEGINS : MARK_DECIDES,
		.source = (int32_t)pick((unsigned)f->source.n), .next = i->mark };
	for (int k = n ? (int)pick(4) : 0; k > 0; k--) {
		int lanes = function_lanes(f, x.lanes, pred[pick((unsigned)n)], pick(2));
		x.lanes = lanes < 0 ? x.lanes : lanes;
	}
	if (x.kind == MARK_DECIDES && (!ins_decides(i) || pick(2)))
		x.value = n && pick(3) ? (Opd){ OPD_REG, (uint8_t)pick(2), pred[pick((unsigned)n)], 0 }
			: opd_imm(pick(2));
	return x;
}

/* Marks that no reader made: of blocks that are gone, several at an instruction, for some lanes, by any
   value. */
static void change_marks(Module *m, Function *f)
{
	int pred[8], n = 0;
	for (int r = 0; r < f->reg.n; r++)
		if (f->reg.v[r].type == T_PRED)
			pred[n++ % 8] = r;
	n = n < 8 ? n : 8;
	for (int k = f->block.n ? (int)pick(3) : 0; k > 0; k--)
		function_source(m, f, odd_name(m, "gone", k));
	for (int b = 0; b < f->block.n && f->source.n; b++)
		for (int i = 0; i < f->block.v[b]->ins.n; i++)
			while (pick(6) == 0) {
				Ins *x = &f->block.v[b]->ins.v[i];
				x->mark = pick(4) == 0 ? 0 : function_mark(f, any_mark(f, x, pred, n));
			}
}

static void change_function(Module *m, Function *f, int k)
{
	f->loc = place();
	f->refused.loc = place();
	f->name = pick(3) ? f->name : odd_name(m, "f", k);
	for (int d = 0; d < 3 && f->kind == FN_KERNEL; d++)
		f->maxntid[d] = 1 + pick(5);
	for (int r = 0; r < f->reg.n; r++)
		if (pick(8) == 0)
			f->reg.v[r].name = odd_name(m, "%", r);
	for (int p = 0; p < f->param.n; p++)
		if (pick(4) == 0)
			f->param.v[p].name = odd_name(m, "p", p);
	for (int b = 0; b < f->block.n; b++)
		change_block(m, f, b);
	if (pick(2))
		change_marks(m, f);
}

static void change(Module *m)
{
	static const char *const passes[] = { "dce", "a pass", "inf", "`", "loop-flattening", "1" };
	for (int k = 0; k < 4; k++) {
		module_file(m, PICK(files));
		module_origin(m, PICK(passes));
	}
	for (int k = 0; k < m->symbol.n; k++) {
		Symbol *s = m->symbol.v[k];
		s->loc = place();
		s->name = pick(3) ? s->name : odd_name(m, "s", k);
	}
	for (int k = 0; k < m->func.n; k++)
		change_function(m, m->func.v[k], k);
}

/* ---- round trips ---- */

static void survives(Module *m, const char *what)
{
	StrBuf one = { 0 }, two = { 0 };
	Diag d = { 0 };
	bool valid = ir_verify(m, &d);
	ir_print(m, &one);
	Module *again = valid ? ir_read(one.s, one.n, "again.ir", &d) : NULL;
	if (d.item.n)
		fprintf(stderr, "%s:%d: %s\n", what, d.item.v[0].loc.line, d.item.v[0].text);
	ck_assert_msg(valid && again, "%s: %s", what, valid ? "its text is refused"
		: "the test made an invalid module");
	ir_print(again, &two);
	ck_assert_msg(module_equal(m, again) && module_equal(again, m),
		"%s: its text reads as another module", what);
	ck_assert_msg(!strcmp(one.s, two.s), "%s: printed again, the text is another one", what);
	module_free(again);
	sb_free(&one);
	sb_free(&two);
	diag_free(&d);
}

static void all_ways(Module *m, const char *what)
{
	survives(m, what);
	for (int k = 0; k < 3; k++) {
		Module *x = module_copy(m);
		change(x);
		survives(x, what);
		module_free(x);
	}
}

static int nread;
static char root[1024];                /* of the tree that is read: imports lie in it */

static void read_one(const char *path)
{
	Diag d = { 0 };
	Module *m = module_read_below(path, *root ? root : NULL, &d);
	ck_assert_msg(m != NULL, "%s: %s", path, d.item.n ? d.item.v[0].text : "no message");
	all_ways(m, path);
	nread++;
	module_free(m);
	diag_free(&d);
}

static int visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static void read_tree(const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, visible, alphasort);
	ck_assert_msg(n >= 0, "%s", dir);
	for (int k = 0; k < n; k++) {
		char path[2048];
		struct stat st;
		snprintf(path, sizeof path, "%s/%s", dir, entry[k]->d_name);
		const char *dot = strrchr(path, '.');
		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			read_tree(path);
		else if (dot && (!strcmp(dot, ".ir") || !strcmp(dot, ".ptx")))
			read_one(path);
		free(entry[k]);
	}
	free(entry);
}

START_TEST(trees)
{
	static const char *const dirs[] = { "kernels", "tests/isa/ptx", "tests/isa" };
	const char *src = getenv("srcdir");
	snprintf(root, sizeof root, "%s/%s", src ? src : ".", dirs[_i]);
	state = (uint64_t)_i;
	nread = 0;
	read_tree(root);
	ck_assert_int_gt(nread, 1);
}
END_TEST

/* As many parameters, words of parameters and files as PTX may have: what one reader takes, the other
   does. */
START_TEST(limits)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	sb_puts(&text, ".version 7.5\n.target sm_75\n.address_size 64\n.entry k(.param .u8 p0");
	for (int i = 1; i < 32764; i++)
		sb_printf(&text, ", .param .u8 p%d", i);
	sb_puts(&text, ") .maxntid 4 { .reg .b32 r;\n");
	for (int i = 1; i <= 5000; i++)
		sb_printf(&text, ".loc %d 1 1\nmov.u32 r, 1;\n", i);
	sb_puts(&text, "ret; }\n.func f(.param .b8 a[16384], .param .b8 b[16384], .param .b8 c[16384]) { "
		"ret; }\n.entry j() {\n"
		".param .b8 a[16384]; .param .b8 b[16384]; .param .b8 c[16384]; call f, (a, b, c); ret; }\n"
		".extern .entry e() .maxntid 5, 6;\n");
	for (int i = 1; i <= 5000; i++)
		sb_printf(&text, ".file %d \"f%d\"\n", i, i);
	Module *m = ptx_read(text.s, text.n, "limits.ptx", &d);
	ck_assert_msg(m != NULL, "%s", d.item.n ? d.item.v[0].text : "no message");
	ck_assert_int_eq(m->file.n, 5001);
	survives(m, "limits");
	module_free(m);
	sb_free(&text);
	diag_free(&d);
}
END_TEST

START_TEST(random_modules)
{
	state = 1;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		char what[40];
		snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
		all_ways(k->module, what);
		random_kernel_free(k);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("round trips");
	TCase *t = tcase_create("round trips");
	tcase_add_loop_test(t, trees, 0, 3);
	tcase_add_test(t, limits);
	tcase_add_test(t, random_modules);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
