-- Latencies of operations: chains, in which each operation needs the result of the one before it; who reads a result; barriers,
-- fences, and what the lanes of a warp do together.
local CHAINS = {
	{ "add.u32", "add.u32 x, x, y;" }, { "mad.lo.u32", "mad.lo.u32 x, x, y, w;" }, { "mul.lo.u32", "mul.lo.u32 x, x, y;" },
	{ "mul.hi.u32", "mul.hi.u32 x, x, w;" }, { "shl.b32", "shl.b32 x, x, z;" }, { "and.b32", "and.b32 x, x, w;" },
	{ "min.u32", "min.u32 x, x, w;" }, { "bfe.u32", "bfe.u32 x, x, z, w;" }, { "popc.b32", "popc.b32 x, x;" },
	{ "clz.b32", "clz.b32 x, x;" }, { "brev.b32", "brev.b32 x, x;" }, { "sad.u32", "sad.u32 x, x, y, w;" },
	{ "add.u64", "add.u64 l, l, lg;" },
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
	{ "vote.ballot", "setp.ne.u32 p#, x, y; vote.sync.ballot.b32 x, p#, -1;", "latency/add.u32" },
	{ "redux.add", "redux.sync.add.u32 x, x, -1;" }, { "redux.min", "redux.sync.min.u32 x, x, -1;" },
}

-- A result of one kind of unit that another kind reads: the sum of both ways.
local READERS = {
	{ "alu to fma and back", "xor.b32 x, x, w; mad.lo.u32 x, x, y, w;" },
	{ "f32 alu to fma and back", "min.f32 f, f, e; fma.rn.f32 f, f, g, e;" },
}

local OUT = "OUT:\n\tst.global.u32 [buf], x;\n\tret;\n"

-- From a comparison to what its predicate decides. What the chain's other operation and the issue of what does not happen take is
-- subtracted. A branch whose condition differs by thread is surrounded on machines with stacks by instructions that keep lanes
-- together, so that there a condition that is the same in all threads tells the latency.
local function comparisons(bench)
	local chain = bench.chain
	chain("predicate/to selp", "setp.lt.u32 p#, x, w; selp.u32 x, w, y, p#;", { less = "latency/add.u32" })
	chain("predicate/to guard", "setp.ne.u32 p#, x, z; @p# add.u32 x, x, y;", { less = "latency/add.u32" })
	chain("predicate/to guard (false)", "setp.eq.u32 p#, x, z; @p# mov.u32 r1, y; add.u32 x, x, y;",
		{ start = "mov.u32 r1, z;", stop = "xor.b32 x, x, r1;", less = "latency/add.u32", less_cycles = 1 })
	chain("predicate/to branch", "setp.eq.u32 p#, x, z; @p# bra OUT; add.u32 x, x, y;",
		{ less = "latency/add.u32", less_cycles = 1, independent = true, tail = OUT })
	chain("predicate/to branch (uniform)", "setp.eq.u32 p#, k, z; @p# bra OUT; add.u32 k, k, y;",
		{ start = "add.u32 k, n, 5;", stop = "xor.b32 x, x, k;", less = "latency/add.u32", less_cycles = 1, tail = OUT })
	chain("predicate/f64 to guard", "setp.neu.f64 p#, d, de; @p# add.rn.f64 d, d, dg;", { less = "latency/add.f64" })
	for _, between in ipairs { 2, 4, 8, 12, 16 } do
		local fill = {}
		for k = 1, between do fill[k] = ("add.u32 r%d, r%d, y; "):format(k, k) end
		local start, stop = {}, {}
		for k = 1, between do start[k], stop[k] = ("add.u32 r%d, x, %d; "):format(k, k), ("xor.b32 x, x, r%d; "):format(k) end
		chain(("predicate/to branch (%d adds between)"):format(between), "setp.eq.u32 p#, x, z; " .. table.concat(fill) .. "@p# bra OUT; add.u32 x, x, y;",
			{ less = "latency/add.u32", less_cycles = 1, long = 16, short = 4, independent = true, tail = OUT, start = table.concat(start), stop = table.concat(stop) })
	end
end

local function fences(bench)
	local chain, place = bench.chain, "mad.wide.u32 ad, gt, 4, buf;"
	-- As Burtchell and Burtscher measure it: words of two arrays grow, and a fence stands between them. What the loads behind it take
	-- longer is part of what it costs.
	local function update(at) return ("ld.global.u32 t, [ad%s]; add.u32 t, t, y; st.global.u32 [ad%s], t; "):format(at, at) end
	chain("fence/two updates", update("") .. update("+8192"), { pre = place, long = 16, short = 4 })
	for _, scope in ipairs { "cta", "gl", "sys" } do
		local fence = "membar." .. scope .. "; "
		chain("fence/membar." .. scope, update("") .. fence .. update("+8192"), { pre = place, long = 16, short = 4, less = "fence/two updates" })
		chain(("fence/membar.%s (nothing outstanding)"):format(scope), fence, { long = 16, short = 4 })
	end
end

return function(bench)
	local chain = bench.chain
	for _, c in ipairs(CHAINS) do chain("latency/" .. c[1], c[2], { less = c[3], pre = "and.b32 j, lane, 31;" }) end
	for _, values in ipairs { 1, 2, 4, 8, 16, 32 } do
		chain(("latency/match.any (%d values)"):format(values), "match.any.sync.b32 t, x, -1; and.b32 t, t, z; or.b32 x, t, k;",
			{ name = "match.any", turn = "and.b32 k, lane, a;", start = "mov.u32 x, k;", a = values - 1, long = 24, less = "latency/and.b32", less_by = 2 })
		chain(("latency/match.all (%d values)"):format(values), "match.all.sync.b32 t|p1, x, -1; and.b32 t, t, z; or.b32 x, t, k;",
			{ name = "match.all", turn = "and.b32 k, lane, a;", start = "mov.u32 x, k;", a = values - 1, long = 24, less = "latency/and.b32", less_by = 2 })
	end
	for _, r in ipairs(READERS) do chain("readers/" .. r[1], r[2]) end
	comparisons(bench)
	for _, warps in ipairs { 1, 2, 4, 8, 16, 32 } do
		chain(("barrier/bar.sync (%d warps)"):format(warps), "bar.sync 0;", { name = "bar.sync", warps = warps, long = 24 })
	end
	bench.row { figure = "barrier/threads of bar.sync a cycle", unit = "threads/cycle", mode = "slope", upper = "barrier/bar.sync (32 warps)",
		lower = "barrier/bar.sync (16 warps)", steps = 16 }
	chain("barrier/bar.warp.sync", "bar.warp.sync -1;")
	fences(bench)
	chain("barrier/nanosleep 0", "nanosleep.u32 0;", { long = 16, short = 4 })
end
