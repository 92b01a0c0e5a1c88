-- C. Saumya, K. Sundararajah and M. Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence
-- Reduction" (CGO 2022): figures 7 to 10 and the tables, for our implementations of the seven programs and
-- for kernels/melding. The paper measured a Vega 20: `exec_mask` on vega20.lua is compared with it, `its` and
-- `ipdom` on turing.lua stand beside. The machines are a fifteenth and a sixth of those, so that inputs which
-- a simulator can run fill them: as many cycles as a machine of full size takes for 15 and 6 times as much.
-- Numbers of the paper: darm-paper.lua. Arguments: source tree, output directory. Run by tools/reproduce;
-- QUICK=1: one machine, smaller inputs, two block sizes; 2: bitonic sort and two synthetic kernels alone.
local top, out = arg[1], arg[2]
local m = dofile(top .. "/tools/measure.lua")(top, out)
local say, record, speed, share, quick = m.say, m.record, m.speed, m.share, m.quick
local paper = dofile(top .. "/tools/darm-paper.lua")

local MACHINES = {
	{ name = "vega20", model = "exec_mask", lanes = 64, options = "-c vega20.lua -D sm.count=4 -D l2.slices=1 -D l2.bytes=262144 -D dram.channels=2" },
	{ name = "turing", model = "its", lanes = 32, options = m.SIXTH_OF_TURING },
	{ name = "turing", model = "ipdom", lanes = 32, options = m.SIXTH_OF_TURING },
}
local PREDICATED = "meld(straight=8)" -- what one arm alone does is executed by all, as the paper's compiler does it in the end
local FORMS = { "none", "meld", "branch-fusion", "tail-merge", PREDICATED }
local PROFIT = "meld(order=profit)" -- the order that the paper names for SRAD, and leaves; where there are branches in arms it may do better
local NESTED = { SRAD = true, SB4 = true, SB4R = true }

-- What runs: `arguments` of a workload for threads of a block. `kernels`: those that count, by Lua patterns
-- of their names; the first that a run has. Merge sort has a fifteenth of the paper's keys, and as many to
-- what L2 holds. It stops at runs of 64: the last launch has 1024 threads then, a wavefront for each SIMD of
-- vega20.lua; from there on launches have fewer and fewer, and the last a single one.
local function square(b) return math.tointeger(b ^ 0.5) end
local keys = quick > 0 and 16384 or 65536
local PROGRAMS = {
	{ name = "BIT", module = "bitonic_sort/bitonic_sort", blocks = { 16, 32, 64, 128, 256, 512, 1024 }, arguments = function(b) return b, keys end },
	{ name = "PCM", module = "pcm/pcm", blocks = { 16, 32, 64, 128, 256, 512, 1024 }, arguments = function(b) return b, keys // 4, 4 end },
	{ name = "MS", module = "merge_sort/merge_sort", blocks = { 16, 32, 64, 128, 256, 512, 1024 }, arguments = function(b) return b, keys, 64 end },
	{ name = "LUD", module = "lu/lu", blocks = { 16, 32, 64, 128 }, kernels = { "^perimeter_%d+$", "^perimeter$" }, before = "unroll",
		arguments = function(b) return b, quick > 0 and 192 or 256 end },
	{ name = "NQU", module = "queens/queens_masks", blocks = { 32, 64, 96, 128, 256 }, arguments = function(b) return b, 11, 4 end },
	{ name = "SRAD", module = "srad/srad", blocks = { 16, 64, 256, 1024 }, kernels = { "^coefficients$" },
		arguments = function(b) return square(b), quick > 0 and 96 or 192, 1 end },
	{ name = "DCT", module = "dct_quantization/dct_quantization", blocks = { 16, 64, 256, 1024 },
		arguments = function(b) return square(b), quick > 0 and 256 or 384 end },
}
for _, m in ipairs { "diamond sb1 sb1r", "if_then sb2 sb2r", "nested sb3 sb3r", "chain sb4 sb4r", "loops loops loops_r", "uneven block_region sequences" } do
	local module = m:match("^%S+")
	for kernel in m:gmatch(" (%S+)") do
		PROGRAMS[#PROGRAMS + 1] = { name = kernel:upper(), module = "melding/" .. module, file = "melding.lua", blocks = { 64 }, suite = true,
			kernels = { "^" .. kernel .. "$" }, arguments = function(b) return b, quick > 0 and 2048 or 8192, 12, kernel end }
	end
end
if quick > 0 then
	MACHINES = { MACHINES[1] }
	local few = {}
	for _, p in ipairs(PROGRAMS) do
		p.blocks = quick == 1 and not p.suite and { p.blocks[2], p.blocks[3] } or { 64 }
		if quick == 1 or p.name == "BIT" or p.name == "SB1R" or p.name == "SB2" then few[#few + 1] = p end
	end
	PROGRAMS = few
end
for _, p in ipairs(PROGRAMS) do
	p.file = ("kernels/%s.%s"):format(p.module, p.suite and "ir" or "ptx")
	p.workload = p.suite and "kernels/melding/melding.lua"
	p.kernels = p.kernels or { "." }
end

-- A program's passes: LUD's loops are unrolled in front, in what it is compared with too.
local function passes(p, list)
	if not p.before then return list end
	return list == "none" and p.before or p.before .. "," .. list
end

local function run(jobs, what)
	m.run(jobs, what, passes)
	for _, j in ipairs(jobs) do
		for _, list in ipairs(j.lists) do
			local counts = j[list].counts
			j[list].melds = (counts["stretches melded"] or 0) + (counts["tails merged"] or 0)
		end
	end
end

local ORDERED = { table.unpack(FORMS) }
ORDERED[#ORDERED + 1] = PROFIT
local jobs, at = {}, {} -- at[machine][program name][block]
for _, machine in ipairs(MACHINES) do
	at[machine] = {}
	for _, p in ipairs(PROGRAMS) do
		at[machine][p.name] = {}
		for _, block in ipairs(p.blocks) do
			local j = { machine = machine, program = p, block = block, lists = NESTED[p.name] and ORDERED or FORMS }
			jobs[#jobs + 1], at[machine][p.name][block] = j, j
		end
	end
end
table.sort(jobs, function(a, b) -- the longest first, as far as one knows
	if a.program.suite ~= b.program.suite then return not a.program.suite end
	return a.block > b.block
end)
run(jobs, "figure 7")

local function number(v) return v and ("%.3f"):format(v) or "-" end

-- What the paper has of a program at a block size, in figure 7: { DARM, branch fusion }; {}: nothing.
local function said(p, block) return p.suite and paper.synthetic[p.name] or (paper.speed[p.name] or {})[block] or {} end

-- The block size at which the baseline is fastest, and the one at which a pass is worth most, by the digits
-- that are shown. Of several that are worth the same, one that the paper has, too, and of those the largest:
-- there a warp can be full.
local function best(machine, p, worth)
	local found, most
	for _, block in ipairs(p.blocks) do
		local j = at[machine][p.name][block]
		local w = worth(j)
		if not found or w > most or w == most and (said(p, block)[1] or not said(p, found.block)[1]) then found, most = j, w end
	end
	return found
end
local function fastest(machine, p) return best(machine, p, function(j) return -j.none.cycles end) end
local function gaining(machine, p) return best(machine, p, function(j) return math.floor(1000 * speed(j, "meld") + 0.5) end) end

-- The geometric mean over programs (without the synthetic ones) and block sizes of what `of` says of each,
-- and of how many it is; nil is left out.
local function mean_of(machine, of)
	local rows = {}
	for _, p in ipairs(PROGRAMS) do
		for _, block in ipairs(p.suite and {} or p.blocks) do
			local x = of(p, at[machine][p.name][block])
			if x then rows[#rows + 1] = x end
		end
	end
	return m.mean(rows, function(x) return x end), #rows
end
-- Of the speed-up, over all rows or those that `only` picks.
local function mean(machine, form, only)
	return mean_of(machine, function(p, j) return (not only or only(machine, p) == j) and speed(j, form) or nil end)
end
-- Over the rows for which the paper has a number: k = 1: DARM, 2: branch fusion.
local function common(machine, form, k)
	local ours, n = mean_of(machine, function(p, j) return said(p, j.block)[k] and speed(j, form) end)
	return ours, mean_of(machine, function(p, j) return said(p, j.block)[k] end), n
end

-- ---- figure 7 ----

say("Speed-up over the program without passes%s; in brackets the paper's, of the artefact's results; +: the block size at which", quick < 2 and
	" (LUD: with its loops unrolled, in all columns)" or "")
say("the program without passes is fastest; predicated: %s; melds: how many stretches of code meld makes of two", PREDICATED)
say("Means are geometric, of the programs from BIT to DCT, without the synthetic kernels: of all rows, of those with +, of those for which the paper has a number")
for _, machine in ipairs(MACHINES) do
	say("\nFigure 7: %s on %s.lua", machine.model, machine.name)
	say("  %-13s %6s   %10s  %15s %15s %11s %11s %6s", "program", "block", "cycles", "meld", "branch-fusion", "tail-merge", "predicated", "melds")
	for _, p in ipairs(PROGRAMS) do
		for _, block in ipairs(p.blocks) do
			local j = at[machine][p.name][block]
			local theirs = machine == MACHINES[1] and said(p, block) or {}
			local function cell(form, k)
				record("7", machine, p.name, block, form, "speed-up", theirs[k], speed(j, form))
				return ("%.3f%s"):format(speed(j, form), theirs[k] and (" (%.3f)"):format(theirs[k]) or "        ")
			end
			record("7", machine, p.name, block, "none", "cycles", nil, j.none.cycles)
			say("  %-13s %6d %s %10d  %15s %15s %11.3f %11.3f %6d", p.name, block, not p.suite and fastest(machine, p) == j and "+" or " ", j.none.cycles,
				cell("meld", 1), cell("branch-fusion", 2), speed(j, "tail-merge"), speed(j, PREDICATED), j.meld.melds)
			for k = 4, 5 do record("7", machine, p.name, block, FORMS[k], "speed-up", nil, speed(j, FORMS[k])) end
		end
	end
	for _, row in ipairs { { "mean" }, { "mean of +", fastest } } do
		local cells, n = {}, 0
		for i = 2, 5 do
			local worth, rows = mean(machine, FORMS[i], row[2])
			cells[i - 1], n = number(worth) .. (i < 4 and "        " or ""), rows
		end
		say("  %-13s %6s   %10s  %15s %15s %11s %11s", row[1], ("of %d"):format(n), "", table.unpack(cells))
	end
	local cells, n = {}, 0
	for k, form in ipairs { "meld", "branch-fusion" } do
		local ours, theirs, rows = common(machine, form, k)
		cells[k], n = ("%.3f (%.3f)"):format(ours, theirs), rows
	end
	if machine == MACHINES[1] and n > 0 then say("  %-13s %6s   %10s  %15s %15s", "mean, both", ("of %d"):format(n), "", table.unpack(cells)) end
	for _, p in ipairs(PROGRAMS) do
		for _, block in ipairs(NESTED[p.name] and p.blocks or {}) do
			local j = at[machine][p.name][block]
			record("7", machine, p.name, block, PROFIT, "speed-up", nil, speed(j, PROFIT))
			say("  %-13s %6d   the branch first that saves most, %s: %.3f, melds %d; the first block's, as above: %.3f, melds %d", p.name, block, PROFIT,
				speed(j, PROFIT), j[PROFIT].melds, speed(j, "meld"), j.meld.melds)
		end
	end
end

-- ---- figures 8 and 9 ----

for _, machine in ipairs(MACHINES) do
	local compared = machine == MACHINES[1]
	say("\nFigures 8 and 9: %s on %s.lua, at the block size at which meld is worth most, of equal ones the largest that the paper has, too: lanes in use",
		machine.model, machine.name)
	say("of all instructions, in percent (paper: of ALU instructions); accesses to shared and global memory in terms of those")
	say("before; sectors asked for, cycles for bank conflicts: before, after meld")
	say("  %-13s %5s  %-14s %-15s %-13s %-12s %-12s %-8s  %-19s %-17s", "program", "block", "lanes", "paper", "shared m, bf", "paper", "global m, bf", "paper",
		"sectors", "conflicts")
	for _, p in ipairs(PROGRAMS) do
		local j = gaining(machine, p)
		local a, b, c = j.none, j.meld, j["branch-fusion"]
		local lanes, shared, global = compared and paper.lanes[p.name], compared and paper.shared[p.name], compared and paper.global[p.name]
		local function pair(f, x, y) return (f .. " " .. f):format(x, y) end
		local function ratio(what) return a[what] > 0 and pair("%.3f", b[what] / a[what], c[what] / a[what]) or "-" end
		say("  %-13s %5d  %-14s %-15s %-13s %-12s %-12s %-8s  %-19s %-17s", p.name, j.block, ("%.1f %.1f %.1f"):format(100 * a.use, 100 * b.use, 100 * c.use),
			lanes and table.concat(lanes, " ") or "-", ratio("shared"), shared and pair("%.3f", shared[1], shared[2]) or "-", ratio("global"),
			global and number(global[1]) or "-", pair("%d", a.sectors, b.sectors), pair("%d", a.conflicts, b.conflicts))
		for i, form in ipairs { "none", "meld", "branch-fusion" } do
			record("8", machine, p.name, j.block, form, "lanes in use", lanes and lanes[i], 100 * j[form].use)
			for _, what in ipairs { "shared", "global", "sectors", "conflicts", "instructions", "divergent", "registers" } do
				record("9", machine, p.name, j.block, form, what, nil, j[form][what])
				local theirs = what == "shared" and shared or what == "global" and global or {}
				if i > 1 and (theirs[i - 1] or (what == "shared" or what == "global") and a[what] > 0) then
					record("9", machine, p.name, j.block, form, what .. " to before", theirs[i - 1], m.share(a[what], j[form][what]))
				end
			end
		end
	end
end

-- ---- figure 10 ----

local machine, sweep, rises = MACHINES[1], {}, {}
local LEVELS = { "none" }
for t = 1, 5 do LEVELS[t + 1] = ("meld(threshold=%d)"):format(10 * t) end
for _, p in ipairs(PROGRAMS) do
	sweep[#sweep + 1] = { machine = machine, program = p, block = gaining(machine, p).block, lists = LEVELS }
end
run(sweep, "figure 10")
say("\nFigure 10: speed-up at thresholds 0.1 to 0.5, as in figures 8 and 9; the paper's; how much is melded")
for _, j in ipairs(sweep) do
	local ours, melds, theirs = {}, {}, paper.threshold[j.program.name]
	for t = 1, 5 do
		ours[t], melds[t] = speed(j, LEVELS[t + 1]), j[LEVELS[t + 1]].melds
		if t > 1 and melds[t] > melds[t - 1] then rises[#rises + 1] = ("%s at %.1f"):format(j.program.name, t / 10) end
		record("10", machine, j.program.name, j.block, LEVELS[t + 1], "speed-up", theirs and theirs[t], ours[t])
		record("10", machine, j.program.name, j.block, LEVELS[t + 1], "melds", nil, melds[t])
	end
	j.speeds = ours
	say("  %-13s %5d  %-30s %-30s %s", j.program.name, j.block, ("%.3f %.3f %.3f %.3f %.3f"):format(table.unpack(ours)),
		theirs and ("%.3f %.3f %.3f %.3f %.3f"):format(table.unpack(theirs)) or "-", table.concat(melds, " "))
end

local show = dofile(top .. "/tools/darm-claims.lua")
local measured = setmetatable({ paper = paper, machines = MACHINES, programs = PROGRAMS, at = at, sweep = sweep, rises = rises, mean = mean, fastest = fastest,
	gaining = gaining, common = common }, { __index = m })
show.table1(measured)
if quick < 2 then show.table2(measured) end
show.laws(measured)
if quick < 2 then show.sayings(measured) end
show.pictures(measured)

m.finish("darm")
