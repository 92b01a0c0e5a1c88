-- Memory: latencies of chains of loads and atomic operations, what bank conflicts add, and bandwidths.
local SHARED = "mov.u32 sa, sm; mul.lo.u32 i, lane, a; mad.lo.u32 sa, i, 4, sa; st.volatile.shared.u32 [sa], sa; bar.sync 0;"

local function latencies(bench)
	local chain = bench.chain
	local shared = { pre = SHARED, start = "add.u32 t, t, sa; mov.u32 x, t;", shared = 8192 }
	local function at(a, more)
		local o = { a = a }
		for name, v in pairs(shared) do o[name] = v end
		for name, v in pairs(more or {}) do o[name] = v end
		return o
	end
	for _, ways in ipairs { 1, 2, 4, 8, 16, 32 } do
		chain(("latency/ld.shared (%d ways)"):format(ways), "ld.shared.u32 x, [x];", at(ways, { name = "ld.shared" }))
	end
	chain("readers/alu to address", "ld.shared.u32 x, [x]; xor.b32 x, x, z;", at(1, { less = "latency/ld.shared (1 ways)" }))
	local own = { start = "mad.wide.u32 l, lane, 8, buf;", init = "init_self", init_threads = 32 }
	chain("latency/ld.global L1", "ld.global.u64 l, [l];", own)
	chain("latency/ld.global L2", "ld.global.cg.u64 l, [l];", own)
	-- Every step reads a line that nobody has read; it holds 0.
	local cold = "mad.wide.u32 ad, n, 524288, buf; mad.wide.u32 ad, turn, 163840, ad; mad.wide.u32 ad, lane, 8, ad;"
	bench.kernel("cold_short", bench.times("ld.global.cg.u64 l, [ad+#000]; add.u64 ad, ad, l;", 4):gsub("%+(%d+)000", function(k) return "+" .. 8192 * k end), { start = cold })
	bench.kernel("cold_long", bench.times("ld.global.cg.u64 l, [ad+#000]; add.u64 ad, ad, l;", 16):gsub("%+(%d+)000", function(k) return "+" .. 8192 * k end), { start = cold })
	bench.row { figure = "latency/ld.global DRAM", unit = "cycles", long = "cold_long", short = "cold_short", n = 14, less_n = 15, steps = 12,
		less = "latency/add.u64", cold = true, big = 65536 * 32 }
end

local function atomics(bench)
	local chain = bench.chain
	for _, form in ipairs { { "one lane", 0, 1 }, { "32 lanes on one address", 0, 32 }, { "32 lanes apart", 1, 32 } } do
		chain(("latency/atom.shared.add (%s)"):format(form[1]), "atom.shared.add.u32 x, [sa], x;",
			{ name = "atom.shared.add", pre = SHARED, shared = 8192, a = form[2], threads = form[3], long = 24 })
		chain(("latency/atom.global.add (%s)"):format(form[1]), "atom.global.add.u32 x, [ad], x;",
			{ name = "atom.global.add", pre = "mul.lo.u32 i, lane, a; mad.wide.u32 ad, i, 4, buf;", a = form[2], threads = form[3], long = 24 })
	end
	chain("latency/atom.global.cas (one lane)", "atom.global.cas.b32 x, [buf], x, y;", { threads = 1, long = 24 })
	-- Exchanges whose results nobody needs, of all SMs on one address.
	bench.kernel("one_address", bench.loop(("\tatom.global.exch.b32 t, [buf], x;\n"):rep(4)), { turns = 1 })
	bench.row { figure = "atomics/each on one address (whole chip)", unit = "cycles", mode = "inverse", long = "one_address", blocks = 80, warps = 4, n = 4,
		amount = 128 * 16, slow = true }
end

local function bandwidths(bench)
	local function chains(step, width, start)
		local steps, starts = {}, {}
		for k = 1, width do steps[k], starts[k] = bench.indent((step:gsub("#", k))), (start:gsub("#", k)) end
		return table.concat(steps), table.concat(starts, " ")
	end
	local steps, starts = chains("ld.shared.u32 r#, [r#];", 8, "add.u32 r#, sa, t;")
	bench.kernel("bandwidth_shared", bench.loop(steps:rep(4)), { pre = SHARED, shared = 8192, start = starts, stop = "xor.b32 x, x, r1; xor.b32 x, x, r8;" })
	bench.row { figure = "bandwidth/shared", unit = "B/cycle/SM", mode = "rate", long = "bandwidth_shared", short = "bandwidth_shared", a = 1, n = 12, less_n = 4,
		steps = 8 * 32 * 4, warps = 32 }
	-- Four chains of 64 bits, so that blocks of 32 warps have the registers on old machines, too.
	steps, starts = chains("ld.global.u64 m#, [m#];", 4, "mad.wide.u32 m#, gt, 8, buf;")
	local stop = "cvt.u32.u64 t, m1; xor.b32 x, x, t; cvt.u32.u64 t, m4; xor.b32 x, x, t;"
	bench.kernel("bandwidth_L1", bench.loop(steps:rep(8)), { start = starts, stop = stop })
	bench.row { figure = "bandwidth/L1", unit = "B/cycle/SM", mode = "rate", long = "bandwidth_L1", short = "bandwidth_L1", n = 12, less_n = 4,
		steps = 8 * 32 * 8, warps = 32, init = "init_self" }
	bench.kernel("bandwidth_L2", bench.loop(steps:gsub("global", "global.cg"):rep(4)), { turns = 1, stop = stop,
		start = "and.b32 t, gt, 65535; " .. starts:gsub("gt", "t") })
	bench.row { figure = "bandwidth/L2", unit = "B/cycle", mode = "chip", long = "bandwidth_L2", blocks = 160, warps = 16, n = 4, amount = 512 * 64 * 8,
		init = "init_self", init_blocks = 64, slow = true }
	-- 16 MiB that nobody has read, 16 bytes a thread and step.
	local reads = {}
	for k = 0, 7 do reads[k + 1] = ("\tld.global.cg.v2.u64 {m1, m2}, [ad+%d];\n\tadd.u64 l, l, m1;\n\tadd.u64 l, l, m2;\n"):format(8192 * k) end
	bench.kernel("bandwidth_DRAM", table.concat(reads), { turns = 1, start = "mov.u32 t, %ctaid.x; mad.wide.u32 ad, t, 65536, buf; mad.wide.u32 ad, tid, 16, ad;" })
	bench.row { figure = "bandwidth/DRAM", unit = "B/cycle", mode = "chip", long = "bandwidth_DRAM", blocks = 256, warps = 16, amount = 65536, cold = true,
		big = 65536 * 32, slow = true }
end

return function(bench)
	latencies(bench)
	atomics(bench)
	bandwidths(bench)
end
