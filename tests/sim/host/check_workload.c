/* The Lua host side: buffers, launches, checks, comparison of runs, limits. */
#include "lib/demangle.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "sim/host/kernel_name.h"
#include "sim/host/run.h"
#include "tests/temporary.h"
#include <config.h>
#include <sys/stat.h>

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

typedef struct Outcome {
	RunStatus status;
	char text[512];
	int line;
	Run *run;
	Module *module;
	Diag diag;
	Config config;
} Outcome;

static const char *write_in_dir(const char *name, const char *text)
{
	return temporary_text(dir, name, text);
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

static const RunOptions functional = { .gpu = { .functional = true }, .lua_steps = 20000000,
	.lua_seconds = 1 };

/* Runs that must end well; gpu.check holds what they expect. */
static const char *const good[] = {
	"local a = gpu.buffer('u32', 10, function(i) return i * i end)\n"
	"local b = gpu.buffer('u32', 10, 77)\n"
	"local s = gpu.launch { kernel = 'copy', grid = 2, block = 4, args = { b, a, 7 } }\n"
	"for i = 0, 9 do gpu.check(b:get(i) == (i < 7 and i * i or 77), 'element ' .. i) end\n"
	"gpu.check(s.kernel == 'copy' and s.grid[1] == 2 and s.block[1] == 4 and s.block[2] == 1, 'what was "
	"launched')\n"
	"gpu.check(s.thread_instructions > 0 and s.cycles == nil and s.blocks[1].label == 'begin', "
	"'statistics')\n"
	"gpu.check(s.blocks[2].threads == 7 and s.lanes.useful == s.thread_instructions, 'blocks')\n",
	"local out = gpu.buffer('u8', 16)\n"
	"gpu.launch { kernel = 'put', grid = { 1 }, block = { 1, 1, 1 }, shared = 16, args = { out, 1.5, "
	"200, 'abcdef', 0.1 } }\n"
	"gpu.check(string.unpack('<f', string.pack('BBBB', table.unpack(out:table()))) == 1.5, 'f32')\n"
	"gpu.check(out:get(4) == 200 and out:get(5) == 102, 'u8 and bytes')\n"
	"gpu.launch { kernel = 'put', grid = 1, block = 1, args = { out, 3, -1, { 1, 2, 3, 4, 5, 6 }, 7 } }\n"
	"gpu.check(out:get(4) == 255 and out:get(5) == 6, 'a list for an array')\n"
	"gpu.check(string.unpack('<d', string.pack('BBBBBBBB', table.unpack(out:table(), 9, 16))) == 7.0, "
	"'f64')\n",
	"local t = { u8 = {255,-1}, s8 = {127,-128}, u16 = {65535,-1}, s16 = {32767,-32768}, u32 = "
	"{2^32-1,-1}, s32 = {2^31-1,-2^31},\n"
	"  u64 = {2^63, -1}, s64 = {math.maxinteger, math.mininteger}, f32 = {1.5, -0.25}, f64 = {0.1, "
	"1e300} }\n"
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
	"gpu.check(gpu.argument(2, 5) == 12 and gpu.argument(3, 5) == 5 and gpu.argument(3) == nil, 'given, "
	"default, none')\n"
	"gpu.check(math.type(gpu.argument(2)) == 'integer' and gpu.argument(2, 0, { multiple_of = 4, from = "
	"12, to = 12 }) == 12, 'whole')\n"
	"gpu.check(gpu.argument(2, 1, { real = true, from = -1.5 }) == 12 and gpu.argument(3, 1.5, { real = "
	"true }) == 1.5, 'real')\n"
	"gpu.check(gpu.argument(1, nil, { one_of = { 'w', 'x' } }) == 'x' and gpu.argument(2, 1, { from = 1, "
	"one_of = { 'x' } }) == 12, 'words')\n"
	"gpu.check(gpu.argument(1, 1, { from = 1, one_of = { 'x' } }) == 'x' and gpu.argument(2, 'x', { "
	"one_of = { '12' } }) == '12', 'or words')\n",
	"local a = gpu.buffer('u16', 3, {1, 2, 3})\n"
	"a:save('raw.bin')\n"
	"local b = gpu.buffer('u16', 3):load('raw.bin')\n"
	"gpu.check(b:get(2) == 3, 'loaded')\n"
	"local c = gpu.buffer('u8', 6):load('raw.bin')\n"
	"gpu.check(c:get(4) == 3 and c:get(5) == 0, 'little-endian')\n",
	"local b = gpu.buffer('u32', 4)\n"
	"gpu.check(b.__index == nil and b.__gc == nil and b.__len == nil and b.__metatable == nil and b.get "
	"== b.get, 'the metatable is hidden')\n"
	"gpu.check(not pcall(function() b.__gc = print end) and not pcall(function() b.get = print end), "
	"'and closed')\n"
	"gpu.check(tostring(b) == 'buffer 1: u32[4]' and not pcall(table.unpack, b), 'text')\n",
	"local all = {}\n"  /* a callback that makes the list of buffers move */
	"local b = gpu.buffer('u32', 300, function(i) all[i] = gpu.buffer('u8', 1, i % 256) return i end)\n"
	"for i = 0, 299 do gpu.check(b:get(i) == i and all[i]:get(0) == i % 256, 'element ' .. i) end\n",
	"local b = gpu.buffer('u16', 1000003, 0x1234) gpu.check(b:get(0) == 0x1234 and b:get(1000002) == "
	"0x1234 and b:get(524288) == 0x1234)\n",
	/* pointers: into the buffer's middle, stored in memory, and taken back */
	"local a = gpu.buffer('u32', 8, function(i) return 10 + i end)\n"
	"local out = gpu.buffer('u32', 8)\n"
	"gpu.launch { kernel = 'copy', grid = 1, block = 4, args = { out + 2, a + 4, 3 } }\n"
	"gpu.check(table.concat(out:table(), ' ') == '0 0 14 15 16 0 0 0', table.concat(out:table(), ' '))\n"
	"local p = gpu.buffer('u64', 3, { a, a + 1, 2 + a })\n"
	"gpu.check(p:get(0) == a:address() and p:get(1) == a:address() + 4 and p:get(2) == (a + "
	"2):address(), 'stored')\n"
	"p:set(0, a + 8) gpu.check(p:get(0) - p:get(1) == 28, 'behind the last') p:fill(out) "
	"gpu.check(p:get(2) == out:address(), 'filled')\n"
	"gpu.check((a + 3) - (a + 1) == 2 and a + 3 - 3 == a and a + 1 ~= a and #(a + 3) == 5 and #(a + 8) "
	"== 0, 'distances')\n"
	"gpu.check((a + 3):get(0) == 13 and (a + 3 - 1):get(0) == 12, 'elements') ; (a + 7):set(0, 99) "
	"gpu.check(a:get(7) == 99)\n"
	"gpu.check(tostring(a + 1) == 'buffer 1 from byte 4: u32[7]', tostring(a + 1))\n"
	"gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { p:get(0), a, 1 } } gpu.check(out:get(0) "
	"== 10, 'a number is an address')\n",
	"local a = gpu.buffer('u8', 16)\n"
	"local f = a:view('f32', 4, 2)\n"
	"f:set(1, 1.5) f:set(0, -2) gpu.check(#f == 2 and a:get(11) == 0x3f and a:get(10) == 0xc0 and "
	"f:get(0) == -2, 'floats')\n"
	"gpu.check(#a:view('u32') == 4 and #a:view('u16', 1) == 7 and #a:view('u64', 8) == 1, 'lengths')\n"
	"a:view('u32', 1, 1):fill(0x01020304) gpu.check(a:get(1) == 4 and a:get(4) == 1, 'any byte')\n"
	"gpu.check(#f:table() == 2 and f:view('u8', 7):get(0) == 0x3f and f:view('u8', 0, 1):address() == "
	"a:address() + 4, 'views of views')\n"
	"f:save('view.bin') gpu.buffer('f32', 2):load('./view.bin') ; (f + 1):load('raw4.bin')\n"
	"gpu.check(f:get(1) == 1.0, 'loaded into a part')\n",
	"local t = gpu.symbol('table', 'u16') gpu.check(#t == 4 and t:get(0) == 7 and t:get(2) == 9, 'a "
	"typed symbol')\n"
	"gpu.check(gpu.symbol('counter', 'f32'):get(0) > 0 and gpu.symbol('counter', 'f32'):get(0) < 1e-40, "
	"'as a float')\n"
	"local c = gpu.symbol('counter', 's32') c:set(0, -1) gpu.check(gpu.symbol('counter'):get(0) == 2^32 "
	"- 1)\n",
	"local a = gpu.buffer('u8', 4, 7)\n"
	"a:save('down/saved.bin') a:save('down/saved.bin') gpu.check(gpu.buffer('u8', "
	"4):load('down//./saved.bin'):get(3) == 7, 'below')\n"
	"a:load('other.bin') gpu.check(a:get(0) == 111, 'in another folder')\n"
	"a:load(gpu.args[1] .. '/other.bin') gpu.check(a:get(0) == 111, 'by its whole name')\n",
	"local order = {}\n"
	"for k in pairs({ z = 1, b = 2, a = 3, [10] = 4, [2] = 5 }) do order[#order + 1] = tostring(k) end\n"
	"gpu.check(table.concat(order, ' ') == '2 10 a b z', 'pairs has an order: ' .. table.concat(order, ' "
	"'))\n"
	"gpu.check(math.random(1000) == math.random(1000) or true)\n",
};

START_TEST(good_runs)
{
	Outcome o;
	char other[300];
	char *args[] = { strstr(good[_i], "other.bin") ? other : "x", "12" };
	const char *const folders[] = { dir, other };
	RunOptions options = functional;
	snprintf(other, sizeof other, "%s-other", dir);
	options.nargs = 2;
	options.args = args;
	options.folders = folders;
	options.nfolders = 2;
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
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1025 }", "max_threads_per_block", RUN_BAD_INPUT,
		1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = { 65536, 65536, 65536 } }",
		"max_threads_per_block", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = { 1, 65536 }, block = 1 }", "grid is larger", RUN_BAD_INPUT,
		1 },
	{ "gpu.launch { kernel = 'wild', grid = 1.5, block = 1 }", "a fraction", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = -1, block = 1 }", "out of range", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1 }", "block: expected a number", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = {}, block = 1 }", "one to three", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, shard = 4 }", "did you mean 'shared'",
		RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, args = 1 }", "args: expected a list",
		RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, args = { 1 } }", "takes 0 arguments; 1 given",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b } }",
		"u64 out, u64 in, u32 n; 2 given", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, a } }",
		"an address needs 64 bits, not u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 2^32 } }",
		"does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 1.5 } }",
		"does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 'x' } }",
		"expected a number, found a string", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 1e39, 0, 'abcdef', 0 } }",
		"does not fit into f32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, 'abc', 0 } }",
		"string of 6 bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, shared = 1000000 }", "shared", RUN_BAD_INPUT,
		1 },
	{ "gpu.buffer('u33', 4)", "unknown element type", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 0)", "at least one element", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2^40)", "limits.memory_bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('f64', math.maxinteger)", "limits.memory_bytes", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, { 1, 2, 3 })", "3 initial values for 2", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, { 1, 'x' })", "found a string", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u8', 2, 256)", "does not fit into u8", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('s8', 2, -129)", "does not fit into s8", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u64', 2, 2^64)", "does not fit into u64", RUN_BAD_INPUT, 1 },
	{ "gpu.buffer('u32', 2, function(i)\nif i == 1 then error('mine') end return i end)", "mine",
		RUN_BAD_INPUT, 2 },
	{ BUFFERS "a:get(4)", "outside buffer 1, which has elements 0 to 3", RUN_BAD_INPUT, 1 },
	{ BUFFERS "b:set(-1, 0)", "outside buffer 2", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a.get(1, 2)", "buffer expected", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('nowhere.bin')", "cannot load nowhere.bin: there is no such file", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "a:save('fresh.bin') gpu.buffer('u8', 4):load('fresh.bin')",
		"fresh.bin has 16 bytes, buffer 3 has 4: 4 of u8", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('../x.bin')", "cannot save ../x.bin: '..' leads out of the folder", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "a:save('/tmp/x.bin')", "cannot save /tmp/x.bin: an absolute name leads out", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "a:save('d/../../x.bin')", "'..' leads out of the folder", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('/etc/passwd')", "cannot load /etc/passwd: an absolute name leads out of the "
		"folder (", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('/etc/passwords')", "cannot load /etc/passwords: an absolute name leads out of the "
		"folder (", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('../../etc/passwd')", "'..' leads out of the folder", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('link.bin')", "cannot load link.bin: a symbolic link is not followed",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('up/w.lua')", "cannot load up/w.lua: a symbolic link is not followed",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('fifo')", "cannot load fifo: it is no ordinary file", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('down')", "cannot load down: it is a directory", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('w.lua/x')", "there is no such file", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('')", "a file's name is expected", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('x\\0y')", "expected a file name", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load(('x'):rep(300))", "File name too long", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('sparse.bin')", "sparse.bin has 2147483648 bytes, buffer 1 has 16: 4 of u32",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('fifo')", "something is there that is no ordinary file", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('down')", "it is a directory", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('nowhere/x.bin')", "there is no such folder", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('up/x.bin')", "a symbolic link is not followed", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('link.bin')", "something is there that is no ordinary file", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('w.lua')", "cannot save w.lua: the file exists, and this run has not written it (",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('raw4.bin')", "--files DIR lets it load from DIR and save there, over old files "
		"too", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('.profile')", "cannot save .profile: a name that begins with a dot is hidden",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('.git/config')", "a name that begins with a dot is hidden", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:save('./down/...')", "a name that begins with a dot is hidden", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:load('down/.hidden.bin')", "cannot load down/.hidden.bin: a name that begins with a dot "
		"is hidden", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + 5", "buffer 1 + 5 leads out of the buffer: it has 4 elements of u32 from "
		"there, 0 before", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + 2 - 3", "buffer 1 from byte 8 + -3 leads out", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + math.maxinteger", "leads out of the buffer", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + math.mininteger", "leads out of the buffer", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a - math.mininteger", "out of range", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + 0.5", "number has no integer representation", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + 0/0", "number has no integer representation", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + {}", "number expected, got table", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a + b", "number expected, got buffer", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = 1 - a", "buffer expected, got number", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a - b", "only places of one buffer", RUN_BAD_INPUT, 1 },
	{ BUFFERS "local x = a - a:view('u8')", "only places of one buffer", RUN_BAD_INPUT, 1 },
	{ BUFFERS "; (a + 4):get(0)", "index 0: buffer 1 from byte 16 has no elements", RUN_BAD_INPUT, 1 },
	{ BUFFERS "; (a + 1):get(3)", "index 3 is outside buffer 1 from byte 4, which has elements 0 to 2",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:get(0/0)", "number has no integer representation", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:get(1e300)", "number has no integer representation", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:get(0.5)", "number has no integer representation", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:get()", "number expected, got no value", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:set(0, 0/0)", "nan does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:set(0, 1/0)", "inf does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:set(0, b)", "an address needs 64 bits, not u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u32', -1)", "a view from byte -1: buffer 1 has 16 bytes", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u32', 17)", "a view from byte 17: buffer 1 has 16 bytes", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u32', math.maxinteger)", "buffer 1 has 16 bytes", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('f64', 12)", "a view of 1 f64 from byte 12: buffer 1 has 16 bytes", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "a:view('u32', 4, 4)", "a view of 4 u32 from byte 4", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u64', 0, 2^62)", "a view of 4611686018427387904 u64", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u32', 0, 0)", "at least one element", RUN_BAD_INPUT, 1 },
	{ BUFFERS "a:view('u32', 4, 2):view('u32', 0, 3)", "buffer 1 from byte 4 has 8 bytes", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "a:view('b32')", "unknown element type 'b32'", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a + 1, { how = 'ignore' })", "buffer 1 from byte 4 is a part of buffer 1",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a, { tolerance = 0/0 })", "tolerance: expected a number of at least 0",
		RUN_BAD_INPUT, 1 },
	{ "\ngpu.argument(1)", "argument 1 is '7x'; expected a whole number from 1 to 2147483647",
		RUN_BAD_INPUT, 2 },
	{ "gpu.argument(2, 1, { to = 11 })", "argument 2 is '12'; expected a whole number from 1 to 11",
		RUN_BAD_INPUT, 1 },
	{ "gpu.argument(2, 1, { from = 13 })", "expected a whole number from 13 to", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(2, 1, { power_of_two = true, to = 64 })", "expected a power of 2 from 1 to 64",
		RUN_BAD_INPUT, 1 },
	{ "gpu.argument(2, 1, { multiple_of = 8, to = 64 })", "expected a multiple of 8 from 8 to 64",
		RUN_BAD_INPUT, 1 },
	{ "gpu.argument(3, 1, { real = true, from = 0, to = 0.5 })",
		"argument 3 is '2.5'; expected a number from 0 to 0.5", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(3)", "argument 3 is '2.5'; expected a whole number", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(4, 1, { real = true })", "argument 4 is 'nan'; expected a number", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(1, nil, { one_of = { 'a', 'b', 'c' } })", "expected 'a', 'b' or 'c'", RUN_BAD_INPUT,
		1 },
	{ "gpu.argument(1, nil, { from = 2, one_of = { 'a' } })",
		"expected a whole number from 2 to 2147483647 or 'a'", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(1, nil, { one_of = { 1 } })", "one_of: expected a list of words", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(1, nil, { one_of = 'a' })", "one_of: expected a list of words", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(1, nil, { form = 1 })", "unknown field 'form'; did you mean 'from'", RUN_BAD_INPUT,
		1 },
	{ "gpu.argument(9, nil, { from = 2, to = 1 })", "no value can be from 2 to 1", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(9, nil, { to = 'x' })", "to: expected a number", RUN_BAD_INPUT, 1 },
	{ "gpu.argument(0)", "arguments are numbered from 1", RUN_BAD_INPUT, 1 },
	{ "gpu.symbol('countr')", "did you mean 'counter'", RUN_BAD_INPUT, 1 },
	{ "gpu.symbol('counter', 'u64')", "a view of 1 u64 from byte 0: counter has 4 bytes", RUN_BAD_INPUT,
		1 },
	{ "gpu.launch { kernel = 'wild', grid = 0/0, block = 1 }", "a fraction", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 2^40, block = 1 }", "out of range", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = { 1, 1, 1, 1 }, block = 1 }", "one to three", RUN_BAD_INPUT,
		1 },
	{ "gpu.launch { kernel = 'wild', grid = '1', block = 1 }", "expected a number", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, shared = -1 }", "out of range", RUN_BAD_INPUT,
		1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1, warp_size = 16 }", "warps of 16 lanes",
		RUN_BAD_INPUT, 1 },
	{ "gpu.launch(1)", "table expected", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { 1 }", "expected named fields", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, 0/0 } }",
		"nan does not fit into u32", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, b, nil } }", "2 given",
		RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'copy', grid = 1, block = 1, args = { a, {}, 1 } }",
		"expected a number, found a table", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, { 1, 2 }, 0 } }",
		"expected 6 numbers, found 2", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, 7, 0 } }",
		"expected a string of 6 bytes or a list of 6", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild\\0', grid = 1, block = 1 }", "a name has no zero byte", RUN_BAD_INPUT,
		1 },
	{ BUFFERS "gpu.compare(a, { how = 'set\\0' })", "expected 'exact'", RUN_BAD_INPUT, 1 },
	{ "gpu.symbol('tile')", "no global or const variable", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a, { how = 'about' })",
		"expected 'exact', 'set', 'tolerance' or 'ignore', found 'about'", RUN_BAD_INPUT, 1 },
	{ BUFFERS "gpu.compare(a, { hov = 'set' })", "did you mean 'how'", RUN_BAD_INPUT, 1 },
	{ "gpu.check()", "value expected", RUN_BAD_INPUT, 1 },
	{ "x = = 1", "unexpected symbol", RUN_BAD_INPUT, 1 },
	{ "os.exit()", "nil value", RUN_BAD_INPUT, 1 },
	{ "while true do end", "limit", RUN_BAD_INPUT, 1 },
	{ BUFFERS "while true do pcall(a.get, a, 9) end", "limit", RUN_BAD_INPUT, 1 },
	{ "local b = gpu.buffer('u8', 2^26) while true do b:fill(1) end", "instruction limit", RUN_BAD_INPUT,
		1 },
	/* 16 bytes a step */
	{ "local b = gpu.buffer('u8', 2^26) for i = 1, 5 do b:fill(i) end", "instruction limit",
		RUN_BAD_INPUT, 1 },
	{ "local function f() while true do end end xpcall(f, f)", "limit", RUN_BAD_INPUT, 1 },
	{ BUFFERS "b.__index.__gc = print", "attempt to index a nil value", RUN_BAD_INPUT, 1 },
	{ "while true do gpu.buffer('u8', 1) end", "limit", RUN_BAD_INPUT, 1 },
	{ "while true do gpu.kernels() end", "limit", RUN_BAD_INPUT, 1 },
	{ "gpu.check(1 == 2, 'one is two')", "check failed: one is two", RUN_FAILED, 1 },
	{ "gpu.check(false)\ngpu.check(nil)", "check failed", RUN_FAILED, 1 },
	{ "gpu.check(true, '%d', 'no number') gpu.check(false, 'thread %d of %s: %%', 3, 'k')",
		"check failed: thread 3 of k: %", RUN_FAILED, 1 },
	{ "gpu.check(false, '%d of 100 %')", "check failed: %d of 100 %", RUN_FAILED, 1 },
	{ "gpu.check(false, '%d', 'no number')", "bad argument #2 to 'string.format' (number expected, got "
		"string)", RUN_BAD_INPUT, 1 },
	{ "gpu.check(false, 3, 'thread')", "string expected, got number", RUN_BAD_INPUT, 1 },
	{ "gpu.launch { kernel = 'wild', grid = 1, block = 1 }", "wild", RUN_FAILED, -1 },
	{ "pcall(gpu.launch, { kernel = 'wild', grid = 1, block = 1 })", "wild", RUN_FAILED, -1 },
	/* What pcall gives is the text, and raising it again says nothing new. */
	{ "local _, e = pcall(gpu.launch, { kernel = 'wild', grid = 1, block = 1 }) if e:find('^wild: "
		"access') then error(e) else gpu.launch(e) end", "wild",
		RUN_FAILED, -1 },
	{ "print(pcall(gpu.launch, { kernel = 'wilt', grid = 1, block = 1 })) gpu.launch { kernel = "
		"'zzzzzzzz', grid = 1, block = 1 }",
		"no kernel 'zzzzzzzz'; the module has ", RUN_BAD_INPUT, 1 },
};

START_TEST(bad_runs)
{
	Outcome o;
	char *args[] = { "7x", "12", "2.5", "nan" };
	RunOptions options = functional;
	options.nargs = 4;
	options.args = args;
	begin(&o, bad[_i].lua, options);
	ck_assert_msg(o.status == bad[_i].status, "for '%s': status %d (%s)", bad[_i].lua, o.status, o.text);
	ck_assert_msg(strstr(o.text, bad[_i].message) != NULL, "for '%s': %s", bad[_i].lua, o.text);
	ck_assert_msg(bad[_i].line < 0 || o.line == bad[_i].line, "for '%s': line %d", bad[_i].lua, o.line);
	end(&o);
}
END_TEST

/* Two runs of the same module whose workloads differ: what counts as the same. */
static const struct { const char *a, *b; bool same; const char *message; } pairs[] = {
	{ "gpu.buffer('u32', 2, {1, 2})", "gpu.buffer('u32', 2, {1, 2})", true, "" },
	{ "gpu.buffer('u32', 2, {1, 2})", "gpu.buffer('u32', 2, {2, 1})", false,
		"element 0 is 1 before, 2 after; 2 elements differ" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='set'})", "gpu.buffer('u32', 2, {2, 1})", true,
		"" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='set'})", "gpu.buffer('u32', 2, {2, 2})", false,
		"whatever their order" },
	{ "gpu.compare(gpu.buffer('u32', 2, {1, 2}), {how='ignore'})", "gpu.buffer('u32', 2, {5, 5})", true,
		"" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance'})", "gpu.buffer('f32', 1, 1000.05)", true,
		"" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance'})", "gpu.buffer('f32', 1, 1001)", false,
		"element 0" },
	{ "gpu.compare(gpu.buffer('f32', 1, 1000), {how='tolerance', tolerance=0.01})",
		"gpu.buffer('f32', 1, 1001)", true, "" },
	{ "gpu.compare(gpu.buffer('f32', 1, 0/0), {how='tolerance'})", "gpu.buffer('f32', 1, 0)", false,
		"nan" },
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
	bool same = run_same(a.run, b.run, "before", "after", NULL, &d);
	ck_assert_msg(same == pairs[_i].same, "'%s' and '%s'", pairs[_i].a, pairs[_i].b);
	ck_assert_msg(same || strstr(d.item.v[0].text, pairs[_i].message), "'%s'",
		same ? "" : d.item.v[0].text);
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
		"local s = gpu.launch { kernel = 'copy', grid = 3, block = 32, args = { gpu.buffer('u32', "
		"100), a, 70 } }\n";
	RunOptions reference = { .reference = true };
	begin(&a, lua, functional);
	begin(&b, lua, reference);
	ck_assert_msg(a.status == RUN_OK && b.status == RUN_OK, "%s %s", a.text, b.text);
	bool same = run_same(a.run, b.run, "machine", "reference", NULL, &d);
	ck_assert_msg(same, "%s", same ? "" : d.item.v[0].text);
	ck_assert_uint_gt(b.run->launch.v[0]->totals.thread_instructions, 0);
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
		"for i = 1, 3 do gpu.launch { kernel = 'copy', grid = i, block = 32, args = { a, a, 64 } } "
		"end\n"
		"gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, 'abcdef', 0 } }",
		functional);
	ck_assert_msg(o.status == RUN_OK, "%s", o.text);
	const LaunchStats *t = run_total(o.run);
	uint64_t sum = 0;
	for (int i = 0; i < o.run->launch.n; i++)
		sum += o.run->launch.v[i]->totals.thread_instructions;
	ck_assert_uint_eq(t->totals.thread_instructions, sum);
	ck_assert_int_eq(t->tables.blocks.n, 4);
	ck_assert_str_eq(t->tables.blocks.v[0].label, "begin");
	ck_assert_str_eq(t->tables.blocks.v[0].function, "copy");
	ck_assert_uint_eq(t->tables.blocks.v[0].threads, 32 * 6);
	ck_assert_str_eq(t->tables.blocks.v[3].function, "put");
	ck_assert_int_eq(t->tables.branches.n, 1);
	ck_assert_uint_eq(t->tables.branches.v[0].executed, 6);
	ck_assert_uint_eq(t->tables.branches.v[0].divergent, 0);
	end(&o);
}
END_TEST

/* Lines of copy that no launch before that of put has executed. */
static const char late_lines[] = "local a = gpu.buffer('u32', 64)\n"
				 "local function copy(n) gpu.launch { kernel = 'copy', grid = 1, block = 32, "
				 "args = { a, a, n } } end\n"
				 "for i = 1, 6 do copy(0) end\n"
				 "gpu.launch { kernel = 'put', grid = 1, block = 1, args = { a, 0, 0, "
				 "'abcdef', 0 } }\n"
				 "for i = 1, 3 do copy(20) end";

/* Totals and tables as JSON. */
static char *figures_of(const LaunchStats *s)
{
	StrBuf text = { 0 };
	JsonText t;
	json_text(&t, &text);
	t.sink.begin(&t.sink, '{', false);
	stats_json_measured(s, &t.sink);
	stats_json_tables(s, &t.sink);
	t.sink.end(&t.sink);
	return text.s;
}

static void same_figures(const LaunchStats *have, const LaunchStats *want)
{
	char *a = figures_of(have), *b = figures_of(want);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
}

/* The total and the sums of kernels are the same whether launches are forgotten or not. */
START_TEST(forgotten)
{
	static const RunOptions timed = { 0 }, sums = { .sums = true };
	Outcome all, some;
	begin(&all, late_lines, timed);
	begin(&some, late_lines, sums);
	ck_assert_msg(all.status == RUN_OK && some.status == RUN_OK, "%s %s", all.text, some.text);
	ck_assert_int_eq(all.run->launch.n, 10);
	ck_assert_int_lt(some.run->launch.n, 10);
	ck_assert_uint_eq(run_launches(some.run), 10);
	ck_assert_int_eq(run_kernels(some.run), 2);
	ck_assert_uint_eq(run_kernel(some.run, 0)->totals.launches, 9);
	same_figures(run_kernel(some.run, 0), run_kernel(all.run, 0));
	same_figures(run_kernel(some.run, 1), run_kernel(all.run, 1));
	same_figures(run_total(some.run), run_total(all.run));
	end(&all);
	end(&some);
}
END_TEST

/* ---- names of kernels ---- */

START_TEST(source_names)
{
	static const struct { const char *source, *given; int fits; } names[] = {
		{ "saxpy(int, float, float*)", "saxpy(int, float, float*)", 4 },
		{ "saxpy(int, float, float*)", "saxpy(int,float,float *)", 4 },
		{ "saxpy(int, float, float*)", "saxpy", 3 }, { "saxpy(int, float, float*)", "saxp", 0 },
		{ "saxpy(int)", "saxpy(float)", 0 },
		{ "void ns::f<int, 3>(int*)", "void ns::f<int, 3>(int*)", 4 },
		{ "void ns::f<int, 3>(int*)", "ns::f<int,3>(int*)", 4 },
		{ "void ns::f<int, 3>(int*)", "ns::f<int, 3>", 3 },
		{ "void ns::f<int, 3>(int*)", "ns::f", 2 }, { "void ns::f<int, 3>(int*)", "f<int, 3>", 1 },
		{ "void ns::f<int, 3>(int*)", "f", 1 }, { "void ns::f<int, 3>(int*)", "void", 0 },
		{ "void ns::f<int, 3>(int*)", "int", 0 },
		{ "a::b::c(d::e)", "c", 1 }, { "a::b::c(d::e)", "a::b::c", 3 },
		{ "a::b::c(d::e)", "b::c", 0 }, { "a::b::c(d::e)", "e", 0 },
		{ "(anonymous namespace)::g(int)", "g", 1 },
		{ "(anonymous namespace)::g(int)", "(anonymous namespace)::g", 3 },
		{ "std::pair<int, int> mk<X<1>>(int)", "mk", 2 }, { "S<int>::run(int)", "run", 1 },
		{ "S<int>::run(int)", "S<int>::run", 3 }, { "f()", "", 0 },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int fits = demangled_matches(names[i].source, names[i].given);
		ck_assert_msg(fits == names[i].fits, "'%s' for '%s': %d", names[i].given, names[i].source,
			fits);
	}
}
END_TEST

#define EMPTY "()\n{\nb:\n\texit\n}\n"
static const char mangled[] = "kernel _ZN2ns4axpyIfEEviT_PS1_" EMPTY "kernel _ZN2ns4axpyIdEEviT_PS1_"
	EMPTY "kernel _Z5scalePfi" EMPTY
	"kernel _ZN3top5innerEv" EMPTY "kernel _ZN5other5innerEv" EMPTY "kernel plain" EMPTY "kernel _Z"
	EMPTY "kernel _Z9x" EMPTY;

START_TEST(kernels_by_name)
{
	static const struct { const char *name, *found, *why; bool library; } want[] = {
		{ "plain", "plain", "", false }, { "_Z5scalePfi", "_Z5scalePfi", "", false },
		{ "scale", "_Z5scalePfi", "", false },
		{ "scale(float*, int)", "_Z5scalePfi", "", true },
		{ "scale(float *,int)", "_Z5scalePfi", "", true },
		{ "top::inner", "_ZN3top5innerEv", "", false },
		{ "other::inner", "_ZN5other5innerEv", "", false },
		{ "inner", NULL, "kernel 'inner' may be each of these: top::inner", false },
		{ "axpy", NULL, "kernel 'axpy' may be each of these: ", false },
		{ "ns::axpy<float>", "_ZN2ns4axpyIfEEviT_PS1_", "", true },
		{ "axpy<double>", "_ZN2ns4axpyIdEEviT_PS1_", "", true },
		{ "scales", NULL, "no kernel 'scales'; did you mean 'scale'?", false },
		{ "plan", NULL, "did you mean 'plain'?", false },
		{ "zzzzzzzzzz", NULL, "no kernel 'zzzzzzzzzz'", false }, { "", NULL, "no kernel ''", false },
	};
	Diag d = { 0 };
	Module *m = ir_read(mangled, sizeof mangled - 1, "m.ir", &d);
	ck_assert_msg(m != NULL, "%s", d.item.n ? d.item.v[0].text : "");
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		StrBuf why = { 0 };
		const Function *f = kernel_by_name(m, want[i].name, &why);
#ifndef HAVE_LIBIBERTY
		if (want[i].library)
			continue;
#endif
		ck_assert_msg(!f == !want[i].found && (!f || !strcmp(f->name, want[i].found)), "'%s': %s",
			want[i].name, f ? f->name : why.s);
		ck_assert_msg(f || strstr(why.s, want[i].why), "'%s': %s", want[i].name, f ? "" : why.s);
		sb_free(&why);
	}
	module_free(m);
	diag_free(&d);
}
END_TEST

/* A name of a hundred bytes that stands for a text of gigabytes. */
START_TEST(long_source_names)
{
	/* of S1_, S2_, ...: each argument has the one before it twice */
	static const char digits[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[400] = "_Z1fI1AIiiE";
	Arena a = { 0 };
	for (int i = 0; i < 30; i++) {
		size_t n = strlen(name);
		snprintf(name + n, sizeof name - n, "S0_IS%c_S%c_E", digits[i], digits[i]);
		if (i == 2) {
			char brief[400];
			snprintf(brief, sizeof brief, "%sEvv", name);
#ifdef HAVE_LIBIBERTY
			ck_assert_ptr_nonnull(demangle(&a, brief));
#endif
		}
	}
	strcat(name, "Evv");
#ifdef HAVE_LIBIBERTY
	ck_assert_ptr_null(demangle(&a, name));
#endif
	ck_assert_ptr_null(demangle(&a, "plain"));
	ck_assert_ptr_null(demangle(&a, "_Z"));
	ck_assert_ptr_null(demangle(&a, "_Z99999999999999999999x"));
	arena_free(&a);
}
END_TEST

/* A trial writes nothing, and reads what it has saved. */
START_TEST(trial_keeps_files)
{
	Outcome o;
	RunOptions options = functional;
	char path[300];
	options.trial = true;
	begin(&o, "local a = gpu.buffer('u32', 4, 5) a:save('trial.bin') a:fill(6) a:save('trial.bin') "
		"a:fill(0) a:load('trial.bin')\n"
		"gpu.check(a:get(3) == 6) pcall(a.save, a, '../x') gpu.check(not pcall(gpu.buffer('u8', "
		"1).load, gpu.buffer('u8', 1), 'trial.bin'))", options);
	ck_assert_msg(o.status == RUN_OK, "%s", o.text);
	snprintf(path, sizeof path, "%s/trial.bin", dir);
	ck_assert(access(path, F_OK));
	end(&o);
}
END_TEST

/* A workload may save over what this program has saved before, in any of its runs, and over nothing else,
   unless the user allows its folder. */
START_TEST(saves_again)
{
	static const char twice[] = "local a = gpu.buffer('u8', 4, 5) a:save('again.bin') a:fill(6) "
		"a:save('again.bin') gpu.check(a:load('again.bin'):get(0) == 6)";
	const char *const folders[] = { dir };
	char path[300], other[300];
	const char *why;
	FilesWritten written = { 0 };
	snprintf(path, sizeof path, "%s/again.bin", dir);
	snprintf(other, sizeof other, "%s-other/again.bin", dir);
	const struct { FilesWritten *written; bool allowed, moved; RunStatus status; } runs[] = {
		{ &written, false, false, RUN_OK }, { &written, false, false, RUN_OK },
		{ NULL, false, false, RUN_BAD_INPUT }, { &written, false, true, RUN_BAD_INPUT },
		{ NULL, true, false, RUN_OK },
	};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		Outcome o;
		RunOptions options = functional;
		options.written = runs[i].written;
		options.folders = folders;
		options.nfolders = runs[i].allowed;
		if (runs[i].moved) /* another file has taken the name */
			ck_assert(file_write(other, "oooo", 4, &why) && !rename(other, path));
		begin(&o, twice, options);
		ck_assert_msg(o.status == runs[i].status, "run %d: %s", (int)i, o.text);
		end(&o);
	}
	vec_free(&written);
}
END_TEST

/* What the tables of scripts above need: links, a FIFO, folders, and a file that is large without taking
   space. */
static const char *const made[] = { "w.lua", "raw.bin", "raw4.bin", "view.bin", "link.bin", "up", "fifo",
	"sparse.bin", "down/saved.bin", "fresh.bin", "again.bin" };

static bool make_files(void)
{
	char path[300];
	const char *why;
	snprintf(path, sizeof path, "%s-other", dir);
	bool ok = !mkdir(path, 0777);
	snprintf(path, sizeof path, "%s-other/other.bin", dir);
	ok &= file_write(path, "oooo", 4, &why);
	snprintf(path, sizeof path, "%s/down", dir);
	ok &= !mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/link.bin", dir);
	ok &= !symlink("/etc/passwd", path);
	snprintf(path, sizeof path, "%s/up", dir);
	ok &= !symlink(".", path);
	snprintf(path, sizeof path, "%s/fifo", dir);
	ok &= !mkfifo(path, 0666);
	snprintf(path, sizeof path, "%s/raw4.bin", dir);
	ok &= file_write(path, "\0\0\x80?", 4, &why);
	snprintf(path, sizeof path, "%s/sparse.bin", dir);
	return ok && file_write(path, "", 0, &why) && !truncate(path, (off_t)1 << 31);
}

static void remove_files(void)
{
	char path[300];
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, made[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/down", dir);
	rmdir(path);
	rmdir(dir);
	snprintf(path, sizeof path, "%s-other/other.bin", dir);
	unlink(path);
	snprintf(path, sizeof path, "%s-other", dir);
	rmdir(path);
}

int main(void)
{
	Suite *s = suite_create("workload");
	TCase *t = tcase_create("workload");
	SRunner *r = srunner_create(s);
	if (!mkdtemp(dir) || !make_files())
		return 1;
	tcase_add_loop_test(t, good_runs, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(t, bad_runs, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_loop_test(t, compares, 0, (int)(sizeof pairs / sizeof *pairs));
	tcase_add_test(t, reference_agrees);
	tcase_add_test(t, totals);
	tcase_add_test(t, forgotten);
	tcase_add_test(t, trial_keeps_files);
	tcase_add_test(t, saves_again);
	tcase_add_test(t, source_names);
	tcase_add_test(t, kernels_by_name);
	tcase_add_test(t, long_source_names);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	remove_files();
	return failed != 0;
}
