/* Modules that import others: what becomes part of them, where it stands, and what is refused. */
#include "isa/ir.h"
#include "lib/strbuf.h"
#include "tests/temporary.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "import-XXXXXX");
	ck_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	char path[512];
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			ck_assert(!remove(path));
	}
	closedir(d);
	ck_assert(!rmdir(folder));
}

static Module *read_ok(const char *path)
{
	Diag d = { 0 };
	Module *m = module_read(path, &d);
	diag_print(&d, stderr);
	ck_assert_msg(m != NULL, "%s", path);
	diag_free(&d);
	return m;
}

/* ---- everything that is imported ---- */

/* Printed, a module stands alone: it reads as the same module from memory, where nothing can be imported. */
static void stands_alone(const Module *m)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	ir_print(m, &text);
	Module *again = ir_read(text.s, text.n, m->name, &d);
	diag_print(&d, stderr);
	ck_assert(again && module_equal(m, again) && module_equal(again, m));
	module_free(again);
	sb_free(&text);
	diag_free(&d);
}

/* A module that only imports one is that one: functions, variables, data, marks, and every place. So is one
   that imports it through others, and an object file with it. */
static void imported(const char *path, const char *ending)
{
	char name[16], here[320], through[320], object[128];
	size_t n;
	const char *why = "";
	char *text = file_read(path, 64 << 20, &n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	snprintf(name, sizeof name, "m%s", ending);
	snprintf(here, sizeof here, "%s", temporary_text(folder, name, text));
	Module *m = read_ok(here);
	char first[64];
	snprintf(first, sizeof first, "import \"m%s\"\n", ending);
	temporary_text(folder, "first.ir", first);
	snprintf(through, sizeof through, "%s", temporary_text(folder, "through.ir",
		"import \"first.ir\"\n"));
	Module *a = read_ok(through);
	ck_assert_msg(module_equal(m, a) && module_equal(a, m), "%s", path);
	stands_alone(a);
	Diag d = { 0 };
	snprintf(object, sizeof object, "%s/o.gso", folder);
	ck_assert(elf_write(m, object, &d));
	Module *o = read_ok(temporary_text(folder, "object.ir", "import \"o.gso\"\n"));
	ck_assert_msg(module_equal(m, o) && module_equal(o, m), "%s", path);
	module_free(o);
	module_free(a);
	module_free(m);
	diag_free(&d);
	free(text);
}

static int nread;

static void import_tree(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	ck_assert_msg(d != NULL, "%s", dir);
	while ((e = readdir(d))) {
		char path[2048];
		struct stat st;
		size_t n;
		const char *why, *dot = strrchr(e->d_name, '.');
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode)) {
			import_tree(path);
		} else if (dot && (!strcmp(dot, ".ir") || !strcmp(dot, ".ptx"))) {
			char *text = file_read(path, 64 << 20, &n, &why);
			/* its own imports stand elsewhere */
			if (text && !strstr(text, "import \"") && ++nread)
				imported(path, dot);
			free(text);
		}
	}
	closedir(d);
}

START_TEST(trees)
{
	static const char *const dirs[] = { "kernels", "tests/isa" };
	char path[1024];
	const char *src = getenv("srcdir");
	snprintf(path, sizeof path, "%s/%s", src ? src : ".", dirs[_i]);
	nread = 0;
	import_tree(path);
	ck_assert_int_gt(nread, 3);
}
END_TEST

/* ---- several modules in one ---- */

/* The first module's own places, a file that both have under other numbers, and one that the second one has
   alone. */
static const char melded_text[] = "file 1 \"both.cu\"\nkernel one() {\nnop\nnop !melded 1:9:2\n"
	"exit !melded 0:3 !melded 0:0\n}\n";
static const char melded_rest[] = "file 1 \"alone.cu\"\nfile 2 \"both.cu\"\nimport \"a.ir\"\nkernel two() {\n"
	"nop\nnop !melded 2:7 !melded 1:5\nexit\n}\n";

static char *melded_places(const Module *m, const char *kernel)
{
	StrBuf s = { 0 };
	const Block *b = module_find_function(m, kernel)->block.v[0];
	for (int k = 0; k < b->ins.n; k++) {
		Loc l;
		for (int at = b->ins.v[k].melded; place_next(m, &at, &l);)
			sb_printf(&s, "%s:%d:%d ", l.file ? strrchr(l.file, '/') ? strrchr(l.file, '/') + 1
				: l.file : "?", l.line, l.col);
		sb_puts(&s, ins_melded(&b->ins.v[k]) ? "/ " : ". / ");
	}
	return s.s;
}

START_TEST(melded)
{
	temporary_text(folder, "a.ir", melded_text);
	Module *m = read_ok(temporary_text(folder, "m.ir", melded_rest));
	char *one = melded_places(m, "one"), *two = melded_places(m, "two");
	ck_assert_str_eq(one, ". / both.cu:9:2 / ?:0:0 a.ir:3:0 / ");
	ck_assert_str_eq(two, ". / alone.cu:5:0 both.cu:7:0 / . / ");
	stands_alone(m);
	module_free(m);
	free(one);
	free(two);
}
END_TEST

static const char first_text[] =
	"extern shared b8 room[] align 16\nextern func half(f32 %x) -> (f32 %y)\n"
	"global u64 where[2] = { table+4, half }\nglobal u32 table[4] = { 1, 2, 3, 4 }\n"
	"kernel one(u64 out) {\nshared u32 own[4]\nSTART:\n%a = mov.u64 room\n%b = mov.u64 where\n"
	"%c = mov.u64 own\nreg f32 %r\n(%r) = call half, (0f40000000) !origin first\n"
	"%p = ld.param.u64 [out]\nst.global.f32 [%p], %r\nexit\n}\n";
static const char second_text[] =
	"extern shared b8 room[] align 16\nglobal u32 other[2] = { 7, 8 }\nfunc half(f32 %x) -> (f32 %y) {\n"
	"%y = mul.f32 %x, 0.5 !origin second\nret\n}\n"
	"kernel two(u64 out) {\n%a = mov.u64 room\n%b = mov.u64 other\n%p = ld.param.u64 [out]\n"
	"%f = mov.u64 half\nst.global.u64 [%p], %f\nexit\n}\n";

/* The same as one text in the order of the imports, but for places. */
static char *without_places(Module *m)
{
	StrBuf text = { 0 };
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		f->loc = (Loc){ 0 };
		for (int b = 0; b < f->block.n; b++) {
			f->block.v[b]->loc = (Loc){ 0 };
			for (int i = 0; i < f->block.v[b]->ins.n; i++)
				f->block.v[b]->ins.v[i].line = 0;
		}
	}
	for (int k = 0; k < m->symbol.n; k++)
		m->symbol.v[k]->loc = (Loc){ 0 };
	m->file.n = 1;
	m->file.v[0] = "one";
	ir_print(m, &text);
	return text.s;
}

START_TEST(several)
{
	static const char rest[] = "host main() {\n%a = alloc.u64 8\nlaunch one, 1, 1, 16, (%a)\n"
		"launch two, 1, 1, 16, (%a)\ncheck 1, \"a text\"\nexit\n}\n";
	char text[4096];
	const char *b[2] = { first_text, second_text };
	const char *without = strstr(b[!_i], "\n") + 1; /* room is declared once */
	temporary_text(folder, "a.ir", b[_i]);
	temporary_text(folder, "b.ir", b[!_i]);
	snprintf(text, sizeof text, "import \"a.ir\"\n%simport \"b.ir\"\n", rest);
	Module *m = read_ok(temporary_text(folder, "m.ir", text));
	Function *one = module_find_function(m, "one"), *half = module_find_function(m, "half");
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, _i ? "b.ir" : "a.ir");
	ck_assert_str_eq(one->loc.file, path);
	ck_assert_int_eq(one->loc.line, 5);
	ck_assert(!half->declared_only);
	Loc call = ins_loc(m, &one->block.v[0]->ins.v[3]);
	ck_assert_str_eq(call.file, path);
	ck_assert_int_eq(call.line, 12);
	Loc alloc = ins_loc(m, &module_find_function(m, "main")->block.v[0]->ins.v[0]);
	ck_assert_int_eq(alloc.line, 3);
	ck_assert(strstr(alloc.file, "/m.ir") != NULL);
	stands_alone(m);
	/* As one text: a declaration that a definition follows, or, where the definition stands first,
	   none. */
	const char *declared = "extern func half(f32 %x) -> (f32 %y)\n";
	char *gone = strstr(_i ? without : text, declared);
	StrBuf whole = { 0 };
	sb_puts(&whole, b[_i]);
	sb_puts(&whole, rest);
	if (gone) {
		sb_write(&whole, without, (size_t)(gone - without));
		sb_puts(&whole, gone + strlen(declared));
	} else {
		sb_puts(&whole, without);
	}
	Diag d = { 0 };
	Module *w = ir_read(whole.s, whole.n, "whole.ir", &d);
	diag_print(&d, stderr);
	ck_assert(w != NULL);
	char *x = without_places(m), *y = without_places(w);
	ck_assert_str_eq(x, y);
	free(x);
	free(y);
	module_free(w);
	module_free(m);
	sb_free(&whole);
	diag_free(&d);
}
END_TEST

/* ---- errors ---- */

/* "m.ir:1:8 text": the first error, its file without the folder. */
static void refused(const char *text, const char *expected)
{
	Diag d = { 0 };
	StrBuf got = { 0 };
	Module *m = module_read(temporary_text(folder, "m.ir", text), &d);
	ck_assert_msg(!m && d.errors == 1, "%s: %d errors", text, d.errors);
	const char *file = d.item.v[0].loc.file;
	ck_assert(!strncmp(file, folder, strlen(folder)));
	sb_printf(&got, "%s:%d:%d %s", file + strlen(folder) + 1, d.item.v[0].loc.line, d.item.v[0].loc.col,
		d.item.v[0].text);
	for (char *at; (at = strstr(got.s, folder));)
		memmove(at, at + strlen(folder) + 1, strlen(at + strlen(folder) + 1) + 1);
	ck_assert_str_eq(got.s, expected);
	sb_free(&got);
	diag_free(&d);
}

START_TEST(errors)
{
	char path[128];
	refused("import \"none.ir\"\nhost main() {\nlaunch unknown, 1, 1, 0, ()\nexit\n}\n",
		"m.ir:1:8 'none.ir' cannot be read: there is no such file");
	refused("import \"/etc/passwd\"", "m.ir:1:8 import: expected a path that leads from this file's "
		"folder to another file");
	refused("import \"\"", "m.ir:1:8 import: expected a path that leads from this file's folder to "
		"another file");
	refused("import \"a\\x0ab\"", "m.ir:1:8 import: a path has no control characters");
	refused("import \".\"", "m.ir:1:8 '.' cannot be read: a file's name is expected");
	refused("import \"../out.ir\"", "m.ir:1:8 import: '..' leads out of the folder of the module that "
		"was named; --source DIR names another one");
	refused("import \"x/../../out.ir\"", "m.ir:1:8 import: '..' leads out of the folder of the module "
		"that was named; --source DIR names another one");
	refused("import \".hidden.ir\"", "m.ir:1:8 '.hidden.ir' cannot be read: a name that begins with a "
		"dot is hidden");
	snprintf(path, sizeof path, "%s/link.ir", folder);
	ck_assert(!symlink("/etc/passwd", path));
	refused("import \"link.ir\"", "m.ir:1:8 'link.ir' cannot be read: a symbolic link is not followed");
	snprintf(path, sizeof path, "%s/up", folder);
	ck_assert(!symlink("..", path));
	refused("import \"up/m.ir\"", "m.ir:1:8 'up/m.ir' cannot be read: a symbolic link is not followed");
	refused("import \"m.ir\"", "m.ir:1:8 import: the file imports itself");
	temporary_text(folder, "k.ir", "\nkernel k() { exit }\nglobal u32 v\nextern global u32 e\n");
	refused("import \"k.ir\"\nfile 0 \"y\"", "m.ir:2:6 file 0 stands before the first import");
	refused("kernel k() { exit }\nimport \"k.ir\"", "m.ir:2:8 'k' (k.ir:2) stands in m.ir:1 already");
	refused("import \"k.ir\"\nkernel k() { exit }", "m.ir:2:8 'k' stands in k.ir:2 already");
	refused("import \"k.ir\"\nimport \"k.ir\"", "m.ir:2:8 'k' (k.ir:2) stands in k.ir:2 already");
	refused("global f32 v\nimport \"k.ir\"", "m.ir:2:8 'v' (k.ir:3) stands in m.ir:1 already");
	refused("kernel v() { exit }\nimport \"k.ir\"", "m.ir:2:8 'v' (k.ir:3) stands in m.ir:1 already");
	refused("extern global u64 e\nimport \"k.ir\"", "m.ir:2:8 'e' (k.ir:4) stands in m.ir:1 already");
	refused("import \"k.ir\"\nglobal f32 v", "m.ir:2:12 'v' stands in k.ir:3 already");
	temporary_text(folder, "bad.ir", "kernel b() {\n%a = ad.u32 1, 2\nexit\n}\n");
	refused("import \"bad.ir\"\nhost main() {\nlaunch b, 1, 1, 0, ()\nexit\n}\n",
		"bad.ir:2:6 unknown operation 'ad'; did you mean 'add'?");
	temporary_text(folder, "round.ir", "import \"m.ir\"\n");
	refused("import \"round.ir\"", "round.ir:1:8 import: files import each other in a circle");
	snprintf(path, sizeof path, "%s/pipe.ir", folder);
	ck_assert(!mkfifo(path, 0600));
	refused("import \"pipe.ir\"", "m.ir:1:8 'pipe.ir' cannot be read: it is no ordinary file");
}
END_TEST

/* Files 1 to n, each importing the next one. */
static void chain(int n)
{
	for (int k = 1; k <= n; k++) {
		char name[32], text[64];
		snprintf(name, sizeof name, "c%d.ir", k);
		snprintf(text, sizeof text, k < n ? "import \"c%d.ir\"\n" : "kernel deepest() { exit }\n",
			k + 1);
		temporary_text(folder, name, text);
	}
}

START_TEST(depth)
{
	chain(8);
	Module *m = read_ok(temporary_text(folder, "m.ir", "import \"c1.ir\""));
	ck_assert(module_find_function(m, "deepest") != NULL);
	module_free(m);
	chain(9);
	refused("import \"c1.ir\"", "c8.ir:1:8 import: imports lead through more than 8 files");
}
END_TEST

/* Imports lead to the folder of the module that was named and below, also from files that are imported
   themselves; another folder may be named instead. */
START_TEST(below)
{
	char path[256], sub[128];
	snprintf(sub, sizeof sub, "%s/sub", folder);
	ck_assert(!mkdir(sub, 0777));
	temporary_text(folder, "out.ir", "kernel out() { exit }\n");
	temporary_text(sub, "inner.ir", "import \"./../out.ir\"\nkernel inner() { exit }\n");
	snprintf(path, sizeof path, "%s", temporary_text(folder, "m.ir", "import \"sub//inner.ir\"\n"));
	Module *m = read_ok(path);
	ck_assert(module_find_function(m, "out") && module_find_function(m, "inner"));
	module_free(m);
	snprintf(path, sizeof path, "%s/inner.ir", sub);
	Diag d = { 0 };
	ck_assert(!module_read(path, &d) && strstr(d.item.v[0].text, "leads out of the folder"));
	ck_assert(!module_read_below(path, sub, &d));
	m = module_read_below(path, folder, &d);
	ck_assert(m && module_find_function(m, "out"));
	module_free(m);
	diag_free(&d);
	ck_assert(!remove(path) && !rmdir(sub));
}
END_TEST

/* Files that each import the next one many times end soon. */
START_TEST(many)
{
	StrBuf text = { 0 };
	temporary_text(folder, "c3.ir", "extern func none()\n");
	for (int k = 2; k >= 0; k--) {
		char name[32];
		text.n = 0;
		for (int i = 0; i < 40; i++)
			sb_printf(&text, "import \"c%d.ir\"\n", k + 1);
		snprintf(name, sizeof name, k ? "c%d.ir" : "m.ir", k);
		temporary_text(folder, name, text.s);
	}
	Diag d = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s/m.ir", folder);
	ck_assert(!module_read(path, &d));
	ck_assert_str_eq(d.item.v[0].text, "import: more than 1024 files are read for one module");
	sb_free(&text);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("import");
	TCase *t = tcase_create("import");
	tcase_add_checked_fixture(t, make_folder, remove_folder);
	tcase_add_loop_test(t, trees, 0, 2);
	tcase_add_loop_test(t, several, 0, 2);
	tcase_add_test(t, melded);
	tcase_add_test(t, errors);
	tcase_add_test(t, depth);
	tcase_add_test(t, below);
	tcase_add_test(t, many);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
