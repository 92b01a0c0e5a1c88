/* The Lua sandbox: scripts that try to run for ever or to take all memory end soon; what is left of the
   library gives Lua's own results, the same on every run. */
#include "lib/strbuf.h"
#include "sim/host/run.h"
#include "sim/sandbox/sandbox.h"
#include "tests/check.h"
#include <lualib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Outcome {
	bool ok;
	char error[400], *printed;
	int line;
	double seconds;
	uint64_t steps;
} Outcome;

static double processor_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static Outcome run(const char *text, uint64_t steps, double seconds)
{
	Outcome o = { 0 };
	Sandbox box = { 0 };
	Diag diag = { 0 };
	size_t n;
	double start = processor_time();
	ck_assert_ptr_nonnull(sandbox_open(&box));
	box.print = open_memstream(&o.printed, &n);
	box.step_limit = steps;
	box.seconds_limit = seconds;
	box.memory_limit = 64 << 20;
	o.ok = sandbox_run(&box, text, strlen(text), "script.lua", &diag);
	o.steps = box.steps;
	sandbox_close(&box);
	fclose(box.print);
	o.seconds = processor_time() - start;
	if (diag.item.n) {
		snprintf(o.error, sizeof o.error, "%s", diag.item.v[0].text);
		o.line = diag.item.v[0].loc.line;
	}
	diag_free(&diag);
	return o;
}

/* ---- limits ---- */

#define STEPS "the instruction limit is reached"
#define TIME "the time limit is reached"
#define MEMORY "the memory limit is reached"
#define LENGTH "a string is longer than 4 MiB"
/* Without a message: whichever limit comes first. */
static const struct { const char *text, *message; } endless[] = {
	{ "while true do end", STEPS },
	{ "local function f() while true do end end xpcall(f, f)", STEPS },
	{ "local function f() while true do end end xpcall(error, f)", STEPS },
	{ "local function f() error('x') end while true do xpcall(f, f) end", STEPS },
	{ "while true do pcall(error) end", STEPS },
	{ "local f f = function() pcall(f) f() end f()", NULL },
	{ "local f f = function() return f() end pcall(f)", STEPS },
	{ "while true do pcall(string.rep, '', math.maxinteger) end", STEPS },
	{ "table.move({}, 1, math.maxinteger - 1, 2)", STEPS },
	{ "local t = {} for i = 1, 1000000 do t[i] = i end while true do table.insert(t, 1, 0) "
		"table.remove(t) end", STEPS },
	{ "local t = {} for i = 1, 1000000 do t[i] = i end while true do table.remove(t, 1) table.insert(t, "
		"0) end", STEPS },
	{ "local t = {} for i = 1, 300000 do t[i] = i end while true do local x = table.unpack(t, 1, 300000) "
		"end", STEPS },
	{ "local t = {} for i = 1, 300000 do t[i] = i end while true do pcall(table.concat, t, ', ') end",
		STEPS },
	{ "local t = {} for i = 1, 300000 do t[i] = i * 7919 % 300007 end while true do table.sort(t, "
		"function() return true end) end", STEPS },
	{ "local t = {} for i = 1, 300000 do t[i] = i * 7919 % 300007 end while true do pcall(table.sort, t, "
		"rawequal) end", STEPS },
	{ "local t = {} for i = 1, 300000 do t[i .. ''] = i end while true do for k in pairs(t) do break end "
		"end", STEPS },
	{ "local s = ('a'):rep(1000000) s:find('.-.-.-.-b')", STEPS },
	{ "local s = ('a'):rep(1000000) while true do s:find(('a'):rep(1000) .. 'b', 1, true) end", STEPS },
	{ "local s = ('a'):rep(1000) s:gsub('a-a-a-a-a-b', '')", STEPS },
	{ "local s = ('('):rep(100000) s:gsub('%b()', '')", STEPS },
	{ "local s = ('a'):rep(100000) for w in s:gmatch('.-.-b') do end", STEPS },
	{ "local s = ('a'):rep(2^22|0) while true do s:lower() end", STEPS },
	{ "local s = ('a'):rep(2^22|0) while true do s:byte(-1) end", STEPS },
	{ "local s = ('a'):rep(2^22|0) while true do utf8.len(s) end", STEPS },
	{ "local s = ('9'):rep(2^22|0) while true do tonumber(s) end", STEPS },
	{ "local s = ('a'):rep(2^21|0) while true do local t = s .. s end", STEPS },
	{ "local s = ('a'):rep(2^21|0) while true do string.format('%s', s) end", STEPS },
	{ "while true do pcall(string.pack, 'c4000000', '') end", STEPS },
	{ "while true do print('x') end", STEPS },
	{ "local t = {} for i = 1, 100000 do t[i] = {} end while true do tostring(t[1]) print(t[2]) end",
		STEPS },
	{ "local a, b = ('\\0'):rep(2^22|0), ('\\0'):rep(2^22|0) while true do local x = a < b end", NULL },
	{ "local t = {} for i = 1, 200000 do t[i] = i end local function f(...) while true do select('#', "
		"...) end end f(table.unpack(t))", NULL },
	{ "local s = ('\\x80'):rep(2^22|0) local _, f = pcall(utf8.codes, s) while true do pcall(f, s, 1) "
		"end", NULL },
	{ "local t = {} for i = 1, 2000000 do t[i] = i end t.x = 1 t.y = 1\n"
		"while true do t.x = nil t.z = 1 t.y = nil t.w = 1 t.z = nil t.x = 1 t.w = nil t.y = 1 end",
		NULL },
	{ "local t = {} while true do t[#t + 1] = {} end", MEMORY },
	{ "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end", MEMORY },
	{ "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, ...) end pcall(f)", NULL },
	{ "local keep = {} for i = 1, 15 do keep[i] = ('x'):rep(2^22 - i) end while true do local x = "
		"('y'):rep(2^22-1) .. '' x = x:upper() end", NULL },
	{ "local s = 'x' while true do s = s .. s end", LENGTH },
	{ "local s = ('x'):rep(1000) while true do pcall(function() while true do s = s .. s end end) end",
		LENGTH },
};

START_TEST(endless_ends)
{
	Outcome o = run(endless[_i].text, 20000000, endless[_i].message ? 5 : 0.5);
	ck_assert_msg(!o.ok, "'%s' came to an end", endless[_i].text);
	ck_assert_msg(strstr(o.error, endless[_i].message ? endless[_i].message : "limit is reached"),
		"'%s': %s", endless[_i].text, o.error);
	ck_assert_msg(o.line >= 1, "'%s': line %d", endless[_i].text, o.line);
	ck_assert_msg(o.seconds < 6, "'%s' took %.1f s", endless[_i].text, o.seconds);
	free(o.printed);
}
END_TEST

/* Lua's compiler comes to no instruction of the script: for each of these parts it goes over all the parts in
   front of it. */
static const struct { const char *first, *part, *last; int parts; } long_texts[] = {
	{ "\nx = y", " or y", "", 400000 },
	{ "\nx = y", " and y", "", 400000 },
	{ "\nx = y", "\n or y", "", 400000 },
	{ "\nif y", " or y", " then end", 400000 },
};

START_TEST(compiling_ends)
{
	StrBuf text = { 0 };
	sb_puts(&text, long_texts[_i].first);
	for (int i = 0; i < long_texts[_i].parts; i++)
		sb_puts(&text, long_texts[_i].part);
	sb_puts(&text, long_texts[_i].last);
	Outcome o = run(text.s, UINT64_MAX / 2, 0.5);
	ck_assert_msg(!o.ok && strstr(o.error, TIME), "text %d: '%s'", _i, o.error);
	ck_assert_msg(o.line >= 2 && o.line <= long_texts[_i].parts, "text %d: line %d", _i, o.line);
	ck_assert_msg(o.seconds < 2, "text %d took %.1f s", _i, o.seconds);
	free(o.printed);
	sb_free(&text);
}
END_TEST

START_TEST(compiling_hears_the_user)
{
	volatile sig_atomic_t interrupted = 1;
	Sandbox box = { 0 };
	Diag diag = { 0 };
	ck_assert_ptr_nonnull(sandbox_open(&box));
	box.interrupted = &interrupted;
	sandbox_compile(box.L, "x = 1", 5, "script.lua", &diag);
	ck_assert(box.stopped && !diag.item.n);
	sandbox_close(&box);
	diag_free(&diag);
}
END_TEST

/* A table whose keys collide once it grows: one operation of Lua that no check interrupts. */
static const char stuck[] = "local m = 2^18 - 1 | 0 local t = {} for i = 0, 2^17 - 1 do t[i * m] = 1 end "
	"t[2^17 * m | 0] = 1";

START_TEST(backstop_ends_the_process)
{
	int end[2], status;
	char text[200] = "";
	ck_assert(!pipe(end));
	pid_t child = fork();
	if (!child) {
		dup2(end[1], 2);
		sandbox_backstop();
		Outcome o = run(stuck, 50000000, 0.2);
		free(o.printed);
		_exit(0);
	}
	close(end[1]);
	waitpid(child, &status, 0);
	ssize_t n = read(end[0], text, sizeof text - 1);
	close(end[0]);
	ck_assert(n > 0);
	ck_assert_msg(!strncmp(text, "script.lua: error: the time limit", 33), "%s", text);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 2);
}
END_TEST

/* ---- what must not be there ---- */

static const char *const absent[] = {
	"io", "os", "require", "package", "debug", "coroutine", "load", "loadfile", "loadstring", "dofile",
	"next", "setmetatable",
	"getmetatable", "collectgarbage", "warn", "string.dump", "('').__index", "('').__gc",
	"('').__metatable", "_G.debug",
};

START_TEST(absent_is_absent)
{
	char text[200];
	snprintf(text, sizeof text, "print(%s == nil)", absent[_i]);
	Outcome o = run(text, 1000000, 1);
	ck_assert_msg(o.ok && !strcmp(o.printed, "true\n"), "%s is there: %s %s", absent[_i], o.printed,
		o.error);
	free(o.printed);
}
END_TEST

/* ---- results ---- */

static const struct { const char *text, *printed; } results[] = {
	{ "local t, f = {}, print print(t, f, tostring(t), {}, ('%s|%5s'):format(f, t))",
		"table: 1\tfunction: 2\ttable: 1\ttable: 3\tfunction: 2|table: 1\n" },
	{ "print(0/0, -(0/0), 1/0, -0.0, 1e15, 2^53, 3 | 0, true, nil, 'a\\0b')",
		"nan\tnan\tinf\t-0.0\t1e+15\t9.007199254741e+15\t3\ttrue\tnil\ta" },
	{ "print(pcall(string.format, '%p', {}))", "false\t%p: addresses differ from run to run\n" },
	{ "for k, v in pairs({ z = 1, b = 2, [true] = 7, [false] = 8, [2.5] = 9, [10] = 4, [2] = 5, "
		"['a\\0c'] = 'y', ['a\\0b'] = 'x' }) do print(v) end",
		"5\n9\n4\nx\ny\n2\n1\n8\n7\n" },
	{ "local t = {} for i = 1, 100 do t['k' .. i] = i end for k in pairs(t) do t[k] = nil t.k50 = nil "
		"end for k in pairs(t) do print(k) end print('end')", "end\n" },
	{ "print(pcall(pairs, { [{}] = 1 }))", "false\tpairs: a key is a table, and such keys have no order "
		"that is the same on every run: keep them in a list\n" },
	{ "print(pcall(pairs, { [print] = 1 }))", "false\tpairs: a key is a function, and such keys have no "
		"order that is the same on every run: keep them in a list\n" },
	{ "local t = {} for i = 1, 1000 do t[i] = { i % 10, i } end table.sort(t, function(a, b) return a[1] "
		"< b[1] end) print(t[1][2], t[2][2], t[101][2], t[1000][2])",
		"10\t20\t1\t999\n" },
	{ "local t = { 3, 1, 2 } table.sort(t) print(table.concat(t, ' ')) table.sort(t, function(a, b) "
		"return a > b end) print(table.concat(t, ' '))", "1 2 3\n3 2 1\n" },
	{ "local t = { 'b', 'a', 'ab', '' } table.sort(t) print(table.concat(t, ','))", ",a,ab,b\n" },
	{ "print(pcall(table.sort, { 1, 'x' }))", "false\tattempt to compare string with number\n" },
	{ "local t = {} for i = 1, 200 do t[i] = i end table.sort(t, function(a, b) t[a] = nil return a > b "
		"end) print(t[1], t[200], #t)", "200\t1\t200\n" },
	{ "print(xpcall(error, function(e) return e .. '!' end, 'x'))", "false\tx!\n" },
	{ "print(xpcall(function(...) return select('#', ...), ... end, print, 1, nil))",
		"true\t2\t1\tnil\n" },
	{ "print(xpcall(error, error, 'x'))", "false\tx\n" },
	{ "print(pcall(xpcall, print))", "false\tbad argument #2 to 'xpcall' (function expected, got no "
		"value)\n" },
	{ "print(pcall(pcall))", "false\tbad argument #1 to 'pcall' (value expected)\n" },
	{ "print(pcall(error, { 1 }))", "false\ttable: 1\n" },
	{ "print(table.concat({ 1, 2.5, 'x' }, '-'), table.concat({}, '-'), table.concat({ 1, 2, 3 }, '', 2, "
		"3), #table.concat({ 'a' }, ('x'):rep(9), 1, 1))", "1-2.5-x\t\t23\t1\n" },
	{ "print(pcall(table.concat, { 1, {} }))", "false\tinvalid value (table) at index 2 in table for "
		"'concat'\n" },
	{ "print(pcall(table.concat, { ('x'):rep(2^22|0), 'x' }))",
		"false\ta string has at most 4194304 bytes\n" },
	{ "print(pcall(string.rep, 'x', 2^22 + 1 | 0))", "false\ta string has at most 4194304 bytes\n" },
	{ "print(#('x'):rep(2^22|0), ('ab'):rep(3, ','), ('x'):rep(0), ('x'):rep(-1), (''):rep(1 << 62))",
		"4194304\tab,ab,ab\t\t\t\n" },
	{ "print(pcall(string.pack, 'c9999999999', ''))", "false\ta string has at most 4194304 bytes\n" },
	{ "print(string.unpack('<I4', string.pack('<I4', 77)), string.packsize('c10'), ('abc'):byte(1, -1))",
		"77\t10\t97\t98\t99\n" },
	{ "print(string.format('%5.2f|%-5s|%05d|%x|%q|%%|%c|%i', 1.255, 'ab', 42, 255, 'a\\nb', 65, 7))",
		" 1.25|ab   |00042|ff|\"a\\\nb\"|%|A|7\n" },
	{ "print(string.format('%s %s %s', nil, true, 1.0), ('%.3s'):format('abcdef'), pcall(string.format, "
		"'%s'))",
		"nil true 1.0\tabc\tfalse\tbad argument #2 to 'string.format' (no value)\n" },
	{ "local a = math.random(1000000) math.randomseed() print(a == math.random(1000000)) "
		"math.randomseed(7) local b = math.random(99) math.randomseed(7) print(b == math.random(99))",
		"true\ntrue\n" },
	{ "local t = { 1, 2, 3 } table.insert(t, 1, 0) table.insert(t, 4) print(table.remove(t, 2), "
		"table.remove(t), #t, table.unpack(t)) print(table.unpack({ 1, 2 }, 2), select(-1, 1, 2))",
		"1\t4\t3\t0\t2\t3\n2\t2\n" },
	{ "print(pcall(table.insert, {}, 5, 1))", "false\tbad argument #2 to 'table.insert' (position out of "
		"bounds)\n" },
	/* What is refused is not charged for. */
	/* 1, newer ones 2 */
	{ "print(pcall(table.insert, {}, -1 << 40, 1)) print((select(2, pcall(table.remove, {}, -1 << "
		"40)):gsub('#.', '#')))",
		"false\tbad argument #2 to 'table.insert' (position out of bounds)\n"
		"bad argument # to 'table.remove' (position out of bounds)\n" },
	{ "print(pcall(table.move, {}, math.mininteger, math.maxinteger, 1)) print(pcall(table.move, {}, 1, "
		"1 << 40, math.maxinteger))",
		"false\tbad argument #3 to 'table.move' (too many elements to move)\n"
		"false\tbad argument #4 to 'table.move' (destination wrap around)\n" },
	{ "print(pcall(table.unpack, {}, 1, 1 << 40)) print(pcall(string.rep)) print(pcall(('x').rep, 'x', "
		"{}))", "false\ttoo many results to unpack\n"
		"false\tbad argument #1 to 'string.rep' (string expected, got no value)\n"
		"false\tbad argument #2 to 'string.rep' (number expected, got table)\n" },
	{ "print(table.unpack(table.move({ 1, 2, 3 }, 1, 3, 2)))", "1\t1\t2\t3\n" },
	{ "print(tonumber('0x10'), tonumber('zz', 36), tonumber('x'), tonumber(nil))", "16\t1295\tnil" },
	{ "print(utf8.len('äö'), utf8.char(228), utf8.codepoint('ä'), utf8.offset('äö', 2))",
		"2\tä\t228\t3\n" },
	{ "print(('x'):upper(), ('X'):lower(), ('abc'):reverse(), ('abc'):sub(2), ('abc'):len())",
		"X\tx\tcba\tbc\t3\n" },
};

START_TEST(results_are)
{
	Outcome o = run(results[_i].text, 10000000, 2);
	ck_assert_msg(!strncmp(o.printed, results[_i].printed, strlen(results[_i].printed)) || o.error[0],
		"'%s': %.200s", results[_i].text, o.printed);
	ck_assert_msg(o.ok || strstr(results[_i].text, "tonumber(nil)"), "'%s': %s", results[_i].text,
		o.error);
	free(o.printed);
}
END_TEST

/* Lua seeds its hash tables from addresses and the clock: neither output nor work may show it. */
static const char *const repeated[] = {
	"local t = {} for i = 1, 3000 do t['k' .. i * 7919 % 3001] = { i } end for k, v in pairs(t) do "
		"print(k, v, v[1]) end",
	"local t = {} for i = 1, 500 do t[i * 1.5] = print t[tostring(i)] = i t[i % 2 == 0] = i end for i = "
		"1, 500, 3 do t[tostring(i)] = nil end\n"
	"for k, v in pairs(t) do print(k, v) end print(#t >= 0, select('#', table.unpack(t)) >= 0)",
	"local t = {} for i = 1, 1000 do t[i] = { i % 7, tostring({}) } end table.sort(t, function(a, b) "
	"return a[1] < b[1] end)\n"
	"for _, v in ipairs(t) do print(v[1], v[2]) end print(math.random(), math.random(1, 1000000), "
	"string.format('%s %s', t, print))",
	"print(pcall(error, {})) print(pcall(error)) print(select(2, pcall(function() local x = {} .. 'x' "
	"end)), tostring(print) == tostring(print))",
	"local s = {} for w in ('the quick brown fox'):rep(50, ' '):gmatch('%a+') do s[w] = (s[w] or 0) + 1 "
	"end for k, v in pairs(s) do print(k, v) end",
	"while true do local t = {} for i = 1, 100 do t[i .. 'x'] = i .. 'y' end end",
};

START_TEST(runs_are_equal)
{
	Outcome a = run(repeated[_i], 3000000, 5);
	for (int i = 0; i < 6; i++) {
		void *space = malloc(5000 + (size_t)i * 12345);  /* moves what comes next */
		ck_assert_ptr_nonnull(space);
		Outcome b = run(repeated[_i], 3000000, 5);
		ck_assert_str_eq(a.printed, b.printed);
		ck_assert_str_eq(a.error, b.error);
		ck_assert_int_eq(a.line, b.line);
		ck_assert_uint_eq(a.steps, b.steps);
		free(b.printed);
		free(space);
	}
	free(a.printed);
}
END_TEST

START_TEST(errors_are_located)
{
	static const struct { const char *text, *message; int line; } bad[] = {
		{ "local x = 1\nerror('mine')", "mine", 2 },
		{ "error({})", "error value of type table", 1 },
		{ "\nlocal t = nil\nt.x = 1", "attempt to index a nil value", 3 },
		{ "x = = 1", "unexpected symbol", 1 },
		{ "#!shebang\nx = = 1", "unexpected symbol", 2 },
		{ "\033Lua", "attempt to load a binary chunk", 0 },
		{ "local s = 'x'\nwhile true do\n s = s .. s end", LENGTH, 3 },
		{ "local t = {}\nwhile true do\n t[#t+1] = {} end", MEMORY, 3 },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		Outcome o = run(bad[i].text, 50000000, 2);
		ck_assert(!o.ok);
		ck_assert_msg(strstr(o.error, bad[i].message) && o.line == bad[i].line, "'%s': %d: %s",
			bad[i].text, o.line, o.error);
		free(o.printed);
	}
}
END_TEST

/* ---- patterns against Lua's own matcher ---- */

static uint64_t random_state;

static unsigned pick(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

static void random_pattern(StrBuf *out)
{
	static const char *const items[] = { "a", "b", ".", "%a", "%A", "%d", "%s", "%w", "%p", "[ab]",
		"[^a]", "[a-c]", "[%d-]", "[]]", "[^]x]", "[a-]", "(", ")",
		"()", "$", "^", "%b()", "%f[%w]", "%f[^%w]", "%1", "%2", "%%", "[%a_]", "%.", "-", "*", "[",
		"%", "%f", "%bx", "[%", "[a", "%u", "%l", "%x", "%c", "%g" };
	static const char *const often[] = { "", "", "", "*", "+", "-", "?" };
	for (unsigned n = 1 + pick(6); n > 0; n--) {
		sb_puts(out, items[pick(pick(8) ? 29 : sizeof items / sizeof *items)]);
		sb_puts(out, often[pick(7)]);
	}
}

static void random_text(StrBuf *out)
{
	for (unsigned n = pick(14); n > 0; n--)
		sb_putc(out, "aabbc1 ()_.-]x\n"[pick(15)]);
}

/* All results of one call as text; an error as its text without a place. */
static void call(lua_State *L, const char *function, const char *s, const char *p, int init, StrBuf *out)
{
	static const char driver[] = "local name, s, p, init = ... local f = string[name] local out = {} "
		"local function note(...) for i = 1, select('#', ...) do out[#out + 1] = tostring((select(i, "
		"...))) end end "
		"if name == 'gmatch' then for a, b, c in f(s, p) do note(a, b, c) if #out > 200 then break "
		"end end "
		"elseif name == 'gsub' then note(f(s, p, '<%0>')) note(f(s, p, function(x) return x ~= 'a' "
		"and tostring(x) end)) note(f(s, p, { a = 'X', b = 1 }, 2)) note(f(s, p, '%1')) "
		"else note(f(s, p, init)) end return table.concat(out, '|')";
	luaL_loadstring(L, driver);
	lua_pushstring(L, function);
	lua_pushstring(L, s);
	lua_pushstring(L, p);
	lua_pushinteger(L, init);
	bool ok = !lua_pcall(L, 4, 1, 0);
	const char *text = lua_tostring(L, -1), *at = ok ? NULL : strstr(text, ": ");
	sb_printf(out, "%s%s", ok ? "" : "error: ", at && !strncmp(text, "[string", 7) ? at + 2 : text);
	lua_pop(L, 1);
}

START_TEST(patterns_agree)
{
	static const char *const functions[] = { "find", "match", "gmatch", "gsub" };
	Sandbox box = { 0 };
	lua_State *own = sandbox_open(&box), *real = luaL_newstate();
	int errors = 0;
	luaL_openlibs(real);
	box.step_limit = UINT64_MAX / 2;
	box.seconds_limit = 1000;
	random_state = (uint64_t)_i * 977 + 1;
	for (int i = 0; i < 4000; i++) {
		StrBuf pattern = { 0 }, text = { 0 }, a = { 0 }, b = { 0 };
		random_pattern(&pattern);
		random_text(&text);
		const char *f = functions[pick(4)], *s = text.s ? text.s : "";
		int init = (int)pick(12) - 4;
		call(own, f, s, pattern.s, init, &a);
		call(real, f, s, pattern.s, init, &b);
		ck_assert_msg(!strcmp(a.s, b.s), "%s('%s', '%s', %d) gives '%s', Lua '%s'", f, s, pattern.s,
			init, a.s, b.s);
		errors += !strncmp(b.s, "error", 5);
		sb_free(&pattern);
		sb_free(&text);
		sb_free(&a);
		sb_free(&b);
	}
	ck_assert_int_gt(errors, 100);
	ck_assert_int_lt(errors, 2500);
	lua_close(real);
	sandbox_close(&box);
}
END_TEST

/* Deep and long patterns: Lua's limits are these too. */
START_TEST(pattern_limits)
{
	static const struct { const char *text, *error; } bad[] = {
		{ "('a'):rep(300):find(('a?'):rep(300))", "pattern too complex" },
		{ "('a'):find(('()'):rep(33))", "too many captures" },
		{ "('a'):find('(a')", "unfinished capture" },
		{ "('a'):match('a)')", "invalid pattern capture" },
		{ "('a'):gsub('a', {a = {}})", "invalid replacement value (a table)" },
		{ "('a'):gsub('a', '%2')", "invalid capture index %2" },
		{ "('a'):gsub('a', '%x')", "invalid use of '%' in replacement string" },
		{ "('a'):gsub('a')", "string/function/table expected" },
		{ "('a'):gsub('a', true)", "string/function/table expected" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		Outcome o = run(bad[i].text, 10000000, 2);
		ck_assert_msg(!o.ok && strstr(o.error, bad[i].error), "'%s': %s", bad[i].text, o.error);
		free(o.printed);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sandbox");
	TCase *t = tcase_create("sandbox");
	SRunner *r = srunner_create(s);
	tcase_add_loop_test(t, endless_ends, 0, (int)(sizeof endless / sizeof *endless));
	tcase_add_loop_test(t, compiling_ends, 0, (int)(sizeof long_texts / sizeof *long_texts));
	tcase_add_test(t, compiling_hears_the_user);
	tcase_add_test(t, backstop_ends_the_process);
	tcase_add_loop_test(t, absent_is_absent, 0, (int)(sizeof absent / sizeof *absent));
	tcase_add_loop_test(t, results_are, 0, (int)(sizeof results / sizeof *results));
	tcase_add_loop_test(t, runs_are_equal, 0, (int)(sizeof repeated / sizeof *repeated));
	tcase_add_test(t, errors_are_located);
	tcase_add_loop_test(t, patterns_agree, 0, 4);
	tcase_add_test(t, pattern_limits);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
