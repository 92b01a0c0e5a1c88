-- Micro-benchmarks: kernels in PTX that measure one figure of a machine each, and the workload that runs them.
--   local bench = dofile(top .. "/tools/microbench.lua")      bench.module, bench.workload: texts; bench.rows: what is measured
-- The figures themselves are in tools/microbench/. The module is PTX that ptxas takes, too, and the workload asks the machine
-- for nothing but launches and buffers, so that the same files can run on a GPU.
--
-- A row is mostly the difference of the times of two kernels (or of one with two values of n), which differ by `steps` steps,
-- divided by that number: what surrounds the steps, reading the clock included, cancels.
--
-- Every kernel has the same parameters: out (where each thread leaves a start, an end and its SM), buf (memory to work on), n and a
-- (numbers that a row chooses) and z, which is 0, though no compiler can know that. x is the value that a chain of operations
-- changes (f, d and l are made of it, as f32, f64 and u64); y is z + 3 and w is z + 0x12345. The kernel measures itself three
-- times and keeps the last: by then its code is in the instruction cache.
local bench = { rows = {} }
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local kernels, have = {}, {}

function bench.indent(text) return (text:gsub("([^;:\n]+[;:])%s*", "\t%1\n")) end
function bench.word(s) return (s:gsub("[^%w]", "_")) end

local function uses(text, name) return text:find("%f[%w]" .. name .. "%f[^%w]") end

-- The word NEVER in a body is a branch that nobody takes, to a loop that comes back: it keeps a compiler from making predicated
-- instructions of what stands around it, and costs the issue of a branch whose condition has been known for long and is the same in
-- all threads. Returns the body and the loops.
local function place_never(body)
	local loops, count = {}, 0
	body = body:gsub("[ \t]*NEVER;\n?", function()
		count = count + 1
		loops[count] = ("NEVER%d:\n\tst.volatile.global.u32 [buf], x;\n\tadd.u32 x, x, y;\n\tsetp.ne.u32 again, x, w;\n\t@again bra NEVER%d;\n\tbra ON%d;\n"):format(
			count, count, count)
		return ("\t@never bra NEVER%d;\nON%d:\n"):format(count, count)
	end)
	return body, table.concat(loops)
end

-- The values of other types that a body works on: how they are made of x, and how they become part of it again.
local TYPES = {
	{ name = "f", make = "cvt.rn.f32.u32 f, x;", fold = "cvt.rzi.u32.f32 t, f; xor.b32 x, x, t;" },
	{ name = "d", make = "cvt.rn.f64.u32 d, x;", fold = "cvt.rzi.u32.f64 t, d; xor.b32 x, x, t;" },
	{ name = "l", make = "cvt.u64.u32 l, x;", fold = "cvt.u32.u64 t, l; xor.b32 x, x, t;" },
}

-- Adds a kernel. options: pre (before the turns), turn (in each turn, before the clock), start (the same, behind the clock), stop
-- (behind the body, before the clock), shared (bytes), tail (behind the kernel's end), turns, lower (no fold of x behind the
-- body), stamp (instead of the end's clock: a 32-bit register whose value is left)
function bench.kernel(name, body, options)
	if have[name] then return end
	have[name] = true
	local o = options or {}
	local text, ends = place_never(body)
	local make, fold = {}, {}
	for _, t in ipairs(TYPES) do
		if uses((o.start or "") .. body .. (o.stop or ""), t.name) then make[#make + 1], fold[#fold + 1] = t.make, t.fold end
	end
	kernels[#kernels + 1] = ([[

.visible .entry %s(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .pred p<40>, never, again;
	.reg .u32 x, y, w, z, n, a, i, j, k, lane, tid, warp, turn, sa, gt, t, sm_id, r<40>;
	.reg .f32 f, g, e, v<9>;
	.reg .f64 d, dg, de, u<9>;
	.reg .u64 l, lg, le, out, buf, ad, from, to, m<9>;
%s	ld.param.u64 out, [p_out];
	ld.param.u64 buf, [p_buf];
	ld.param.u32 n, [p_n];
	ld.param.u32 a, [p_a];
	ld.param.u32 z, [p_z];
	mov.u32 tid, %%tid.x;
	mov.u32 lane, %%laneid;
	mov.u32 t, %%ctaid.x;
	mov.u32 gt, %%ntid.x;
	mad.lo.u32 gt, t, gt, tid;
	shr.u32 warp, tid, 5;
	mad.wide.u32 out, gt, 24, out;
	add.u32 y, z, 3;
	add.u32 w, z, 0x12345;
	cvt.rn.f32.u32 g, y;
	cvt.rn.f32.u32 e, w;
	cvt.rn.f64.u32 dg, y;
	cvt.rn.f64.u32 de, w;
	cvt.u64.u32 lg, y;
	cvt.u64.u32 le, w;
	setp.eq.u32 never, n, 1540483477;
	mov.u32 turn, 0;
%sTURN:
	mad.lo.u32 x, tid, y, w;
%s	bar.sync 0;
	mov.u64 from, %%clock64;
	cvt.u32.u64 t, from;
	and.b32 t, t, z;
	add.u32 x, x, t;
%s%s%s%s	setp.eq.u32 again, x, 0x7f4a7c15;
	@again st.volatile.global.u32 [buf], x;
	mov.u64 to, %%clock64;
	bar.sync 0;
	add.u32 turn, turn, 1;
	setp.lt.u32 again, turn, %d;
	@again bra TURN;
%s	mov.u32 sm_id, %%smid;
	cvt.u64.u32 le, sm_id;
	st.global.u64 [out], from;
	st.global.u64 [out+8], to;
	st.global.u64 [out+16], le;
	ret;
%s%s}
]]):format(name, o.shared and ("\t.shared .align 128 .b8 sm[%d];\n"):format(o.shared) or "", bench.indent(o.pre or ""),
		bench.indent(o.turn or ""), bench.indent(table.concat(make, " ")), bench.indent(o.start or ""), text,
		bench.indent((o.stop or "") .. table.concat(fold, " ")), o.turns or 3,
		o.stamp and ("\tmov.u64 from, 0;\n\tcvt.u64.u32 to, %s;\n"):format(o.stamp) or "", o.tail or "", ends)
end

-- Adds a row: figure, unit, long and short (kernels), steps; n and a of the long kernel, less_n and less_a of the short one; threads
-- or warps of a block (1 warp), blocks; init (a kernel that fills buf before), init_blocks, init_threads (its blocks and their threads: 1 of 1024); less, less_by, less_cycles (figures and cycles that
-- are subtracted); independent: only for machines whose diverged lanes make progress by themselves; big: buf is the large buffer.
-- mode: "steps" if nil; "rate": steps of all warps by a cycle; "ratio": the long kernel's time by the short one's; "sum": of the
-- values that the lanes leave; "chip": blocks on all SMs, `amount` of each block by the cycles from the first start to the last end
-- on the first block's SM ("inverse": the other way round); "turns": that time by the number of blocks on that SM; "launches": ns from launch to launch; "slope": steps warps' threads by the difference of two other figures, upper and lower.
function bench.row(r) bench.rows[#bench.rows + 1] = r end

-- The body: `step` so many times; # in it is the number of the time, for labels.
function bench.times(step, count)
	local t = {}
	for k = 1, count do t[k] = bench.indent((step:gsub("#", tostring(k)))) end
	return table.concat(t)
end

-- A chain of `step`, in which each step needs what the one before it computed. o: options of kernels and fields of rows; short and
-- long: numbers of steps; operations in a step; name: of the kernels, where several rows share them.
function bench.chain(figure, step, o)
	o = o or {}
	local short, long = o.short or 8, o.long or 32
	local name = bench.word(o.name or figure)
	bench.kernel(name .. "_short", bench.times(step, short), o)
	bench.kernel(name .. "_long", bench.times(step, long), o)
	bench.row({ figure = figure, unit = "cycles", long = name .. "_long", short = name .. "_short", steps = (long - short) * (o.operations or 1),
		a = o.a, n = o.n, warps = o.warps, threads = o.threads, init = o.init, init_threads = o.init_threads, less = o.less, less_by = o.less_by, less_cycles = o.less_cycles,
		independent = o.independent })
end

-- A body that is run n times.
function bench.loop(body)
	return "\tmov.u32 i, 0;\nAGAIN:\n\t.pragma \"nounroll\";\n" .. body .. "\tadd.u32 i, i, 1;\n\tsetp.lt.u32 p39, i, n;\n\t@p39 bra AGAIN;\n"
end

for _, part in ipairs { "operations", "rates", "flow", "sides", "memory", "launches" } do
	dofile(here .. "microbench/" .. part .. ".lua")(bench)
end

local HEAD = [[
// Written by tools/reproduce microbench.
.version 7.8
.target sm_80
.address_size 64

.func (.param .u32 result) leaf(.param .u32 value, .param .u32 factor)
{
	.reg .u32 x, y;
	ld.param.u32 x, [value];
	ld.param.u32 y, [factor];
	mad.lo.u32 x, x, y, 12345;
	st.param.u32 [result], x;
	ret;
}
]]
-- init_self: each word of the first n holds its own address. sweep: reads n blocks of 4096 bytes, to empty caches.
local HELPERS = [[

.visible .entry init_self(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .u32 i, t;
	.reg .u64 d;
	mov.u32 i, %tid.x;
	mov.u32 t, %ctaid.x;
	mad.lo.u32 i, t, 1024, i;
	ld.param.u64 d, [p_buf];
	mad.wide.u32 d, i, 8, d;
	st.global.u64 [d], d;
	ret;
}

.visible .entry sweep(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .pred p;
	.reg .u32 i, t;
	.reg .u64 d, v;
	mov.u32 i, %tid.x;
	mov.u32 t, %ctaid.x;
	mad.lo.u32 i, t, 512, i;
	ld.param.u64 d, [p_buf];
	mad.wide.u32 d, i, 8, d;
	ld.global.cg.u64 v, [d];
	setp.eq.u64 p, v, 1;
	@p st.global.u64 [d], v;
	ret;
}

.visible .entry empty(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	ret;
}

.visible .entry stamp(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .u32 n;
	.reg .u64 out, now;
	ld.param.u64 out, [p_out];
	ld.param.u32 n, [p_n];
	mad.wide.u32 out, n, 8, out;
	mov.u64 now, %globaltimer;
	st.global.u64 [out], now;
	ret;
}

.visible .entry short_blocks(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .u32 i, t, sm_id;
	.reg .u64 out, from, to, where;
	mov.u64 from, %clock64;
	ld.param.u64 out, [p_out];
	mov.u32 i, %tid.x;
	mov.u32 t, %ctaid.x;
	mad.lo.u32 i, t, 32, i;
	mad.wide.u32 out, i, 24, out;
	mov.u32 sm_id, %smid;
	cvt.u64.u32 where, sm_id;
	mov.u64 to, %clock64;
	st.global.u64 [out], from;
	st.global.u64 [out+8], to;
	st.global.u64 [out+16], where;
	ret;
}
]]

local function literal(v) return type(v) == "string" and ("%q"):format(v) or tostring(v) end
local lines = {}
for k, r in ipairs(bench.rows) do
	local fields = {}
	for name, v in pairs(r) do fields[#fields + 1] = ("%s = %s"):format(name, literal(v)) end
	table.sort(fields)
	lines[k] = ("\t{ %s },\n"):format(table.concat(fields, ", "))
end
local f = assert(io.open(here .. "microbench/workload.lua"))
bench.workload = f:read("a"):gsub("ROWS\n", function() return table.concat(lines) end)
f:close()
bench.module = HEAD .. table.concat(kernels) .. HELPERS
return bench
