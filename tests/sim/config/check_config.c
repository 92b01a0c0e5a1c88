/* Machine parameters: the table, -D, machine files with derive, limits. */
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "sim/record/stats.h"
#include "tests/machines.h"
#include "tests/temporary.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char dir[] = "/tmp/gsim-config-XXXXXX";

static const char *write_in_dir(const char *name, const char *text)
{
	return temporary_text(dir, name, text);
}

static const char *first(const Diag *d) { return d->item.n ? d->item.v[0].text : ""; }

/* Loads text as a machine file; its first error must contain `message` and stand in `line` (-1: any). */
static void refuses(const char *text, const char *message, int line)
{
	Config c;
	Diag d = { 0 };
	const char *path = write_in_dir("bad.lua", text);
	ck_assert_msg(!config_load(&c, path, &d), "accepted: %s", text);
	ck_assert_msg(strstr(first(&d), message) != NULL, "for '%s' expected '%s', got '%s'", text, message,
		first(&d));
	ck_assert_msg(line < 0 || d.item.v[0].loc.line == line, "for '%s' expected line %d, got %d", text,
		line, d.item.v[0].loc.line);
	if (line > 0)
		ck_assert_str_eq(d.item.v[0].loc.file, path);
	diag_free(&d);
}

START_TEST(rows_are_sound)
{
	ConfigKey a, b;
	char name[CONFIG_NAME], other[CONFIG_NAME];
	for (int i = 0; config_key(i, &a); i++) {
		config_key_name(&a, name);
		ck_assert_msg(a.value >= a.least && a.value <= a.most, "%s: default out of range", name);
		ck_assert_msg(a.help && *a.help, "%s: no help", name);
		ck_assert_msg(strlen(name) < CONFIG_NAME - 1, "%s: too long", name);
		for (int j = 0; j < i; j++) {
			config_key(j, &b);
			ck_assert_msg(a.offset != b.offset, "%s and %s share a field", name,
				config_key_name(&b, other));
			ck_assert_str_ne(name, config_key_name(&b, other));
		}
	}
}
END_TEST

START_TEST(defaults_pass_the_check)
{
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	ck_assert_msg(config_check(&c, &d), "%s", first(&d));
	c.l1_sector = 48;
	ck_assert(!config_check(&c, &d));
	ck_assert_ptr_nonnull(strstr(first(&d), "l1.sector_bytes"));
	diag_free(&d);
}
END_TEST

static const struct { const char *key, *value, *message; } bad_sets[] = {
	{ "divergence.dept", "3", "did you mean 'divergence.depth'" },
	{ "depth", "3", "did you mean 'divergence.depth'" },
	{ "token.unwind_cycle", "3", "did you mean 'token.unwind_cycles'" },
	{ "divergence.depth", "-1", "0 to 4096 entries" },
	{ "divergence.depth", "4097", "0 to 4096 entries" },
	{ "divergence.depth", "three", "whole number" },
	{ "divergence.depth", "", "whole number" },
	{ "divergence.depth", "3.5", "whole number" },
	{ "divergence.depth", "99999999999999999999", "whole number" },
	{ "divergence.model", "tokens", "ipdom, token" },
	{ "divergence.model", "", "unknown value" },
	{ "l1.global", "yes", "true or false" },
	{ "", "1", "unknown parameter" },
};

START_TEST(set_refuses)
{
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	ck_assert(!config_set(&c, bad_sets[_i].key, bad_sets[_i].value, &d));
	ck_assert_msg(strstr(first(&d), bad_sets[_i].message) != NULL, "%s=%s: %s", bad_sets[_i].key,
		bad_sets[_i].value, first(&d));
	diag_free(&d);
}
END_TEST

/* --model: a mechanism with parameters of its own, or of the machine by their whole names. "" = it is
   taken. */
static const struct { const char *spec, *message; } model_specs[] = {
	{ "token", "" }, { "token()", "" }, { "token( )", "" }, { "token(unwind_cycles=5)", "" },
	{ "token( unwind_cycles=5 , divergence.depth=3 )", "" },
	{ "tokens", "unknown value 'tokens'" }, { "token(unwind_cycles=5", "expected NAME(key=value, ...)" },
	{ "token(unwind_cycles)", "expected key=value" },
	{ "token(unwind_cycle=5)", "did you mean 'unwind_cycles'?" },
	{ "token(warp_size=16)", "it is the machine's: -D warp_size=16" },
	{ "token(depth=3)", "it is the machine's: -D divergence.depth=3" },
	{ "token(qqqqqqqqqqqq=1)", "has no parameter 'qqqqqqqqqqqq'; it has" },
	{ "token(unwind_cycles=x)", "expected a whole number" },
	{ "token(unwind_cycles=-1)", "out of range" }, { "token(l1.global=maybe)", "true or false" },
};

START_TEST(set_model)
{
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	bool ok = config_set_model(&c, model_specs[_i].spec, &d);
	ck_assert_msg(ok == !*model_specs[_i].message && strstr(first(&d), model_specs[_i].message),
		"'%s': %s", model_specs[_i].spec, first(&d));
	ck_assert(!ok || !strcmp(model_keys((int)c.model)->name, "token"));
	diag_free(&d);
}
END_TEST

/* What no single range says. */
static const struct { const char *set, *value, *message; } contradictions[] = {
	{ "l1.line_bytes", "96", "l1.line_bytes = 96 must be a power of two" },
	{ "l1.sector_bytes", "256", "at most the line's 128 bytes" },
	{ "l1.bytes", "1000", "l1: 1000 bytes are no multiple of" },
	{ "l2.bytes", "10240", "l2.bytes = 10240 is no multiple of" },
	{ "warp_size", "24", "warp_size = 24 must be a power of two" },
	{ "fetch.instruction_bytes", "12", "divides fetch.line_bytes" },
	{ "shared.bank_bytes", "6", "shared.bank_bytes = 6 must be a power of two" },
	{ "sm.max_shared_per_block", "50000", "more than sm.shared_bytes" },
	{ "units.imul.shares", "imul", "units.imul.shares = imul: that unit has no copies of its own" },
	{ "units.alu.shares", "fp64", "units.alu.count = 4 is more than the 1 copies of fp64, which it "
		"shares" },
	{ "sm.max_warps", "8", "more than sm.max_warps x warp_size = 256" },
	{ "dram.row_bytes", "3000", "multiple of l2.line_bytes" },
};

START_TEST(check_refuses)
{
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	ck_assert(config_set(&c, contradictions[_i].set, contradictions[_i].value, &d));
	ck_assert(!config_check(&c, &d));
	ck_assert_msg(strstr(first(&d), contradictions[_i].message), "%s=%s: %s", contradictions[_i].set,
		contradictions[_i].value, first(&d));
	diag_free(&d);
}
END_TEST

START_TEST(set_works)
{
	Config c;
	ConfigKey key;
	Diag d = { 0 };
	config_defaults(&c);
	ck_assert(config_set(&c, "divergence.depth", "0x10", &d));
	ck_assert(config_set(&c, "divergence.model", "token", &d));
	ck_assert(config_set(&c, "l1.global", "false", &d));
	ck_assert(config_set(&c, "token.unwind_cycles", "32", &d));
	ck_assert_int_eq(c.div_depth, 16);
	ck_assert_str_eq(model_keys((int)c.model)->name, "token");
	ck_assert_int_eq(c.l1_global, 0);
	ck_assert(config_find("token.unwind_cycles", &key));
	ck_assert_int_eq(config_get(&c, &key), 32);
	diag_free(&d);
}
END_TEST

/* What config_print writes loads to the same values, whatever they are. */
START_TEST(print_and_load)
{
	Config c, e;
	ConfigKey key;
	Diag d = { 0 };
	StrBuf text = { 0 };
	config_defaults(&c);
	for (int i = 0; config_key(i, &key); i++)
		ck_assert(config_put(&c, &key, _i == 0 ? key.value : _i == 1 ? key.least : key.most,
			(Loc){ 0 }, &d));
	config_print(&c, &text);
	bool ok = config_load(&e, write_in_dir("printed.lua", text.s), &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert(!memcmp(&c, &e, sizeof c));
	sb_free(&text);
	diag_free(&d);
}
END_TEST

/* Values of the hash's definition (Fowler, Noll, Vo): reports of other hosts and versions have it too. */
START_TEST(hash_is_fnv1a)
{
	ck_assert_uint_eq(hash_fnv1a("", 0), 0xcbf29ce484222325u);
	ck_assert_uint_eq(hash_fnv1a("a", 1), 0xaf63dc4c8601ec8cu);
	ck_assert_uint_eq(hash_fnv1a("foobar", 6), 0x85944171f73967e8u);
}
END_TEST

/* Every key changes the hash, and is what changed. */
START_TEST(keys_change_the_hash)
{
	ConfigKey key, other;
	Diag d = { 0 };
	char name[CONFIG_NAME], want[2 * CONFIG_NAME];
	Config base, c;
	config_defaults(&base);
	for (int i = 0; config_key(i, &key); i++) {
		StrBuf text = { 0 };
		c = base;
		ck_assert(config_put(&c, &key, key.value == key.least ? key.most : key.least, (Loc){ 0 },
			&d));
		config_key_name(&key, name);
		int at = 0;
		ck_assert_msg((config_hash(&c) == config_hash(&base)) == (key.least == key.most), "%s", name);
		if (key.least == key.most)
			continue;
		ck_assert(config_change(&base, &c, &at, &other));
		ck_assert(at == i + 1 && other.offset == key.offset);
		ck_assert(!config_change(&base, &c, &at, &other));
		config_changes(&base, &c, &text);
		snprintf(want, sizeof want, "%s=", name);
		ck_assert_msg(!strncmp(text.s, want, strlen(want)), "%s: %s", name, text.s);
		ck_assert(config_set(&base, name, text.s + strlen(want), &d));
		ck_assert_uint_eq(config_hash(&c), config_hash(&base));
		config_defaults(&base);
		sb_free(&text);
	}
	diag_free(&d);
}
END_TEST

START_TEST(derive_merges)
{
	Config c;
	Diag d = { 0 };
	write_in_dir("base.lua", "return { sm = { count = 3, max_warps = 32 }, divergence = { model = "
		"'token', depth = 5 } }");
	bool ok = config_load(&c, write_in_dir("derived.lua",
		"return derive('base.lua', { sm = { count = 7 }, divergence = { depth = 2^3 } })"), &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert_int_eq(c.sm_count, 7);
	ck_assert_int_eq(c.sm_max_warps, 32);
	ck_assert_int_eq(c.div_depth, 8);
	ck_assert_str_eq(model_keys((int)c.model)->name, "token");
	ok = config_load(&c, write_in_dir("twice.lua",
		"return derive('derived.lua', { sm = { max_warps = 16 }})"), &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert_int_eq(c.sm_count, 7);
	ck_assert_int_eq(c.sm_max_warps, 16);
	setenv("GSIM_PATH", dir, 1);
	ck_assert(config_load(&c, "derived.lua", &d));
	ck_assert(config_load(&c, "derived", &d));
	unsetenv("GSIM_PATH");
	ck_assert(!config_load(&c, "derived.lua", &d));
	diag_free(&d);
}
END_TEST

/* What an included file returns is the script's own; errors in its functions name the line of the call. */
START_TEST(include_gives_tables)
{
	Config c;
	Diag d = { 0 };
	write_in_dir("shared.lua", "local function of(n)\nif n > 9 then error('too many', 2) end\n"
		"return { sm = { count = n } } end\nreturn { nine = 9, of = of }");
	bool ok = config_load(&c, write_in_dir("user.lua",
		"local shared = include('shared.lua') return shared.of(shared.nine)"), &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert_int_eq(c.sm_count, 9);
	ok = config_load(&c, write_in_dir("base.lua",
		"return derive('user.lua', { sm = { max_warps = include('shared').nine } })"), &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert_int_eq(c.sm_count, 9);
	ck_assert_int_eq(c.sm_max_warps, 9);
	ok = config_load(&c, write_in_dir("user.lua",
		"local s = include('shared.lua')\nlocal m = s.of(10)\nreturn m"), &d);
	ck_assert(!ok);
	ck_assert_str_eq(first(&d), "too many");
	ck_assert_int_eq(d.item.v[0].loc.line, 2);
	ck_assert_str_eq(strrchr(d.item.v[0].loc.file, '/'), "/user.lua");
	diag_free(&d);
}
END_TEST

/* What a caller of the shipped table does wrong is said of the line that calls, also where the call ends the
   file: Lua itself would have forgotten that line. */
#define RATES "local r = include('tables/rates.lua')\n"
#define VOLTA RATES "local m = derive('volta.lua')\n"
static const struct { const char *text, *message; int line; } bad_calls[] = {
	{ RATES "return r.machine('9.9', derive('volta.lua'))",
		"there are no rates for compute capability '9.9', expected one of 2.0, ", 2 },
	{ RATES "\nlocal m = r.machine('9.9', {})\nreturn m", "no rates", 3 },
	{ RATES "return r.machine()", "compute capability 'nil'", 2 },
	{ RATES "return r.machine('8.0')",
		"expected a machine's table, as derive() returns it, found nil", 2 },
	{ RATES "return r.machine('8.0', {})", "units: expected a table", 2 },
	{ VOLTA "m.units.alu = 3\n"
		"return r.machine('8.0', m)", "units.alu: expected a table, found number", 4 },
	{ VOLTA "m.units.alu.count = '3'\n"
		"return r.machine('8.0', m)", "units.alu.count: expected a whole number", 4 },
	{ VOLTA "m.scheduler.count = 0\n"
		"return r.machine('8.0', m)", "scheduler.count: expected a whole number above 0", 4 },
	{ VOLTA "m.warp_size = 24\n"
		"return r.machine('8.0', m)", "copies of 96 lanes cannot give 64 results a cycle", 4 },
	{ VOLTA "m.units.fp64 = nil\n"
		"return r.divisions(m)", "units.fp64: expected interval and latency", 4 },
	{ RATES "return { sm = { count = r.of('8.0', 'song') } }",
		"the guide has no rates for 'song'", 2 },
	{ RATES "return r.of('8.1', 'alu')", "no rates for compute", 2 },
	{ RATES "return { sm = { count = r.entry('8.1', 'alu') } }", "8.1", 2 },
};

START_TEST(errors_of_rates_name_the_caller)
{
	Config c;
	Diag d = { 0 };
	const char *src = getenv("srcdir");
	setenv("GSIM_PATH", src ? src : ".", 1);
	ck_assert(!config_load(&c, write_in_dir("user.lua", bad_calls[_i].text), &d));
	unsetenv("GSIM_PATH");
	ck_assert_msg(strstr(first(&d), bad_calls[_i].message) != NULL, "%s", first(&d));
	ck_assert_msg(d.item.v[0].loc.line == bad_calls[_i].line, "%s", first(&d));
	ck_assert_str_eq(strrchr(d.item.v[0].loc.file, '/'), "/user.lua");
	diag_free(&d);
}
END_TEST

static const struct { const char *text, *message; int line; } bad_files[] = {
	{ "return {\n\tsm = {\n\t\tcounts = 1 } }", "did you mean 'sm.count'", 3 },
	{ "return {\n\tsm = { count = 'x' } }", "sm.count: expected a whole number, found a string", 2 },
	{ "return {\n\n\tsm = { count = 1.5 } }", "expected a whole number", 3 },
	{ "return { -- sm = { count = 0\n\tsm = { count = 0 } }", "1 to 256", 2 },
	{ "return { sm = 1 }", "sm: expected a table", 1 },
	{ "return { sm = { 1 } }", "fields need names", 1 },
	{ "return { l1 = { global = 1 } }", "true or false", 1 },
	{ "return { divergence = { model = 'x' } }", "unknown value 'x'", 1 },
	{ "return { divergence = { model = 1 } }", "a name in quotes", 1 },
	{ "return 1", "must return a table", 0 },
	{ "return {}\n\nreturn {", "", 3 },
	{ "x = = 1", "unexpected symbol", 1 },
	{ "return derive('bad.lua')", "reads itself", 1 },
	{ "return include('bad.lua')", "reads itself", 1 },
	{ "return include('nowhere.lua')", "cannot find", 1 },
	{ "return include('/etc/passwd')", "an absolute name leads out of the folder", 1 },
	{ "return include()", "string expected", 1 },
	{ "while true do pcall(include, 'good.lua') end", "limit", 1 },
	{ "return derive('nowhere.lua')", "cannot find", 1 },
	{ "return derive('/etc/passwd')", "cannot find the machine file '/etc/passwd': an absolute name "
		"leads out of the folder", 1 },
	{ "return derive('/etc/passwords')", "cannot find the machine file '/etc/passwords': an absolute "
		"name leads out of the folder", 1 },
	{ "return derive('../../etc/passwd')", "'..' leads out of the folder", 1 },
	{ "return derive('.hidden.lua')", "a name that begins with a dot is hidden", 1 },
	{ "return derive('down/.git/config')", "a name that begins with a dot is hidden", 1 },
	{ "return derive('link.lua')", "a symbolic link is not followed", 1 },
	{ "return derive('fifo.lua')", "it is no ordinary file", 1 },
	{ "return derive('sparse.lua')", "sparse.lua: it is too large", 1 },
	{ "return derive(('x'):rep(5000))", "expected a file name", 1 },
	{ "return derive('good.lua\\0')", "expected a file name", 1 },
	{ "for i = 1, 100 do derive('good.lua') end", "more than 64 files are read", 1 },
	{ "while true do pcall(derive, 'good.lua') end", "limit", 1 },
	{ "while true do pcall(derive, 'nowhere.lua') end", "limit", 1 },
	{ "return derive('deep1.lua')", "more than 16 files read each other", -1 },
	{ "local ok = pcall(derive, 'throws.lua') return derive('good.lua', { sm = { count = ok and 1 or 0 } "
		"})", "sm.count = 0 is out of range", 1 },
	{ "local t = {} for i = 1, 100000 do t['key' .. i] = i end return t", "unknown parameter 'key1'", 0 },
	{ "local s = ('x'):rep(4000000) return { [s] = 1, [s .. 'y'] = 2, sm = { [s] = 3 } }",
		"unknown parameter 'sm.xxxx", 0 },
	{ "return derive()", "string expected", 1 },
	{ "\nreturn derive('good.lua', { sm = { cuont = 1 } })", "did you mean 'sm.count'", 2 },
	{ "return derive('good.lua', 3)", "table expected", 1 },
	{ "local t = {} t.sm = t\nreturn derive('good.lua', t)", "sm.sm", 2 },
	{ "os.exit(0)", "nil value", 1 },
	{ "return io.open('/etc/passwd')", "nil value", 1 },
	{ "return require('x')", "nil value", 1 },
	{ "return load('return 1')()", "nil value", 1 },
	{ "return string.dump(print)", "nil value", 1 },
	{ "return setmetatable({}, {})", "nil value", 1 },
	{ "\033Lua", "binary", 0 },
	{ "local s = 'x'\nwhile true do s = s .. s end", "longer than 4 MiB", 2 },
	{ "while true do end", "instruction limit", 1 },
	{ "while true do pcall(function() while true do end end) end", "limit", 1 },
	{ "local function f() return f() end\nf()", "limit", -1 },
	{ "return table.move({}, 1, math.maxinteger - 1, 2)", "limit", 1 },
	{ "return ('a'):rep(1000000):find('.-.-.-.-b')", "limit", 1 },
	{ "error({})", "error value of type table", 1 },
};

/* Error places are looked for in time proportional to the text. */
START_TEST(large_file_is_linear)
{
	StrBuf text = { 0 };
	Config c;
	Diag d = { 0 };
	sb_puts(&text, "return {\n");
	for (int i = 0; i < 60000; i++)
		sb_printf(&text, "k%05d = 1, -- x\n", i);
	sb_puts(&text, "}\n");
	clock_t start = clock();
	ck_assert(!config_load(&c, write_in_dir("bad.lua", text.s), &d));
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	ck_assert_msg(seconds < 2, "%.2f s", seconds);
	ck_assert_int_eq(d.item.n, 20);
	ck_assert_int_eq(d.item.v[19].loc.line, 21);
	ck_assert_str_eq(d.item.v[19].text, "unknown parameter 'k00019'");
	diag_free(&d);
	sb_free(&text);
}
END_TEST

START_TEST(lines_of_values)
{
	static const struct { const char *text, *name; int line; } want[] = {
		{ "return {\n\tsm = {\n\t\tcount = 1 } }", "sm.count", 3 },
		{ "return { l1 = { count = 1 },\nsm = { count = 1 } }", "sm.count", 2 },
		{ "return { l1 = { count = 1 },\nsm = { max = 1 } }", "sm.count", 0 },
		{ "return derive('x', {\n{ { sm = { count = 1 } } } })", "sm.count", 2 },
		{ "--[[ sm = { count = 1 }\n]]\n--[==[\n]] sm = { count = 1 } ]==] --\n"
			"return { sm = { count = 1 } }", "sm.count", 5 },
		{ "local s = [[ sm = {\n]] .. [=[ ]] ]=] .. 'sm = \\' {' .. \"sm = \\\n\" return {\n"
			"sm = { count = 1 } }", "sm.count", 4 },
		{ "local sm = { count = 3 }\nreturn { sm = { count = 1 } }", "sm.count", 2 },
		{ "if sm == { count = 1 } then end", "sm.count", 0 },
		{ "sm = -- {\n{ --[[ } ]] count\t= 1", "sm.count", 2 },
		{ "sm = f { count = 1 }", "sm.count", 0 },
		{ "} } sm = { } count = 1", "sm.count", 0 },
		{ "warp_size=1", "warp_size", 1 },
		{ "warp_size2 = 1", "warp_size", 0 },
		{ "'unfinished\nsm = { count = 1 }", "sm.count", 2 },
		{ "[[unfinished\nsm = { count = 1 }", "sm.count", 0 },
		{ "x[y] = { [1] = 2 } z[=4] sm = { count = 1 }", "sm.count", 1 },
		{ "", "sm", 0 },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		ck_assert_msg(config_line(want[i].text, want[i].name) == want[i].line, "'%s': line %d",
			want[i].text, config_line(want[i].text, want[i].name));
}
END_TEST

/* A file that is too large is refused by its size; one without a size may still be read. */
START_TEST(main_files)
{
	Config c;
	Diag d = { 0 };
	char path[300];
	snprintf(path, sizeof path, "%s/sparse.lua", dir);
	ck_assert(!config_load(&c, path, &d));
	ck_assert_msg(strstr(first(&d), "it is too large"), "%s", first(&d));
	diag_free(&d);
	ck_assert(!config_load(&c, dir, &d));
	diag_free(&d);
	snprintf(path, sizeof path, "%s/fifo.lua", dir);
	pid_t child = fork();
	if (!child) {
		FILE *f = fopen(path, "w");
		fputs("return { sm = { count = 9 } }", f);
		fclose(f);
		_exit(0);
	}
	bool ok = config_load(&c, path, &d);
	ck_assert_msg(ok, "%s", first(&d));
	ck_assert_int_eq(c.sm_count, 9);
	waitpid(child, NULL, 0);
	write_in_dir("base.lua", "return {}");
	snprintf(path, sizeof path, "%s/link.lua", dir);  /* the user's own path may be a link */
	ok = config_load(&c, path, &d);
	ck_assert_msg(ok, "%s", first(&d));
	diag_free(&d);
}
END_TEST

START_TEST(load_refuses)
{
	for (int i = 1; i < 20; i++) {
		char name[20], text[60];
		snprintf(name, sizeof name, "deep%d.lua", i);
		snprintf(text, sizeof text, "return derive('deep%d.lua')", i + 1);
		if (strstr(bad_files[_i].text, "deep"))
			write_in_dir(name, text);
	}
	write_in_dir("good.lua", "return {}");
	write_in_dir("throws.lua", "error('x')");
	refuses(bad_files[_i].text, bad_files[_i].message, bad_files[_i].line);
}
END_TEST

START_TEST(shipped_machines_load)
{
	Config c;
	Diag d = { 0 };
	const char *src = getenv("srcdir");
	setenv("GSIM_PATH", src ? src : ".", 1);
	ck_assert_msg(config_load(&c, machine_files[_i], &d), "%s: %s", machine_files[_i], first(&d));
	ck_assert_msg(config_check(&c, &d), "%s: %s", machine_files[_i], first(&d));
	unsetenv("GSIM_PATH");
	diag_free(&d);
}
END_TEST

/* The thread-frontier paper's machine: half of the EUs make an SM; a thread's registers are not shared
   out. */
START_TEST(sandybridge)
{
	Config c;
	ConfigKey key;
	Diag d = { 0 };
	const char *src = getenv("srcdir");
	setenv("GSIM_PATH", src ? src : ".", 1);
	ck_assert_msg(config_load(&c, "sandy.lua", &d) && config_check(&c, &d), "%s", first(&d));
	ck_assert_str_eq(model_keys((int)c.model)->name, "tf_sandy");
	ck_assert(config_find("tf_sandy.rule", &key));
	ck_assert_str_eq(key.choices, "static|refined");
	ck_assert_int_eq(config_get(&c, &key), 0);
	ck_assert_int_eq(c.sm_count * c.sched_count, 12);
	ck_assert_int_eq(c.sm_count * c.sm_max_warps, 60);
	ck_assert_int_eq(c.sm_registers, c.sm_max_warps * c.warp_size * c.sm_max_regs);
	unsetenv("GSIM_PATH");
	diag_free(&d);
}
END_TEST

/* The calibration of Bialas and Strzelecki 2015. */
START_TEST(calibrated_machines)
{
	static const struct { const char *file; int64_t unwind, both; } want[] = {
		{ "kepler.lua", 32, 84 }, { "maxwell.lua", 26, 176 },
	};
	Config c;
	ConfigKey key;
	Diag d = { 0 };
	const char *src = getenv("srcdir");
	setenv("GSIM_PATH", src ? src : ".", 1);
	ck_assert(config_load(&c, want[_i].file, &d));
	ck_assert_str_eq(model_keys((int)c.model)->name, "token");
	ck_assert_int_eq(c.div_depth, 16);
	ck_assert_int_eq(c.div_chunk, 4);
	ck_assert_int_eq(c.div_spill, SPILL_CONSTANT);
	ck_assert(config_find("token.unwind_cycles", &key));
	ck_assert_int_eq(config_get(&c, &key), want[_i].unwind);
	ck_assert(config_find("token.spill_push", &key));
	int64_t push = config_get(&c, &key);
	ck_assert(config_find("token.reload_pop", &key));
	ck_assert_int_eq(push + config_get(&c, &key), want[_i].both);
	unsetenv("GSIM_PATH");
	diag_free(&d);
}
END_TEST

START_TEST(statistics_add)
{
	Totals total = { 0 }, s = { 0 };
	s.cycles = 100;
	s.max_depth = 5;
	s.warp_instructions = 10;
	s.thread_instructions = 160;
	s.active_lanes[16] = 10;
	s.stalls[STALL_DATA] = 3;
	s.model[s.nmodel++] = (ModelStat){ "frontier_checks", 4 };
	s.model[s.nmodel++] = (ModelStat){ "most_splits", 4, true };
	totals_add(&total, &s);
	s.max_depth = 3;
	totals_add(&total, &s);
	ck_assert_uint_eq(total.cycles, 200);
	ck_assert_uint_eq(total.max_depth, 5);
	ck_assert_uint_eq(total.active_lanes[16], 20);
	ck_assert_uint_eq(total.stalls[STALL_DATA], 6);
	ck_assert_uint_eq(total.model[0].value, 8);
	ck_assert_uint_eq(total.model[1].value, 4);
	LaunchStats both = { .warp_size = 32, .totals = total };
	ck_assert(stats_utilization(&both) == 0.5);
}
END_TEST

static bool make_files(void)
{
	char path[300], to[300];
	const char *why;
	snprintf(path, sizeof path, "%s/link.lua", dir);
	snprintf(to, sizeof to, "%s/base.lua", dir);
	bool ok = !symlink(to, path);
	snprintf(path, sizeof path, "%s/fifo.lua", dir);
	ok &= !mkfifo(path, 0666);
	snprintf(path, sizeof path, "%s/sparse.lua", dir);
	return ok && file_write(path, "", 0, &why) && !truncate(path, (off_t)1 << 31);
}

int main(void)
{
	Suite *s = suite_create("config");
	TCase *t = tcase_create("config");
	SRunner *r = srunner_create(s);
	const int nsets = sizeof bad_sets / sizeof *bad_sets, nfiles = sizeof bad_files / sizeof *bad_files;
	if (!mkdtemp(dir) || !make_files())
		return 1;
	tcase_add_test(t, rows_are_sound);
	tcase_add_test(t, defaults_pass_the_check);
	tcase_add_loop_test(t, set_refuses, 0, nsets);
	tcase_add_loop_test(t, set_model, 0, (int)(sizeof model_specs / sizeof *model_specs));
	tcase_add_loop_test(t, check_refuses, 0, (int)(sizeof contradictions / sizeof *contradictions));
	tcase_add_test(t, set_works);
	tcase_add_loop_test(t, print_and_load, 0, 3);
	tcase_add_test(t, hash_is_fnv1a);
	tcase_add_test(t, keys_change_the_hash);
	tcase_add_test(t, derive_merges);
	tcase_add_test(t, include_gives_tables);
	tcase_add_loop_test(t, errors_of_rates_name_the_caller, 0,
		(int)(sizeof bad_calls / sizeof *bad_calls));
	tcase_add_test(t, large_file_is_linear);
	tcase_add_test(t, lines_of_values);
	tcase_add_test(t, main_files);
	tcase_add_loop_test(t, load_refuses, 0, nfiles);
	tcase_add_loop_test(t, shipped_machines_load, 0, MACHINE_FILES);
	tcase_add_test(t, sandybridge);
	tcase_add_loop_test(t, calibrated_machines, 0, 2);
	tcase_add_test(t, statistics_add);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	static const char *const made[] = { "bad.lua", "good.lua", "base.lua", "derived.lua", "twice.lua",
		"printed.lua", "throws.lua", "link.lua",
		"fifo.lua", "sparse.lua" };
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", dir, made[i]);
		unlink(path);
	}
	for (int i = 1; i < 20; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/deep%d.lua", dir, i);
		unlink(path);
	}
	rmdir(dir);
	return failed != 0;
}
