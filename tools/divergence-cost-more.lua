-- The rest of Bialas and Strzelecki (2015), for tools/reproduce divergence-cost: Fermi's curves, the loops without preheating and
-- repeated, the detailed timings without a barrier (listing 6), the double loop beside the emulator's prediction (figures 7 and 8), and
-- spills through modelled memory in place of constant costs.
--   dofile(".../divergence-cost-more.lua") { top =, out =, tool =, plot =, note =, oracle = } returns how many statements fail, and by machine what a spill through memory takes.
-- Kernels are written here, since each choice of N_PREHEAT and N_UNROLL is another one: `loop_1_1` is the paper's listing 1 or 2.
local MOST = 31

-- ---- the kernels ----

local LOOP = {
	single = [[
	setp.lt.s32 p1, m, 1;
	@p1 bra END#;
	mov.u32 i, 0;
TURN#:
	.pragma "nounroll";
	add.f32 sum, sum, 0f3FAAA993;
	add.s32 i, i, 1;
	setp.lt.s32 p2, i, m;
	@p2 bra TURN#;
END#:
]],
	double = [[
	setp.lt.s32 p1, m, 1;
	@p1 bra END#;
	mov.u32 i, 0;
TURN#:
	.pragma "nounroll";
	setp.lt.s32 p3, m, 1;
	@p3 bra INNER_END#;
	mov.u32 j, 0;
INNER#:
	.pragma "nounroll";
	add.f32 sum, sum, 0f3FAAA993;
	add.s32 j, j, 1;
	setp.lt.s32 p4, j, m;
	@p4 bra INNER#;
INNER_END#:
	add.f32 sum, sum, 0f401554CA;
	add.s32 i, i, 1;
	setp.lt.s32 p2, i, m;
	@p2 bra TURN#;
END#:
]],
}

local HEAD = [[
.version 7.8
.target sm_75
.address_size 64
]]
local OPEN = [[

.visible .entry %s(.param .u64 p_limits, .param .u64 p_out, .param .u64 p_timer)
{
	.reg .pred p<9>;
	.reg .f32 sum;
	.reg .u32 tid, m, i, j;
	.reg .u64 limits, out, timer, start, stop, at;
	ld.param.u64 limits, [p_limits];
	ld.param.u64 out, [p_out];
	ld.param.u64 timer, [p_timer];
	mov.u32 tid, %%tid.x;
	mad.wide.u32 limits, tid, 4, limits;
	ld.global.u32 m, [limits];
	mad.wide.u32 out, tid, 4, out;
	ld.global.f32 sum, [out];
]]
local CLOSE = [[
	mov.u64 stop, %clock64;
	bar.sync 0;
	st.global.f32 [out], sum;
	mad.wide.u32 timer, tid, 16, timer;
	st.global.u64 [timer], start;
	st.global.u64 [timer+8], stop;
	ret;
}
]]

local function kernel(loop, preheat, unroll)
	local t = { OPEN:format(("%s_%d_%d"):format(loop, preheat, unroll)) }
	for k = 1, preheat do t[#t + 1] = LOOP[loop]:gsub("#", "_HEAT" .. k) end
	t[#t + 1] = "\tbar.sync 0;\n\tmov.u64 start, %clock64;\n"
	for k = 1, unroll do t[#t + 1] = LOOP[loop]:gsub("#", "_" .. k) end
	t[#t + 1] = CLOSE
	return table.concat(t)
end

-- Listing 6: each turn stores what the clock was in the turn before, so that the last reading, too, is the loop's own.
local LISTING_6 = OPEN:format("listing_6") .. LOOP.single:gsub("#", "_HEAT") .. [[
	bar.sync 0;
	mov.u64 start, %clock64;
	mad.wide.u32 timer, tid, 8, timer;
	st.global.u64 [timer], start;
	mov.u64 at, timer;
	setp.lt.s32 p1, m, 1;
	@p1 bra END;
	mov.u32 i, 0;
	mov.u64 stop, %clock64;
TURN:
	.pragma "nounroll";
	add.s32 i, i, 1;
	add.f32 sum, sum, 0f3FAAA993;
	st.global.u64 [at], stop;
	add.u64 at, at, 256;
	mov.u64 stop, %clock64;
	setp.lt.s32 p2, i, m;
	@p2 bra TURN;
END:
	st.global.u64 [timer+8448], stop;
	st.global.f32 [out], sum;
	ret;
}
]]

-- All n of one kernel, each on empty caches; prints n and the cycles that thread 0 saw: between the two readings, or in listing 6 from
-- the loop's second reading to the last.
local WORKLOAD = [[
local kernel = gpu.args[1]
local limits, out, timer = gpu.buffer("s32", 32), gpu.buffer("f32", 32), gpu.buffer("s64", 34 * 32)
for n = 0, 31 do
	for t = 0, 31 do limits:set(t, 32 - math.max(0, t - (31 - n))) end
	gpu.flush()
	gpu.launch { kernel = kernel, grid = 1, block = 32, args = { limits, out, timer } }
	if kernel == "listing_6" then
		print(n, timer:get(33 * 32) - timer:get(32))
	else
		print(n, timer:get(1) - timer:get(0))
	end
end
]]

-- ---- runs ----

return function(x)
	local tool, note, oracle = x.tool, x.note, x.oracle
	local module, workload = x.out .. "/loops.ptx", x.out .. "/loops.lua"
	local failed, csv = 0, { "machine,loop,n_preheat,n_unroll,spills,n,cycles" }

	local text = { HEAD, LISTING_6 }
	for loop in pairs(LOOP) do
		for _, form in ipairs { { 1, 1 }, { 0, 1 }, { 1, 4 } } do text[#text + 1] = kernel(loop, form[1], form[2]) end
	end
	table.sort(text, function(a, b) return a == HEAD and b ~= HEAD or a ~= HEAD and b ~= HEAD and a < b end)
	tool.write(module, table.concat(text))
	tool.write(workload, WORKLOAD)

	-- Cycles by n.
	local function run(machine, name, memory)
		local t = {}
		local printed = tool.capture(("gsim -q -c %s.lua%s -w %s %s -- %s"):format(machine, memory and " -D divergence.spill=memory" or "", tool.quote(workload),
			tool.quote(module), name))
		for n, cycles in printed:gmatch("(%d+)\t(%d+)\n") do t[tonumber(n)] = tonumber(cycles) end
		local loop, preheat, unroll = name:match("^(%a+)_(%d)_(%d)$")
		for n = 0, MOST do
			csv[#csv + 1] = ("%s,%s,%s,%s,%s,%d,%d"):format(machine, loop or name, preheat or 1, unroll or 1, memory and "memory" or "constant", n, t[n])
		end
		return t
	end

	local function holds(what, paper, gsim, good)
		note(what, paper, gsim .. (good and "" or " (does not agree)"))
		if not good then failed = failed + 1 end
	end

	local function all(of)
		for n = 0, MOST do
			if not of(n) then return false end
		end
		return true
	end

	-- The n at which a curve jumps: by more than between n = 0 and 1.
	local function jumps(t)
		local list, slope = {}, t[1] - t[0]
		for n = 1, MOST do
			if t[n] - t[n - 1] > slope then list[#list + 1] = n end
		end
		return table.concat(list, " "), slope
	end

	local function fermi(curves)
		local at, slope = jumps(curves.fermi.single)
		print("fermi (the paper shows its curves, and says that it is slower and its stack seems shorter):")
		note("", "paper", "gsim")
		local function slower(a, b, last)
			for n = 0, last do
				if a.single[n] <= b.single[n] or a.double[n] <= b.double[n] then return false end
			end
			return true
		end
		local fermi_last = slower(curves.fermi, curves.kepler, MOST)
		local kepler_last = slower(curves.kepler, curves.maxwell, 15)
		holds("Fermi takes longer than Kepler, n = 0 to 31", "yes", fermi_last and "yes" or "no", fermi_last)
		holds("Kepler takes longer than Maxwell, n = 0 to 15", "yes", kepler_last and "yes" or "no", kepler_last)
		holds("single loop: first jump at less than n = 16", "yes", "n = " .. at:match("%d+"), tonumber(at:match("%d+")) < 16)
		note("single loop: cycles for a divergent branch; jumps at n =", "-", ("%d; %s"):format(slope, at))
	end

	local function repeated(machine, curves)
		local one, four, cold = curves.single, run(machine, "single_1_4"), run(machine, "single_0_1")
		holds("N_UNROLL = 4: extra cycles, by those of N_UNROLL = 1", "4", "4", all(function(n) return four[n] - four[0] == 4 * (one[n] - one[0]) end))
		local first = cold[0] - one[0]
		holds("N_PREHEAT = 0: more cycles, n = 0 to 31", "yes", ("%d"):format(first), all(function(n) return cold[n] >= one[n] end) and first > 0)
		holds("N_PREHEAT = 0: extra cycles from n = 0 differ by at most", "a few", ("%d"):format(math.abs(cold[MOST] - cold[0] - one[MOST] + one[0])),
			all(function(n) return math.abs(cold[n] - cold[0] - (one[n] - one[0])) <= 8 end))
	end

	local function listing_6(machine)
		local t = run(machine, "listing_6")
		holds("listing 6, no barrier: cycles seen, n = 15 against n = 0", "0", ("%d"):format(t[15] - t[0]), t[15] == t[0])
		note("listing 6, no barrier: the same, n = 31 against n = 15", "not 0", ("%d"):format(t[MOST] - t[15]))
	end

	-- Spills as requests to memory: what a jump costs, warm and cold, and the double loop beside the emulator's prediction.
	local function memory(machine, curves, constant)
		local warm, cold, double = run(machine, "single_1_1", true), run(machine, "single_0_1", true), run(machine, "double_1_1", true)
		local slope = warm[1] - warm[0]
		local function sizes(t)
			local list = {}
			for _, n in ipairs { 16, 20, 24, 28 } do list[#list + 1] = t[n] - t[n - 1] - slope end
			return table.concat(list, " ")
		end
		note("spills through memory: a spill and a reload, cycles", "about " .. constant, sizes(warm))
		note("spills through memory: the same, N_PREHEAT = 0", "more", sizes(cold))
		local predicted, off, most, where = {}, {}, 0, true
		for n = 0, MOST do
			predicted[n] = curves.double[0] + oracle[n]["double_" .. machine .. "_extra"]
			off[n] = double[n] - predicted[n]
			most = math.max(most, math.abs(off[n]))
			where = where and (off[n] == 0 or oracle[n].double_spills > 0)
		end
		note("figure 8: actual and predicted cycles differ by at most", machine == "kepler" and "76 (0.3 %)" or "-",
			("%d (%.1f %%)"):format(most, 100 * most / predicted[MOST]))
		holds("figure 8: they differ where there are spills only", "yes", where and "yes" or "no", where)
		return { predicted = predicted, memory = double, off = off, spill = ("%d"):format(warm[16] - warm[15] - slope) }
	end

	local function points(t)
		local list = {}
		for n = 0, MOST do list[n + 1] = { n, t[n] } end
		return list
	end

	local curves = {}
	for _, machine in ipairs { "fermi", "kepler", "maxwell" } do
		tool.progress(machine .. ", other forms of the loops")
		curves[machine] = { single = run(machine, "single_1_1"), double = run(machine, "double_1_1") }
	end
	tool.progress("")
	fermi(curves)
	local seven, eight, spills = {}, {}, {}
	for k, machine in ipairs { "kepler", "maxwell" } do
		print(machine .. ":")
		repeated(machine, curves[machine])
		listing_6(machine)
		local r = memory(machine, curves[machine], machine == "kepler" and 84 or 176)
		seven[#seven + 1] = { name = machine .. ", spills through memory", points = points(r.memory), style = "points", colour = k }
		seven[#seven + 1] = { name = machine .. ", predicted", points = points(r.predicted), style = "line", colour = k }
		spills[machine] = r.spill
		eight[k] = { name = machine, points = points(r.off), style = "both" }
	end
	local axis = "n, threads with loop limits of their own"
	x.plot.write(x.out .. "/double-predicted.svg", { title = "double loop: cycles, and what the model predicts (figure 7)", x = axis, y = "cycles", series = seven })
	x.plot.write(x.out .. "/double-difference.svg", { title = "double loop: actual less predicted cycles (figure 8)", x = axis, y = "cycles", series = eight })
	for loop, number in pairs { single = 1, double = 2 } do
		local series = {}
		for k, machine in ipairs { "fermi", "kepler", "maxwell" } do
			series[k] = { name = machine, points = points(curves[machine][loop]), style = "both" }
		end
		x.plot.write(("%s/%s-three.svg"):format(x.out, loop), { title = ("%s loop on three generations (figure %d)"):format(loop, number), x = axis, y = "cycles",
			series = series })
	end
	tool.write(x.out .. "/divergence-cost-more.csv", table.concat(csv, "\n") .. "\n")
	return failed, spills
end
