/* The Lua host side: buffers, launches, checks, comparison of runs, limits. */
#include "lib/file.h"
#include "sim/run.h"
#include <check.h>
#include <unistd.h>

static char dir[] = "/tmp/gsim-workload-XXXXXX";

static const char module_text[] =
	"global u32 counter = { 5 }\n"
	"const u32 table[2] = { 7, 9 }\n"
	"shared u32 tile[4]\n"
	"kernel copy(u64 out, u64 in, u32 n)\n"
	"{\n"
	"\treg u32 %i, %n, %v\n"
	"\treg u64 %a, %b\n"
	"\treg pred %p\n"
	"begin:\n"
	"\t%i = mov.u32 %ctaid.x\n"
	"\t%v = mov.u32 %ntid.x\n"
	"\t%n = mov.u32 %tid.x\n"
	"\t%i = mad.lo.u32 %i, %v, %n\n"
	"\t%n = ld.param.u32 [n]\n"
	"\t%p = setp.ge.u32 %i, %n\n"
	"\tbra %p, done, work\n"
	"work:\n"
	"\t%a = ld.param.u64 [out]\n"
	"\t%b = ld.param.u64 [in]\n"
	"\t%a = mad.wide.u32 %i, 4, %a\n"
	"\t%b = mad.wide.u32 %i, 4, %b\n"
	"\t%v = ld.global.u32 [%b]\n"
	"\tst.global.u32 [%a], %v\n"
	"\tbra done\n"
	"done:\n"
	"\texit\n"
	"}\n"
	"kernel put(u64 out, f32 x, u8 y, b8 s[6], f64 z)\n"
	"{\n"
	"\treg u64 %a, %z\n"
	"\treg u32 %x\n"
	"\treg u16 %y\n"
	"begin:\n"
	"\t%a = ld.param.u64 [out]\n"
	"\t%x = ld.param.u32 [x]\n"
	"\tst.global.u32 [%a], %x\n"
	"\t%y = ld.param.u8 [y]\n"
	"\tst.global.u8 [%a+4], %y\n"
	"\t%y = ld.param.u8 [s+5]\n"
	"\tst.global.u8 [%a+5], %y\n"
	"\t%z = ld.param.u64 [z]\n"
	"\tst.global.u64 [%a+8], %z\n"
	"\texit\n"
	"}\n"
	"kernel wild()\n"
	"{\n"
	"\treg u64 %a\n"
	"begin:\n"
	"\t%a = mov.u64 64\n"
	"\tst.global.u32 [%a], 1\n"
	"\texit\n"
	"}\n";

typedef struct Outcome { RunStatus status; char text[256]; int line; Run *run; Module *module; Diag diag; Config config; } Outcome;

static const char *write_in_dir(const char *name, const char *text)
{
	static char path[256];
	const char *why = "";
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_msg(file_write(path, text, strlen(text), &why), "%s: %s", path, why);
	return path;
}

static void begin(Outcome *o, const char *lua, RunOptions options)
{
	memset(o, 0, sizeof *o);
	config_defaults(&o->config);
	options.workload = write_in_dir("w.lua", lua);
	o->module = ir_read(module_text, sizeof module_text - 1, "m.ir", &o->diag);
	ck_assert_msg(o->module != NULL, "%s", o->diag.item.n ? o->diag.item.v[0].text : "");
	o->run = run_new(&o->config, o->module, &options, &o->diag);
	ck_assert_ptr_nonnull(o->run);
	o->status = run_module(o->run);
	if (o->diag.item.n) {
		snprintf(o->text, sizeof o->text, "%s", o->diag.item.v[0].text);
		o->line = o->diag.item.v[0].loc.line;
	}
}

static void end(Outcome *o)
{
	run_free(o->run);
	module_free(o->module);
	diag_free(&o->diag);
}

static const RunOptions functional = { .gpu = { .functional = true }, .lua_steps = 20000000, .lua_seconds = 1 };

/* Runs that must end well; gpu.check holds what they expect. */
static const char *const good[] = {
	"local a = gpu.buffer('u32', 10, function(i) return i * i end)\n"
	"local b = gpu.buffer('u32', 10, 77)\n"
	"local s = gpu.launch { kernel = 'copy', grid = 2, block = 4, args = { b, a, 7 } }\n"
	"for i = 0, 9 do gpu.check(b:get(i) == (i < 7 and i * i or 77), 'element ' .. i) end\n"
	"gpu.check(s.kernel == 'copy' and s.grid[1] == 2 and s.block[1] == 4 and s.block[2] == 1, 'what was launched')\n"
	"gpu.check(s.thread_instructions > 0 and s.cycles == nil and s.blocks[1].label == 'begin', 'statistics')\n"
	"gpu.check(s.blocks[2].threads == 7 and s.lanes.useful == s.thread_instructions, 'blocks')\n",
	"local out = gpu.buffer('u8', 16)\n"
	"gpu.launch { kernel = 'put', grid = { 1 }, block = { 1, 1, 1 }, shared = 16, args = { out, 1.5, 200, 'abcdef', 0.1 } }\n"
	"gpu.check(string.unpack('<f', string.pack('BBBB', table.unpack(out:table()))) == 1.5, 'f32')\n"
	"gpu.check(out:get(4) == 200 and out:get(5) == 102, 'u8 and bytes')\n"
	"gpu.launch { kernel = 'put', grid = 1, block = 1, args = { out, 3, -1, { 1, 2, 3, 4, 5, 6 }, 7 } }\n"
	"gpu.check(out:get(4) == 255 and out:get(5) == 6, 'a list for an array')\n"
	"gpu.check(string.unpack('<d', string.pack('BBBBBBBB', table.unpack(out:table(), 9, 16))) == 7.0, 'f64')\n",
	"local t = { u8 = {255,-1}, s8 = {127,-128}, u16 = {65535,-1}, s16 = {32767,-32768}, u32 = {2^32-1,-1}, s32 = {2^31-1,-2^31},\n"
	"  u64 = {2^63, -1}, s64 = {math.maxinteger, math.mininteger}, f32 = {1.5, -0.25}, f64 = {0.1, 1e300} }\n"
	"for name, v in pairs(t) do\n"
	"  local b = gpu.buffer(name, 3, v)\n"
	"  gpu.check(#b == 3 and b:get(2) == 0, name .. ' length')\n"
	"  b:set(2, v[1]); gpu.check(b:get(2) == b:get(0), name .. ' set')\n"
	"  b:fill(v[2]); gpu.check(b:get(0) == b:get(1), name .. ' fill')\n"
	"  gpu.check(#b:table() == 3 and b:table()[1] == b:get(0), name .. ' table')\n"
	"end\n"
	"local b = gpu.buffer('s8', 1, 255) gpu.check(b:get(0) == -1, 'wraps')\n"
	"b = gpu.buffer('u64', 1, 2^63) gpu.check(b:get(0) == math.mininteger, '2^63')\n",
	"local c, t = gpu.symbol('counter'), gpu.symbol('table')\n"
	"gpu.check(#c == 1 and c:get(0) == 5 and #t == 2 and t:get(1) == 9, 'initial values')\n"
	"c:set(0, 6) gpu.check(gpu.symbol('counter'):get(0) == 6, 'one variable')\n"
	"local k = gpu.kernels() gpu.check(#k == 3 and k[1] == 'copy' and k[3] == 'wild', 'kernels')\n"
	"gpu.check(#gpu.args == 2 and gpu.args[1] == 'x' and gpu.args[2] == '12', 'args')\n",
	"local a = gpu.buffer('u16', 3, {1, 2, 3})\n"
	"a:save('raw.bin')\n"
	"local b = gpu.buffer('u16', 3):load('raw.bin')\n"
	"gpu.check(b:get(2) == 3, 'loaded')\n"
	"local c = gpu.buffer('u8', 6):load('raw.bin')\n"
	"gpu.check(c:get(4) == 3 and c:get(5) == 0, 'little-endian')\n",
	"local b = gpu.buffer('u32', 4)\n"
	"gpu.check(b.__index == nil and b.__gc == nil and b.__len == nil and b.__metatable == nil and b.get == b.get, 'the metatable is hidden')\n"
	"gpu.check(not pcall(function() b.__gc = print end) and not pcall(function() b.get = print end), 'and closed')\n"
	"gpu.check(tostring(b) == 'buffer 1: u32[4]' and not pcall(table.unpack, b), 'text')\n",
	"local all = {}\n"  /* a callback that makes the list of buffers move */
	"local b = gpu.buffer('u32', 300, function(i) all[i] = gpu.buffer('u8', 1, i % 256) return i end)\n"
	"for i = 0, 299 do gpu.check(b:get(i) == i and all[i]:get(0) == i % 256, 'element ' .. i) end\n",
	"local b = gpu.buffer('u16', 1000003, 0x1234) gpu.check(b:get(0) == 0x1234 and b:get(1000002) == 0x1234 and b:get(524288) == 0x1234)\n",
	"local order = {}\n"
	"for k in pairs({ z = 1, b = 2, a = 3, [10] = 4, [2] = 5 }) do order[#order + 1] = tostring(k) end\n"
	"gpu.check(table.concat(order, ' ') == '2 10 a b z', 'pairs has an order: ' .. table.concat(order, ' '))\n"
	"gpu.check(math.random(1000) == math.random(1000) or true)\n",
};

START_TEST(good_runs)
{
	Outcome o;
	char *args[] = { "x", "12" };
	RunOptions options = functional;
	options.nargs = 2;
	options.args = args;
	begin(&o, good[_i], options);
	ck_assert_msg(o.status == RUN_OK && !o.diag.errors, "line %d: %s", o.line, o.text);
	end(&o);
}
END_TEST

#define BUFFERS "local a, b = gpu.buffer('u32', 4), gpu.buffer('u32', 4) "
static const struct { const char *lua, *message; RunStatus status; int line; } bad[] = {
	{ "gpu.launch { kernel = 'copi', grid = 1, block = 1 }", "did you mean 'copy'", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { grid = 1, block = 1 }", "kernel: expected a name, found nil", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 0, block = 1 }", "size 0", RUN_BAD_INPUT, 1 },
	{ "\ngpu.launch { kernel = 'wild', grid = 1, block = { 1, 0 } }", "size 0", RUN_BAD_INPUT, 2 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1025 }", "max_threads_per_block", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = { 65536, 65536, 65536 } }", "max_threads_per_block", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = { 1, 65536 }, block = 1 }", "grid is larger", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1.5, block = 1 }", "a fraction", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = -1, block = 1 }", "out of range", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1 }", "block: expected a number", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = {}, block = 1 }", "one to three", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, shard = 4 }", "did you mean 'shared'", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, args = 1 }", "args: expected a list", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, args = { 1 } }", "takes 0 arguments; 1 given", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b } }", "u64 out, u64 in, u32 n; 2 given", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, a } }", "an address needs 64 bits", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 2^32 } }", "does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 1.5 } }", "does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 'x' } }", "expected a number, found a string", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 1e39, 0, 'abcdef', 0 } }", "does not fit into f32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, 'abc', 0 } }", "string of 6 bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, shared = 1000000 }", "shared", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u33', 4)", "unknown element type", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 0)", "at least one element", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2^40)", "limits.memory_bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('f64', math.maxinteger)", "limits.memory_bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, { 1, 2, 3 })", "3 initial values for 2", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, { 1, 'x' })", "found a string", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u8', 2, 256)", "does not fit into u8", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('s8', 2, -129)", "does not fit into s8", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u64', 2, 2^64)", "does not fit into u64", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, function(i)\nif i == 1 then error('mine') end return i end)", "mine", RUN_BAD_INPUT, 2 },
	{ BUFFERS "a:get(4)", "outside buffer 1, which has elements 0 to 3", RUN_BAD_INPUT, 1 },
	{ BUFFERS "b:set(-1, 0)", "outside buffer 2", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a.get(1, 2)", "buffer expected", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('nowhere.bin')", "cannot load", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('raw.bin') gpu.buffer('u8', 4):load('raw.bin')", "too large", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('../x.bin')", "below its own directory", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('/tmp/x.bin')", "below its own directory", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('d/../../x.bin')", "below its own directory", RUN_BAD_INPUT, 1 },
	{ "gpu.symbol('tile')", "no global or const variable", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a, { how = 'about' })", "invalid option", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a, { hov = 'set' })", "did you mean 'how'", RUN_BAD_INPUT, 1 },
	{ "gpu.check()", "value expected", RUN_BAD_INPUT, 1 },
	{ "x = = 1", "unexpected symbol", RUN_BAD_INPUT, 1 },
	{ "os.exit()", "nil value", RUN_BAD_INPUT, 1 },
	{ "while true do end", "limit", RUN_BAD_INPUT, 1 },
	{ BUFFERS "while true do pcall(a.get, a, 9) end", "limit", RUN_BAD_INPUT, 1 },
	{ "local b = gpu.buffer('u8', 2^26) while true do b:fill(1) end", "instruction limit", RUN_BAD_INPUT, 1 },
	{ "local b = gpu.buffer('u8', 2^26) for i = 1, 5 do b:fill(i) end", "instruction limit", RUN_BAD_INPUT, 1 }, /* 16 bytes a step */
	{ "local function f() while true do end end xpcall(f, f)", "limit", RUN_BAD_INPUT, 1 },
	{ BUFFERS "b.__index.__gc = print", "attempt to index a nil value", RUN_BAD_INPUT, 1 },
	{ "while true do gpu.buffer('u8', 1) end", "limit", RUN_BAD_INPUT, 1 },
	{ "while true do gpu.kernels() end", "limit", RUN_BAD_INPUT, 1 },
	{ "gpu.check(1 == 2, 'one is two')", "check failed: one is two", RUN_FAILED, 1 },
	{ "gpu.check(false)\ngpu.check(nil)", "check failed", RUN_FAILED, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1 }", "wild", RUN_FAILED, -1 },
	{ "pcall(gpu.launch, { kernel = 'wild', grid = 1, block = 1 })", "wild", RUN_FAILED, -1 },
};

START_TEST(bad_runs)
{
	Outcome o;
	begin(&o, bad[_i].lua, functional);
	ck_assert_msg(o.status == bad[_i].status, "for '%s': status %d (%s)", bad[_i].lua, o.status, o.text);
	ck_assert_msg(strstr(o.text, bad[_i].message) != NULL, "for '%s': %s", bad[_i].lua, o.text);
	ck_assert_msg(bad[_i].line < 0 || o.line == bad[_i].line, "for '%s': line %d", bad[_i].lua, o.line);
	end(&o);
}
END_TEST

/* Two runs of the same module whose workloads differ: what counts as the same. */
static const struct { const char *a, *b; bool same; const char *message; } pairs[] = {
	{ "gpu.buffer('u32', 2, {1, 2})", "gpu.buffer('u32', 2, {1, 2})", true, "" },
	{ "gpu.buffer('u32', 2, {1, 2})", "gpu.buffer('u32', 2, {2, 1})", false, "element 0 is 1 before, 2 after; 2 elements differ" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='set'})", "gpu.buffer('u32', 2, {2, 1})", true, "" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='set'})", "gpu.buffer('u32', 2, {2, 2})", false, "whatever their order" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='ignore'})", "gpu.buffer('u32', 2, {5, 5})", true, "" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance'})", "gpu.buffer('f32', 1, 1000.05)", true, "" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance'})", "gpu.buffer('f32', 1, 1001)", false, "element 0" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance', tolerance=0.01})", "gpu.buffer('f32', 1, 1001)", true, "" },
	{ "gpu.compare(gpu.buffer('f32', 1, 0/0), {how='tolerance'})", "gpu.buffer('f32', 1, 0)", false, "nan" },
	{ "gpu.symbol('counter'):set(0, 9)", "", false, "counter" },
	{ "gpu.buffer('u32', 2)", "gpu.buffer('u32', 3)", false, "u32[2] before, u32[3] after" },
	{ "gpu.buffer('u32', 2)", "", false, "1 buffers before, 0 after" },
};

START_TEST(compares)
{
	Outcome a, b;
	Diag d = { 0 };
	begin(&a, pairs[_i].a, functional);
	begin(&b, pairs[_i].b, functional);
	ck_assert_int_eq(a.status, RUN_OK);
	ck_assert_int_eq(b.status, RUN_OK);
	bool same = run_same(a.run, b.run, "before", "after", &d);
	ck_assert_msg(same == pairs[_i].same, "'%s' and '%s'", pairs[_i].a, pairs[_i].b);
	ck_assert_msg(same || strstr(d.item.v[0].text, pairs[_i].message), "'%s'", same ? "" : d.item.v[0].text);
	diag_free(&d);
	end(&a);
	end(&b);
}
END_TEST

/* The reference interpreter gives the same results and no statistics but thread_instructions. */
START_TEST(reference_agrees)
{
	Outcome a, b;
	Diag d = { 0 };
	static const char lua[] = "local a = gpu.buffer('u32', 100, function(i) return i end)\n"
		"local s = gpu.launch { kernel = 'copy', grid = 3, block = 32, args = { gpu.buffer('u32', 100), a, 70 } }\n";
	RunOptions reference = { .reference = true };
	begin(&a, lua, functional);
	begin(&b, lua, reference);
	ck_assert_msg(a.status == RUN_OK && b.status == RUN_OK, "%s %s", a.text, b.text);
	bool same = run_same(a.run, b.run, "machine", "reference", &d);
	ck_assert_msg(same, "%s", same ? "" : d.item.v[0].text);
	ck_assert_uint_gt(b.run->launch.v[0]->thread_instructions, 0);
	ck_assert(!stat_known(b.run->launch.v[0], 0));
	end(&a);
	end(&b);
}
END_TEST

/* Totals: sums, and blocks of one name added up over launches. */
START_TEST(totals)
{
	Outcome o;
	begin(&o, "local a = gpu.buffer('u32', 64)\n"
		"for i = 1, 3 do gpu.launch { kernel = 'copy', grid = i, block = 32, args = { a, a, 64 } } end\n"
		"gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, 'abcdef', 0 } }", functional);
	ck_assert_msg(o.status == RUN_OK, "%s", o.text);
	const LaunchStats *t = run_total(o.run);
	uint64_t sum = 0;
	for (int i = 0; i < o.run->launch.n; i++)
		sum += o.run->launch.v[i]->thread_instructions;
	ck_assert_uint_eq(t->thread_instructions, sum);
	ck_assert_int_eq(t->nblocks, 4);
	ck_assert_str_eq(t->block_stats[0].label, "begin");
	ck_assert_str_eq(t->block_stats[0].function, "copy");
	ck_assert_uint_eq(t->block_stats[0].threads, 32 * 6);
	ck_assert_str_eq(t->block_stats[3].function, "put");
	ck_assert_int_eq(t->nbranches, 1);
	ck_assert_uint_eq(t->branch_stats[0].executed, 6);
	ck_assert_uint_eq(t->branch_stats[0].divergent, 0);
	end(&o);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("workload");
	TCase *t = tcase_create("workload");
	SRunner *r = srunner_create(s);
	if (!mkdtemp(dir))
		return 1;
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, good_runs, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(t, bad_runs, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_loop_test(t, compares, 0, (int)(sizeof pairs / sizeof *pairs));
	tcase_add_test(t, reference_agrees);
	tcase_add_test(t, totals);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	static const char *const made[] = { "w.lua", "raw.bin" };
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", dir, made[i]);
		unlink(path);
	}
	rmdir(dir);
	return failed != 0;
}
