-- Micro-benchmarks: kernels in PTX that measure one figure of a machine each, and the workload that runs them.
--   local module, workload = dofile(top .. "/tools/microbench.lua")
-- A row is a figure: { name, long, short, steps, ... }: the difference between the times of two kernels, which differ by `steps`
-- steps, divided by that number. What surrounds the steps, reading the clock included, cancels.
--
-- Every kernel has the same parameters: out (a start and an end of each thread), buf (memory to work on), n and a (numbers that
-- a row chooses) and z, which is 0, though no compiler can know that. x is the value that a chain of operations changes; y is z + 3
-- and w is z + 0x12345. The kernel measures itself three times and keeps the last: by then its code is in the instruction cache.
local kernels, rows, have = {}, {}, {}

local function indent(text) return (text:gsub("([^;:\n]+[;:])%s*", "\t%1\n")) end

-- options: pre (before the turns), turn (in each turn, before the clock), after (behind the turns), shared (bytes), tail (behind the
-- kernel's end), turns
local function kernel(name, body, options)
	if have[name] then return end
	have[name] = true
	local o = options or {}
	kernels[#kernels + 1] = ([[

.visible .entry %s(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .pred p<40>, q;
	.reg .u32 x, y, w, z, n, a, i, j, k, lane, tid, warp, turn, sa, gt, t, r<40>;
	.reg .f32 f, g, e;
	.reg .f64 d, dg, de;
	.reg .u64 l, lg, le, out, buf, ad, from, to;
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
	mad.wide.u32 out, gt, 16, out;
	add.u32 y, z, 3;
	add.u32 w, z, 0x12345;
	cvt.rn.f32.u32 g, y;
	cvt.rn.f32.u32 e, w;
	cvt.rn.f64.u32 dg, y;
	cvt.rn.f64.u32 de, w;
	cvt.u64.u32 lg, y;
	cvt.u64.u32 le, w;
	mov.u32 turn, 0;
%sTURN:
	mad.lo.u32 x, tid, y, w;
	cvt.rn.f32.u32 f, x;
	cvt.rn.f64.u32 d, x;
	cvt.u64.u32 l, x;
%s	bar.sync 0;
	mov.u64 from, %%clock64;
%s	mov.u64 to, %%clock64;
	bar.sync 0;
	add.u32 turn, turn, 1;
	setp.lt.u32 q, turn, %d;
	@q bra TURN;
	st.global.u64 [out], from;
	st.global.u64 [out+8], to;
%s	cvt.rzi.u32.f32 t, f;
	xor.b32 x, x, t;
	cvt.rzi.u32.f64 t, d;
	xor.b32 x, x, t;
	cvt.u32.u64 t, l;
	xor.b32 x, x, t;
	setp.eq.u32 q, x, 0x7f4a7c15;
	@q st.global.u32 [buf], x;
	ret;
%s}
]]):format(name, o.shared and ("\t.shared .align 128 .b8 sm[%d];\n"):format(o.shared) or "", indent(o.pre or ""), indent(o.turn or ""),
		body, o.turns or 3, indent(o.after or ""), o.tail or "")
end

-- r: figure, unit, long and short (kernels), steps, warps (1), blocks (1), n and a (0), init (a kernel that fills buf before),
-- rate (results of all warps by a cycle, instead of cycles a step)
local function row(r) rows[#rows + 1] = r end

local function word(s) return (s:gsub("[^%w]", "_")) end

-- The body: `step` so many times; # in it is the number of the time, for labels.
local function times(step, count)
	local t = {}
	for k = 1, count do t[k] = indent((step:gsub("#", tostring(k)))) end
	return table.concat(t)
end

-- A chain of `step`, in which each step needs what the one before it computed. less: a figure whose step is part of this one, and is
-- subtracted.
local function chain(figure, step, o)
	o = o or {}
	local short, long = o.short or 8, o.long or 40
	local name = word(figure)
	kernel(name .. "_short", times(step, short), o)
	kernel(name .. "_long", times(step, long), o)
	row({ figure = figure, unit = "cycles", long = name .. "_long", short = name .. "_short", steps = (long - short) * (o.operations or 1),
		a = o.a, n = o.n, warps = o.warps, init = o.init, less = o.less, less_by = o.less_by, less_cycles = o.less_cycles })
end

-- ---- latencies: chains of one operation ----
local CHAINS = {
	{ "add.u32", "add.u32 x, x, y;" }, { "mad.lo.u32", "mad.lo.u32 x, x, y, w;" }, { "mul.lo.u32", "mul.lo.u32 x, x, y;" },
	{ "mul.hi.u32", "mul.hi.u32 x, x, w;" }, { "shl.b32", "shl.b32 x, x, z;" }, { "and.b32", "and.b32 x, x, w;" },
	{ "min.u32", "min.u32 x, x, w;" }, { "bfe.u32", "bfe.u32 x, x, z, w;" }, { "popc.b32", "popc.b32 x, x;" },
	{ "clz.b32", "clz.b32 x, x;" }, { "brev.b32", "brev.b32 x, x;" }, { "sad.u32", "sad.u32 x, x, y, w;" },
	{ "add.f32", "add.rn.f32 f, f, g;" }, { "mul.f32", "mul.rn.f32 f, f, g;" }, { "fma.f32", "fma.rn.f32 f, f, g, e;" },
	{ "add.f64", "add.rn.f64 d, d, dg;" }, { "fma.f64", "fma.rn.f64 d, d, dg, de;" },
	{ "rcp.approx.f32", "rcp.approx.ftz.f32 f, f;" }, { "rsqrt.approx.f32", "rsqrt.approx.ftz.f32 f, f;" },
	{ "sqrt.approx.f32", "sqrt.approx.ftz.f32 f, f;" }, { "ex2.approx.f32", "ex2.approx.ftz.f32 f, f;" },
	{ "lg2.approx.f32", "lg2.approx.ftz.f32 f, f;" }, { "sin.approx.f32", "sin.approx.ftz.f32 f, f;" },
	{ "rcp.rn.f32", "rcp.rn.f32 f, f;" }, { "sqrt.rn.f32", "sqrt.rn.f32 f, f;" }, { "div.rn.f32", "div.rn.f32 f, e, f;" },
	{ "rcp.rn.f64", "rcp.rn.f64 d, d;" }, { "sqrt.rn.f64", "sqrt.rn.f64 d, d;" }, { "div.rn.f64", "div.rn.f64 d, de, d;" },
	{ "div.u32", "div.u32 x, w, x; or.b32 x, x, y;", "latency/and.b32" }, { "div.s32", "div.s32 x, w, x; or.b32 x, x, y;", "latency/and.b32" },
	{ "rem.u32", "rem.u32 x, w, x; or.b32 x, x, y;", "latency/and.b32" },
	{ "cvt.f32.u32+cvt.u32.f32", "cvt.rn.f32.u32 f, x; cvt.rzi.u32.f32 x, f;" },
	{ "shfl.idx", "shfl.sync.idx.b32 x, x, j, 31, -1;" },
	{ "setp+selp", "setp.lt.u32 p#, x, w; selp.u32 x, w, y, p#;" },
	{ "vote.ballot", "setp.ne.u32 p#, x, y; vote.sync.ballot.b32 x, p#, -1;", "latency/add.u32" },
	{ "redux.add", "redux.sync.add.u32 x, x, -1;" }, { "redux.min", "redux.sync.min.u32 x, x, -1;" },
}
for _, c in ipairs(CHAINS) do
	chain("latency/" .. c[1], c[2], { less = c[3], pre = "and.b32 j, lane, 31;", long = 32 })
end
for _, values in ipairs({ 1, 2, 4, 8, 16, 32 }) do
	chain("latency/match.any", "match.any.sync.b32 t, x, -1; and.b32 t, t, z; or.b32 x, t, k;",
		{ turn = "and.b32 k, lane, a; mov.u32 x, k;", a = values - 1, long = 24, less = "latency/and.b32", less_by = 2 })
	rows[#rows].figure = ("latency/match.any (%d values)"):format(values)
end

-- ---- who reads a comparison ----
-- What the chain's other operation and the issue of a branch that is not taken add is subtracted.
chain("predicate/to guard", "setp.ne.u32 p#, x, z; @p# add.u32 x, x, y;", { long = 32, less = "latency/add.u32" })
chain("predicate/to branch", "setp.eq.u32 p#, x, z; @p# bra OUT; add.u32 x, x, y;",
	{ long = 32, less = "latency/add.u32", less_cycles = 1, tail = "OUT:\n\tst.global.u32 [buf], x;\n\tret;\n" })
-- Three jumps a step, none to the block that follows in the text.
chain("branch/jump", "bra A#; B#: add.u32 i, i, y; bra C#; A#: add.u32 j, j, y; bra B#; C#: add.u32 k, k, y;", { long = 20, operations = 3, short = 4 })

-- ---- loops: the turn of {add, setp, bra} ----
kernel("loop", "\tmov.u32 i, 0;\nAGAIN:\n\tadd.u32 i, i, 1;\n\tsetp.lt.u32 p1, i, n;\n\t@p1 bra AGAIN;\n")
row({ figure = "loop/turn", unit = "cycles", long = "loop", short = "loop", n = 72, less_n = 8, steps = 64 })

-- ---- barriers, fences, warps together ----
for _, warps in ipairs({ 1, 2, 4, 8, 16, 32 }) do
	chain("barrier/bar.sync", "bar.sync 0;", { warps = warps, long = 24 })
	rows[#rows].figure = ("barrier/bar.sync (%d warps)"):format(warps)
end
chain("barrier/bar.warp.sync", "bar.warp.sync -1;")
chain("fence/two stores", "st.volatile.global.u32 [ad], x; st.volatile.global.u32 [ad+128], x;", { pre = "mad.wide.u32 ad, gt, 4, buf;", long = 16, short = 4 })
for _, scope in ipairs({ "cta", "gl", "sys" }) do
	chain("fence/membar." .. scope, "st.volatile.global.u32 [ad], x; membar." .. scope .. "; st.volatile.global.u32 [ad+128], x; membar." .. scope .. ";",
		{ pre = "mad.wide.u32 ad, gt, 4, buf;", long = 16, short = 4 })
	rows[#rows].less, rows[#rows].less_by = "fence/two stores", 1
	rows[#rows].steps = rows[#rows].steps * 2
	rows[#rows].less_by = 0.5
end

-- ---- memory: latencies ----
local SHARED = "mov.u32 sa, sm; mul.lo.u32 i, lane, a; mad.lo.u32 sa, i, 4, sa; st.shared.u32 [sa], sa; bar.sync 0;"
for _, ways in ipairs({ 1, 2, 4, 8, 16, 32 }) do
	chain("shared/ld", "ld.shared.u32 x, [x];", { pre = SHARED, turn = "add.u32 x, sa, z;", shared = 8192, a = ways })
	rows[#rows].figure = ("latency/ld.shared (%d ways)"):format(ways)
end
chain("latency/ld.global L1", "ld.global.u64 l, [l];", { turn = "mad.wide.u32 l, lane, 8, buf;", init = "init_self" })
chain("latency/ld.global L2", "ld.global.cg.u64 l, [l];", { turn = "mad.wide.u32 l, lane, 8, buf;", init = "init_self" })
chain("latency/atom.shared.add", "atom.shared.add.u32 x, [sa], x;", { pre = SHARED, shared = 8192, a = 0, long = 24 })
chain("latency/atom.global.add", "atom.global.add.u32 x, [ad], x;", { pre = "mad.wide.u32 ad, lane, 4, buf;", long = 24 })

-- ---- rates: independent chains of each of 32 warps ----
local RATES = {
	{ "add.u32", "add.u32 r#, r#, y;" }, { "mad.lo.u32", "mad.lo.u32 r#, r#, y, w;" }, { "shl.b32", "shl.b32 r#, r#, z;" },
	{ "min.u32", "min.u32 r#, r#, w;" }, { "bfe.u32", "bfe.u32 r#, r#, z, w;" }, { "brev.b32", "brev.b32 r#, r#;" },
	{ "popc.b32", "popc.b32 r#, r#;" }, { "clz.b32", "clz.b32 r#, r#;" }, { "sad.u32", "sad.u32 r#, r#, y, w;" },
	{ "shfl.idx", "shfl.sync.idx.b32 r#, r#, j, 31, -1;" }, { "vote.any", "vote.sync.any.pred p#, p#, -1;" },
	{ "fma.f32", "fma.rn.f32 v#, v#, g, e;" }, { "fma.f64", "fma.rn.f64 u#, u#, dg, de;" },
	{ "ex2.approx.f32", "ex2.approx.ftz.f32 v#, v#;" }, { "div.u32", "div.u32 r#, w, r#;" }, { "div.rn.f64", "div.rn.f64 u#, de, u#;" },
	{ "cvt.rn.f32.u32", "cvt.rn.f32.u32 v#, r#;" }, { "cvt.f64.f32", "cvt.f64.f32 u#, v#;" }, { "cvt.u32.u8", "cvt.u32.u8 r#, r#;" },
}
-- How a chain's register of each kind gets its first value, and how its last value becomes part of what the kernel stores.
local KINDS = {
	{ register = "r", start = "", stop = "xor.b32 x, x, r#;" },
	{ register = "v", start = "cvt.rn.f32.u32 v#, r#;", stop = "add.f32 f, f, v#;" },
	{ register = "u", start = "cvt.rn.f64.u32 u#, r#;", stop = "add.f64 d, d, u#;" },
	{ register = "p", start = "setp.lt.u32 p#, r#, w;", stop = "selp.u32 t, 1, 0, p#; xor.b32 x, x, t;" },
}
for _, c in ipairs(RATES) do
	local name = word("rate/" .. c[1])
	local start, step, stop = {}, {}, {}
	local width = c[2]:find("u#", 1, true) and 4 or 8 -- registers of 64 bits are short on old machines
	for k = 1, width do
		start[k], stop[k] = ("add.u32 r%d, x, %d; "):format(k, k), ""
		for _, how in ipairs(KINDS) do
			if c[2]:find(how.register .. "#", 1, true) then
				start[k], stop[k] = start[k] .. how.start, stop[k] .. how.stop
			end
		end
		for _, list in ipairs({ start, stop }) do list[k] = indent((list[k]:gsub("#", tostring(k)))) end
		step[k] = indent((c[2]:gsub("#", tostring(k))))
	end
	kernel(name, ("%s\tmov.u32 i, 0;\nAGAIN:\n%s\tadd.u32 i, i, 1;\n\tsetp.lt.u32 p20, i, n;\n\t@p20 bra AGAIN;\n%s"):format("",
		table.concat(step):rep(8), ""), { pre = "and.b32 j, lane, 31; .reg .f32 v<9>; .reg .f64 u<9>;", turn = table.concat(start), turns = 3,
		after = table.concat(stop) })
	row({ figure = "rate/" .. c[1], unit = "results/cycle/SM", long = name, short = name, n = 12, less_n = 4, steps = 8 * 8 * width, rate = true, warps = 32 })
end

local HEAD = [[
// Written by tools/reproduce microbench.
.version 7.8
.target sm_80
.address_size 64
]]
local INIT = [[

.visible .entry init_self(.param .u64 p_out, .param .u64 p_buf, .param .u32 p_n, .param .u32 p_a, .param .u32 p_z)
{
	.reg .u32 i;
	.reg .u64 d;
	mov.u32 i, %tid.x;
	ld.param.u64 d, [p_buf];
	mad.wide.u32 d, i, 8, d;
	st.global.u64 [d], d;
	ret;
}
]]
-- The workload: runs every row and prints, of those whose figure contains the first argument, CSV lines figure,unit,value.
local WORKLOAD = [[
-- Written by tools/reproduce microbench.
local rows = {
%s}
local out, buf = gpu.buffer("u64", 2 * 1024), gpu.buffer("u64", 65536)
local want, known = gpu.args[1] or "", {}

-- Cycles between the first start and the last end of a launch's threads.
local function span(kernel, warps, n, a)
	gpu.launch{ kernel = kernel, grid = 1, block = 32 * warps, args = { out, buf, n, a, 0 } }
	local from, to = math.huge, 0
	for k = 0, 32 * warps - 1 do
		from, to = math.min(from, out:get(2 * k)), math.max(to, out:get(2 * k + 1))
	end
	return to - from
end

for _, r in ipairs(rows) do
	local warps = r.warps or 1
	if r.init then gpu.launch{ kernel = r.init, grid = 1, block = 1024, args = { out, buf, 0, 0, 0 } } end
	local cycles = span(r.long, warps, r.n or 0, r.a or 0) - span(r.short, warps, r.less_n or 0, r.a or 0)
	local value = r.rate and r.steps * warps * 32 / cycles or cycles / r.steps
	if r.less then value = value - known[r.less] * (r.less_by or 1) - (r.less_cycles or 0) end
	known[r.figure] = value
	if r.figure:find(want, 1, true) then print(("%%s,%%s,%%.4g"):format(r.figure, r.unit, value)) end
end
]]

local function literal(v) return type(v) == "string" and ("%q"):format(v) or tostring(v) end
local lines = {}
for k, r in ipairs(rows) do
	local fields = {}
	for name, v in pairs(r) do fields[#fields + 1] = ("%s = %s"):format(name, literal(v)) end
	table.sort(fields)
	lines[k] = ("\t{ %s },\n"):format(table.concat(fields, ", "))
end
return { module = HEAD .. table.concat(kernels) .. INIT, workload = WORKLOAD:format(table.concat(lines)), rows = rows }
