-- C. Saumya, K. Sundararajah and M. Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction" (CGO 2022): figures 7 to 10 and the
-- tables, for our implementations of the seven programs and for kernels/melding. The paper measured a Vega 20: `exec_mask` on vega20.lua is compared with
-- it, `its` and `ipdom` on turing.lua stand beside. The machines are a fifteenth and a sixth of those, so that inputs which a simulator can
-- run fill them: as many cycles as a machine of full size takes for 15 and 6 times as much. Numbers of the paper: darm-paper.lua. Arguments:
-- source tree, output directory. Run by tools/reproduce; QUICK=1: one machine, smaller inputs, two block sizes;
-- 2: bitonic sort and two synthetic kernels alone.
local top, out = arg[1], arg[2]
local tool, json, plot = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua"), dofile(top .. "/tools/plot.lua")
local paper = dofile(top .. "/tools/darm-paper.lua")
local quick = tonumber(os.getenv("QUICK") or 0)

local TURING = "-c turing.lua -D sm.count=5 -D l2.slices=4 -D l2.bytes=524288 -D dram.channels=2"
local MACHINES = {
	{ name = "vega20", model = "exec_mask", lanes = 64, options = "-c vega20.lua -D sm.count=4 -D l2.slices=1 -D l2.bytes=262144 -D dram.channels=2" },
	{ name = "turing", model = "its", lanes = 32, options = TURING },
	{ name = "turing", model = "ipdom", lanes = 32, options = TURING },
}
local PREDICATED = "meld(straight=8)" -- what one arm alone does is executed by all, as the paper's compiler does it in the end
local FORMS = { "none", "meld", "branch-fusion", "tail-merge", PREDICATED }

-- What runs: `arguments` of a workload for threads of a block. `kernels`: those that count, by Lua patterns of their names; the first that a run has.
-- Merge sort has a fifteenth of the paper's keys, and as many to what L2 holds. It stops at runs of 64: the last launch has 1024 threads then, a
-- wavefront for each SIMD of vega20.lua; from there on launches have fewer and fewer, and the last a single one.
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
	p.workload = p.suite and " -w kernels/melding/melding.lua" or ""
	p.kernels = p.kernels or { "." }
end

-- A program's passes: LUD's loops are unrolled in front, in what it is compared with too.
local function passes(p, list)
	if not p.before then return list end
	return list == "none" and p.before or p.before .. "," .. list
end

-- ---- runs ----

-- Sums over the launches of a run that count.
local SUMMED = { cycles = "cycles", instructions = "warp_instructions", lanes = "thread_instructions", divergent = "divergence.divergent_branches",
	shared = "memory.shared_accesses", loads = "memory.global_loads", stores = "memory.global_stores", sectors = "memory.transactions",
	conflicts = "memory.shared_conflicts", spills = "memory.local_accesses", added = "overhead.warp_instructions", inserted = "inserted.warp_instructions",
	reads = "memory.dram.reads", writes = "memory.dram.writes" }
local function figure(launch, path)
	local v = launch
	for part in path:gmatch("[^.]+") do v = v[part] end
	return v
end
local function sums(p, report)
	local m = { kernel = nil, stalls = {}, melds = 0, registers = 0 }
	for name in pairs(SUMMED) do m[name] = 0 end
	for _, pattern in ipairs(p.kernels) do
		for _, l in ipairs(report.launches) do
			if l.kernel:find(pattern) and (m.kernel or l.kernel) == l.kernel then
				m.kernel = l.kernel
				for name, path in pairs(SUMMED) do m[name] = m[name] + figure(l, path) end
				for name, n in pairs(l.issue.stalls) do m.stalls[name] = (m.stalls[name] or 0) + n end
				m.registers = l.static.registers
			end
		end
		if m.kernel then break end
	end
	assert(m.kernel, p.name .. ": no kernel ran that counts")
	for _, s in ipairs(report.pass_stats) do
		if s["function"] == m.kernel and (s.what == "stretches melded" or s.what == "tails merged") then m.melds = m.melds + s.count end
	end
	m.global = m.loads + m.stores
	m.use = m.lanes / (m.instructions * report.configuration.values.warp_size)
	return m
end

local function command(machine, p, block, lists, report)
	local words = { ("cd %s && gsim -q -j 1 %s --grid -m %s -s %s%s"):format(tool.quote(top), machine.options, machine.model, tool.quote(report), p.workload) }
	for _, list in ipairs(lists) do words[#words + 1] = "-p " .. tool.quote(passes(p, list)) end
	return ("%s %s -- %s"):format(table.concat(words, " "), p.file, table.concat({ p.arguments(block) }, " "))
end

-- Runs every job { machine, program, block, lists } and leaves what came out in job[list].
local function run(jobs, what)
	local commands = {}
	for i, j in ipairs(jobs) do
		j.report = ("%s/run-%d.json"):format(out, i)
		commands[i] = command(j.machine, j.program, j.block, j.lists, j.report)
	end
	tool.progress(("%s: %d commands"):format(what, #jobs))
	tool.all(commands)
	for _, j in ipairs(jobs) do
		for i, r in ipairs(json.read(j.report).runs) do j[j.lists[i]] = sums(j.program, r) end
		os.remove(j.report)
	end
	tool.progress("")
end

local jobs, at = {}, {} -- at[machine][program name][block]
for _, machine in ipairs(MACHINES) do
	at[machine] = {}
	for _, p in ipairs(PROGRAMS) do
		at[machine][p.name] = {}
		for _, block in ipairs(p.blocks) do
			local j = { machine = machine, program = p, block = block, lists = FORMS }
			jobs[#jobs + 1], at[machine][p.name][block] = j, j
		end
	end
end
table.sort(jobs, function(a, b) -- the longest first, as far as one knows
	if a.program.suite ~= b.program.suite then return not a.program.suite end
	return a.block > b.block
end)
run(jobs, "figure 7")

-- ---- what is said ----

local text, csv = {}, { "figure,machine,program,block,passes,what,paper,gsim" }
local function say(s, ...) text[#text + 1] = (select("#", ...) > 0 and s:format(...) or s):gsub(" +$", "") end
local function record(fig, machine, program, block, form, what, theirs, ours)
	csv[#csv + 1] = ("%s,%s %s,%s,%s,%s,%s,%s,%.10g"):format(fig, machine.name, machine.model, program, block, form, what,
		theirs and ("%.10g"):format(theirs) or "", ours)
end
local function speed(j, form) return j.none.cycles / j[form].cycles end
local function number(v) return v and ("%.3f"):format(v) or "-" end
local function share(a, b) return a == 0 and (b == 0 and 1 or math.huge) or b / a end

-- The block size at which the baseline is fastest, and the one at which a pass is worth most.
local function best(machine, p, worth)
	local found
	for _, block in ipairs(p.blocks) do
		local j = at[machine][p.name][block]
		if not found or worth(j) > worth(found) then found = j end
	end
	return found
end
local function fastest(machine, p) return best(machine, p, function(j) return -j.none.cycles end) end
local function gaining(machine, p) return best(machine, p, function(j) return speed(j, "meld") end) end

-- The geometric mean of what `of` says of each program and block size that it says something of.
local function mean(machine, form, only)
	local sum, n = 0, 0
	for _, p in ipairs(PROGRAMS) do
		for _, block in ipairs(p.suite and {} or p.blocks) do
			local j = at[machine][p.name][block]
			if not only or only(machine, p) == j then sum, n = sum + math.log(speed(j, form)), n + 1 end
		end
	end
	return n > 0 and math.exp(sum / n) or 1
end

-- Counters before and after, which explain a miss.
local function counters(j, form)
	local a, b, stalls = j.none, j[form], {}
	for name, n in pairs(a.stalls) do
		if name ~= "no_warp" and n + b.stalls[name] > 0 then stalls[#stalls + 1] = { name, n, b.stalls[name] } end
	end
	table.sort(stalls, function(x, y)
		local dx, dy = math.abs(x[3] - x[2]), math.abs(y[3] - y[2])
		return dx > dy or dx == dy and x[1] < y[1]
	end)
	local function change(what) return ("%d -> %d"):format(a[what], b[what]) end
	local said = {}
	for i = 1, math.min(4, #stalls) do said[i] = ("%s %d -> %d"):format(table.unpack(stalls[i])) end
	return ("cycles %s; warp instructions %s, %d of them the pass's, and %s of lowering; lanes %.1f -> %.1f %%; registers %s"):format(change "cycles",
		change "instructions", b.inserted, change "added", 100 * a.use, 100 * b.use, change "registers"),
		("shared %s, conflicts %s; global %s, local %s, sectors %s; DRAM %d -> %d; stalls: %s"):format(change "shared", change "conflicts", change "global",
			change "spills", change "sectors", a.reads + a.writes, b.reads + b.writes, table.concat(said, ", "))
end

local missed = {}
-- A thing that the paper says: what is found here, whether it agrees, else the counters of job `j` under `form`.
local function claim(name, says, here, agrees, j, form)
	say("  %-6s %s", name, says)
	say("         here: %s: %s", here, agrees and "agrees" or "does not agree")
	if agrees then return end
	missed[#missed + 1] = ("%s %s; here: %s"):format(name, says, here)
	for _, f in ipairs(j and (type(form) == "table" and form or { form or "meld" }) or {}) do
		local issued, memory = counters(j, f)
		say("         %s, %d threads a block, %s: %s", j.program.name, j.block, f, issued)
		say("           %s", memory)
	end
end

-- ---- figure 7 ----

say("Speed-up over the program without passes%s; in brackets the paper's, of the artefact's results; +: the block size at which", quick < 2 and
	" (LUD: with its loops unrolled, in all columns)" or "")
say("the program without passes is fastest; predicated: %s; melds: how many stretches of code meld makes of two", PREDICATED)
for _, machine in ipairs(MACHINES) do
	say("\nFigure 7: %s on %s.lua", machine.model, machine.name)
	say("  %-13s %6s   %10s  %15s %15s %11s %11s %6s", "program", "block", "cycles", "meld", "branch-fusion", "tail-merge", "predicated", "melds")
	for _, p in ipairs(PROGRAMS) do
		for _, block in ipairs(p.blocks) do
			local j = at[machine][p.name][block]
			local theirs = machine == MACHINES[1] and (p.suite and paper.synthetic[p.name] or (paper.speed[p.name] or {})[block]) or {}
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
		local cells = {}
		for i = 2, 5 do cells[i - 1] = number(mean(machine, FORMS[i], row[2])) .. (i < 4 and "        " or "") end
		say("  %-13s %6s   %10s  %15s %15s %11s %11s", row[1], "", "", table.unpack(cells))
	end
end

-- ---- figures 8 and 9 ----

for _, machine in ipairs(MACHINES) do
	local compared = machine == MACHINES[1]
	say("\nFigures 8 and 9: %s on %s.lua, at the block size at which meld is worth most: lanes in use of all instructions, in percent (paper: of ALU", machine.model,
		machine.name)
	say("instructions); accesses to shared and global memory in terms of those before; sectors asked for, cycles for bank conflicts: before, after meld")
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
				local theirs = what == "shared" and shared or what == "global" and global
				record("9", machine, p.name, j.block, form, what, theirs and i > 1 and theirs[i - 1] and theirs[i - 1] * a[what], j[form][what])
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
local measured = { top = top, out = out, tool = tool, plot = plot, paper = paper, machines = MACHINES, programs = PROGRAMS, at = at, sweep = sweep,
	rises = rises, speed = speed, mean = mean, fastest = fastest, gaining = gaining, claim = claim, say = say, record = record, share = share }
show.table1(measured)
if quick < 2 then show.table2(measured) end
show.laws(measured)
if quick < 2 then show.sayings(measured) end
show.pictures(measured)

say("\n%d of what the paper says or the laws ask for missed%s", #missed, #missed > 0 and ":" or "")
for _, m in ipairs(missed) do say("  %s", m) end
tool.write(out .. "/darm.txt", table.concat(text, "\n") .. "\n")
tool.write(out .. "/darm.csv", table.concat(csv, "\n") .. "\n")
print(table.concat(text, "\n"))
print(("text, CSV and SVG are in %s"):format(out))
os.exit(#missed == 0 and 0 or 1)
