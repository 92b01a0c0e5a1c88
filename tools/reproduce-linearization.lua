-- J. Anantpur and R. Govindarajan, "Taming control divergence in GPUs through control flow linearization" (CC
-- 2014): tables 1 to 4 for kernels in kind beside the paper's, on fermi.lua with immediate post-dominators,
-- and figures 1 and 3. The paper measured a Tesla C2070 of 14 SMs; one SM here, so that small runs fill it
-- and registers decide how many warps there are. Lowered instructions stand for the paper's SASS. Arguments:
-- source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")

local MACHINE = "-c fermi.lua -m ipdom -D sm.count=1"
local CLOCK_MHZ = 1401

-- The paper's tables: PTX instructions, blocks, registers, SASS instructions (before, after, after with
-- optimisations); time in us, instructions, global loads and stores (before, after); instructions of the
-- baseline (before, theirs); of each level.
local KERNELS = {
	{ paper = "hotspot", module = "heat/heat", kernel = "heat", arguments = "48 2 3",
		ptx = { 269, 289, 275 }, bb = { 19, 30, 20 }, reg = { 30, 30 }, sass = { 383, 390 }, time = { 342, 360 },
		instr = { 4.32e6, 4.57e6 }, ld = { 2.92e4, 2.92e4 }, st = { 1.1e4, 1.1e4 }, wu = { 237, 242, 240 },
		levels = { 4.90e6, 4.98e6, 4.88e6, 4.76e6, 4.57e6 } },
	{ paper = "heartwall", module = "tracking/tracking", kernel = "tracking", arguments = "16 4",
		ptx = { 1422, 1442, 1432 }, bb = { 192, 206, 196 }, reg = { 32, 32 }, sass = { 2667, 2681 }, time = { 4.22e4, 4.23e4 },
		instr = { 4.68e8, 4.71e8 }, ld = { 3.21e7, 3.21e7 }, st = { 7.82e6, 7.62e6 }, wu = { 1422, 1452, 1432 },
		levels = { 4.69e8, 4.69e8, 4.69e8, 4.68e8, 4.71e8 } },
	{ paper = "mcx", module = "photons/photons", kernel = "photons_loop", arguments = "600 12 7 128",
		ptx = { 1358, 1447, 1408 }, bb = { 138, 185, 148 }, reg = { 57, 63 }, sass = { 1139, 1252 }, time = { 3.15e6, 3.97e6 },
		instr = { 2.64e10, 3.05e10 }, ld = { 2.48e8, 2.37e8 }, st = { 8.06e7, 6.99e7 },
		levels = { 3.7e10, 3.36e10, 3.26e10, 3.18e10, 3.05e10 } },
	{ paper = "mum", module = "suffix_tree/suffix_tree", kernel = "suffix_tree", arguments = "1000 2000 40 4 128",
		ptx = { 232, 259, 256 }, bb = { 37, 51, 47 }, reg = { 22, 32 }, sass = { 202, 226 }, time = { 2242, 2224 },
		instr = { 7.80e6, 6.43e6 }, ld = { 1.69e5, 8.76e4 }, st = { 5.99e4, 1.87e4 },
		levels = { 6.90e6, 6.66e6, 6.66e6, 6.60e6, 6.43e6 } },
	{ paper = "nqueen", module = "queens/queens", kernel = "queens", arguments = "",
		ptx = { 164, 175, 169 }, bb = { 30, 37, 31 }, reg = { 16, 18 }, sass = { 145, 148 }, time = { 112, 110 },
		instr = { 5.94e4, 5.96e4 }, ld = { 3, 3 }, st = { 256, 256 }, levels = { 6.01e4, 6.05e4, 6.05e4, 6.03e4, 5.96e4 } },
	{ paper = "particlefilter", module = "particle_filter/particle_filter", kernel = "resample", arguments = "512 2",
		ptx = { 52, 63, 54 }, bb = { 10, 17, 10 }, reg = { 13, 13 }, sass = { 52, 51 }, time = { 187, 205 },
		instr = { 1.02e5, 1.49e5 }, ld = { 1.85e4, 1.85e4 }, st = { 64, 64 }, wu = { 54, 78, 62 },
		levels = { 1.77e5, 2.14e5, 1.86e5, 1.68e5, 1.49e5 } },
	{ paper = "ray", module = "ray_tracer/ray_tracer", kernel = "ray_tracer", arguments = "40",
		ptx = { 780, 869, 805 }, bb = { 84, 148, 90 }, reg = { 43, 50 }, sass = { 933, 966 }, time = { 163, 173 },
		instr = { 1.82e6, 1.89e6 }, ld = { 2048, 2048 }, st = { 4096, 4096 }, levels = { 2.50e6, 2.16e6, 2.13e6, 2.09e6, 1.89e6 } },
}

local passes = tool.capture("gsim-opt --list")
-- Has the pass of this build an option?
local function option(pass, name)
	local mine = false
	for line in passes:gmatch("[^\n]+") do
		mine = line:match("^%S") and line:match("^%S+") == pass or mine and line:match("^%s")
		if mine and line:match("^%s+(%S+)") == name then return true end
	end
end
local baseline = passes:find("structurize", 1, true) and "structurize"

-- ---- static sizes ----

-- Instructions and blocks of one function of a module in the IR's text.
local function size(path, kernel, list)
	local text = tool.capture(("gsim-opt -p %s %s"):format(tool.quote(list), tool.quote(path)))
	local body = assert(text:match("\n%a+ `?" .. kernel .. "`?%b()[^\n]*\n?{\n(.-)\n}"), "no " .. kernel .. " in " .. path)
	local instructions, blocks = 0, 0
	for line in body:gmatch("[^\n]+") do
		if line:find("^%S") then
			blocks = blocks + 1
		elseif not line:find("^%s+reg ") and not line:find("^%s+shared ") and not line:find("^%s+local ") then
			instructions = instructions + 1
		end
	end
	return { instructions = instructions, blocks = blocks }
end

-- What the baseline makes of it; false where it stays as it was: barriers would be copied, or it would grow
-- too much.
local function copied(path, kernel, list)
	local remarks = tool.capture(("gsim-opt --remarks --filter %s -o /dev/null -p %s %s 2>&1"):format(kernel, tool.quote(list), tool.quote(path)))
	return not remarks:find("stays unstructured", 1, true) and size(path, kernel, list)
end

-- ---- runs ----

local report = out .. "/run.json"
local function run(module, kernel, arguments, list, more)
	tool.capture(("cd %s && gsim -q %s %s -p %s -s %s kernels/%s -- %s"):format(tool.quote(top), MACHINE, more or "", tool.quote(list),
		tool.quote(report), module, arguments))
	local m = { cycles = 0, instr = 0, ld = 0, st = 0, spill = 0, depth = 0, blocks = {} }
	for _, l in ipairs(json.read(report).launches) do
		if l.kernel == kernel then
			m.cycles, m.instr = m.cycles + l.cycles, m.instr + l.warp_instructions
			m.ld, m.st, m.spill = m.ld + l.memory.global_loads, m.st + l.memory.global_stores, m.spill + l.memory.local_accesses
			m.depth = math.max(m.depth, l.divergence.max_depth)
			m.registers, m.occupancy, m.lowered = l.static.registers, l.static.occupancy, l.static.instructions
			for _, b in ipairs(l.blocks) do
				if b.kind ~= "inserted" then m.blocks[b.label] = (m.blocks[b.label] or 0) + b.fetches end
			end
		end
	end
	return m
end

local LEVELS = { [0] = "linearize(opt=0)", "linearize(opt=1)", "linearize(opt=2)", "linearize(opt=3)", "linearize(opt=4)" }
for _, k in ipairs(KERNELS) do
	local path = ("%s/kernels/%s.ptx"):format(top, k.module)
	k.size = { size(path, k.kernel, "none"), size(path, k.kernel, LEVELS[0]), size(path, k.kernel, LEVELS[4]) }
	k.baseline = baseline and copied(path, k.kernel, baseline)
	tool.progress(k.kernel)
	k.before, k.level = run(k.module .. ".ptx", k.kernel, k.arguments, "none"), {}
	for level = 0, 4 do
		tool.progress(("%s, opt = %d"):format(k.kernel, level))
		k.level[level] = run(k.module .. ".ptx", k.kernel, k.arguments, LEVELS[level])
	end
	k.after = k.level[4]
end
tool.progress("")

-- ---- tables ----

local text, csv = {}, { "table,kernel,paper_kernel,what,paper,gsim" }
local function say(s, ...) text[#text + 1] = select("#", ...) > 0 and s:format(...) or s end
local function number(v)
	if not v then return "-" end
	if v >= 1e5 then return (("%.3g"):format(v):gsub("e%+0*", "e")) end
	return v == math.floor(v) and ("%d"):format(v) or ("%.1f"):format(v)
end
local function percent(a, b) return a == b and 0 or 100 * (b / a - 1) end
local function change(a, b) return ("%+.1f %%"):format(percent(a, b)) end
local function list(values)
	local t = {}
	for i, v in ipairs(values) do t[i] = number(v) end
	return table.concat(t, " ")
end
local function record(t, k, what, paper, gsim)
	for i, v in ipairs(gsim) do
		local p = paper and paper[i]
		csv[#csv + 1] = ("%s,%s,%s,%s,%s,%s"):format(t, k.kernel, k.paper, what:format(i), p and ("%.10g"):format(p) or "",
			v and ("%.10g"):format(v) or "")
	end
end

-- A table: for each kernel, for each column, what the paper has and what gsim measures.
local function show(name, title, columns)
	say("\nTable %s: %s; the paper's kernel and numbers, then gsim's", name, title)
	local rows, width = { { "kernel" } }, {}
	for i, c in ipairs(columns) do rows[1][i + 1] = c.title end
	for _, k in ipairs(KERNELS) do
		local theirs, ours = { k.paper }, { "  " .. k.kernel }
		for i, c in ipairs(columns) do
			local paper, gsim = c.paper(k), c.gsim(k)
			theirs[i + 1], ours[i + 1] = paper and list(paper) or "-", gsim and list(gsim) or "-"
			if c.change and paper then theirs[i + 1] = theirs[i + 1] .. "  " .. change(paper[1], paper[#paper]) end
			if c.change and gsim then ours[i + 1] = ours[i + 1] .. "  " .. change(gsim[1], gsim[#gsim]) end
			if gsim then record(name, k, c.title .. " (%d)", paper, gsim) end
		end
		rows[#rows + 1], rows[#rows + 2] = theirs, ours
	end
	for _, r in ipairs(rows) do
		for i, cell in ipairs(r) do width[i] = math.max(width[i] or 0, #cell) end
	end
	for _, r in ipairs(rows) do
		local line = {}
		for i, cell in ipairs(r) do line[i] = cell .. (" "):rep(width[i] - #cell) end
		say((table.concat(line, "   "):gsub(" +$", "")))
	end
end

local function us(m) return m.cycles / CLOCK_MHZ end
local function both(field) return function(k) return { k.before[field], k.after[field] } end end
show("1", "sizes (before, after, after with optimisations)", {
	{ title = "PTX", change = true, paper = function(k) return k.ptx end,
		gsim = function(k) return { k.size[1].instructions, k.size[2].instructions, k.size[3].instructions } end },
	{ title = "BB", change = true, paper = function(k) return k.bb end,
		gsim = function(k) return { k.size[1].blocks, k.size[2].blocks, k.size[3].blocks } end },
	{ title = "Reg", paper = function(k) return k.reg end, gsim = both "registers" },
	{ title = "SASS", change = true, paper = function(k) return k.sass end, gsim = both "lowered" },
})
say("\nOccupancy, and accesses to local memory, which are spills but for an array of queens; the paper says of mum 0.833 to 0.667, of mcx")
say("that it spills after")
for _, k in ipairs(KERNELS) do
	say("  %-12s registers %d to %d   occupancy %.3f to %.3f   accesses to local memory %s to %s", k.kernel, k.before.registers,
		k.after.registers, k.before.occupancy, k.after.occupancy, number(k.before.spill), number(k.after.spill))
	record("1", k, "occupancy (%d)", nil, { k.before.occupancy, k.after.occupancy })
	record("1", k, "local accesses (%d)", nil, { k.before.spill, k.after.spill })
end
show("2", "runs (before, after with optimisations)", {
	{ title = "time in us", change = true, paper = function(k) return k.time end, gsim = function(k) return { us(k.before), us(k.after) } end },
	{ title = "instructions", change = true, paper = function(k) return k.instr end, gsim = both "instr" },
	{ title = "global loads", change = true, paper = function(k) return k.ld end, gsim = both "ld" },
	{ title = "global stores", change = true, paper = function(k) return k.st end, gsim = both "st" },
})
show("3", "PTX instructions: before, baseline of Zhang and Wu, linearized" .. (baseline and " (-: barriers would be copied)" or " (this build has no baseline)"), {
	{ title = "orig Wu linear", paper = function(k) return k.wu end, gsim = function(k)
		return { k.size[1].instructions, (k.baseline or {}).instructions or false, k.size[3].instructions }
	end },
})
show("4", "instructions executed: before, after, with O1, O2, O3, O4", {
	{ title = "orig after O1 O2 O3 O4", paper = function(k)
		return { k.instr[1], table.unpack(k.levels) }
	end, gsim = function(k)
		local t = { k.before.instr }
		for level = 0, 4 do t[level + 2] = k.level[level].instr end
		return t
	end },
})

-- Section 5.1: loads of both sides of a branch, in cycles on warm caches. The paper gives no numbers.
local chases = {}
if option("linearize", "interleave") then
	say("\nBranch interleaving: cycles as it is, interleaved, with blocks split behind loads")
	for _, k in ipairs { { "figure2a", "linearization/figure2a.ir", "1 1", "-w kernels/linearization/figures.lua" }, { "two_chases", "two_chases/two_chases.ir", "", "" } } do
		local row = {}
		for i, list in ipairs { "none", "linearize(interleave=1)", "linearize(interleave=1,split-loads=1)" } do
			row[i] = run(k[2], k[1], k[3], list, k[4] .. " -D launch.warm=true").cycles
		end
		say("  %-12s %7d %7d %7d  %s", k[1], row[1], row[2], row[3], change(row[1], row[3]))
		record("interleaving", { kernel = k[1], paper = "" }, "cycles (%d)", nil, row)
		chases[k[1]] = row
	end
end

-- Short circuits one behind the other, as figure 1, n times: what guards cost, and copies.
local function ladder(n)
	local b = { "kernel ladder(u64 out)\n{\n\treg u32 %t\n\treg u64 %a\n\treg pred %p\nstart:\n\t%t = mov.u32 %tid.x\n\tbra A1\n" }
	local function block(name, ...) b[#b + 1] = name .. ":\n\t%t = mad.lo.u32 %t, 5, 7\n" .. table.concat({ ... }, "\n") .. "\n" end
	for i = 1, n do
		local next, test = i < n and "A" .. i + 1 or "last", "\t%p = setp.lt.u32 %t, 1000000000\n\tbra %p, "
		block("A" .. i, test .. ("C%d, B%d"):format(i, i))
		block("B" .. i, test .. ("C%d, E%d"):format(i, i))
		block("C" .. i, test .. ("D%d, E%d"):format(i, i))
		block("D" .. i, "\tbra F" .. i)
		block("E" .. i, test .. ("F%d, %s"):format(i, i < n and "C" .. i + 1 or "last"))
		block("F" .. i, "\tbra " .. next)
	end
	b[#b + 1] = "last:\n\t%a = ld.param.u64 [out]\n\tst.global.u32 [%a], %t\n\texit\n}\n"
	return table.concat(b)
end
say("\nShort circuits in a chain, each with a jump into the next: IR instructions")
say("  %4s %8s %11s %9s", "n", "before", "linearized", "baseline")
local path, steps = out .. "/ladder.ir", {}
for _, n in ipairs { 1, 2, 3, 4, 6, 8 } do
	tool.write(path, ladder(n))
	local copies = baseline and copied(path, "ladder", baseline .. "(growth=30000)")
	local row = { size(path, "ladder", "none").instructions, size(path, "ladder", "linearize").instructions, copies and copies.instructions }
	say("  %4d %8d %11d %9s", n, row[1], row[2], row[3] and ("%d"):format(row[3]) or baseline and "> 30000 %" or "-")
	steps[#steps + 1] = { n, row[2] }
	record("ladder", { kernel = "ladder", paper = "" }, n .. " (%d)", nil, row)
end

-- ---- targets ----

local missed = 0
local function target(name, what, measured, low, high, cause, unit)
	local met = measured >= low and measured <= high
	if not met then missed = missed + 1 end
	say("  %-5s %-46s %9.1f%s  within %g to %g: %s", name, what, measured, unit or " %", low, high, met and "met" or "missed: " .. cause)
	csv[#csv + 1] = ("%s,,,%s,%g to %g,%.10g"):format(name, what:gsub(",", ";"), low, high, measured)
end
local by = {}
for _, k in ipairs(KERNELS) do by[k.paper] = k end

say("\nTargets")
local figures = "-w kernels/linearization/figures.lua"
local function figure(name, conditions, list)
	return run("linearization/" .. name .. ".ir", name, conditions, list, figures)
end
local f1, f1_after = figure("figure1", "1 64", "none"), figure("figure1", "1 64", "linearize")
local function fetches(m) return ("B3 %.2f, B5 %.2f"):format(m.blocks.B3 / 64, m.blocks.B5 / 64) end
target("T-L1", "figure 1, 64 warps, random: instructions", percent(f1.instr, f1_after.instr), -100, 0, "they do not fall")
say("        fetches of a block by a warp: %s before, %s after", fetches(f1), fetches(f1_after))
local mum = by.mum
target("T-L1", "suffix_tree (mum): instructions", percent(mum.before.instr, mum.after.instr), -25, -10, "see Table 2")
target("T-L1", "suffix_tree (mum): global loads", percent(mum.before.ld, mum.after.ld), -60, -30, "see Table 2")
target("T-L1", "suffix_tree (mum): global stores", percent(mum.before.st, mum.after.st), -75, -40, "see Table 2")
target("T-L2", "heat (hotspot): instructions", percent(by.hotspot.before.instr, by.hotspot.after.instr), 0, 10, "see Table 4")
for _, k in ipairs(KERNELS) do
	local a, b = k.size[1], k.size[3]
	target("T-L3", k.kernel .. ": PTX instructions", percent(a.instructions, b.instructions), 0, 10,
		("%d more in a kernel of %d, for %d blocks more; the paper's has %d"):format(b.instructions - a.instructions, a.instructions,
			b.blocks - a.blocks, k.ptx[1]))
	target("T-L3", k.kernel .. ": blocks", percent(a.blocks, b.blocks), -100, 27,
		("%d of %d blocks are guards or take back edges"):format(b.blocks - a.blocks, b.blocks))
end

local least, most = math.huge, 0
for i = 2, #steps do
	local slope = (steps[i][2] - steps[i - 1][2]) / (steps[i][1] - steps[i - 1][1])
	least, most = math.min(least, slope), math.max(most, slope)
end
target("T-L3", "chain, linearized: one link more costs as much", percent(least, most), 0, 1, "it grows faster than linearly")

local depth = option("linearize", "depth")
local f3 = figure("figure3", "paper 1", "none")
local f3_after = figure("figure3", "paper 1", depth and "linearize(depth=3)" or "linearize")
target("T-L4", "figure 3: entries of the stack before", f3.depth, 7, 7, "other than in the paper", "  ")
target("T-L4", "figure 3: entries of the stack after", f3_after.depth, 1, 3, depth and "see figure 3" or
	"the graph is structured and this build's pass has no bound for the depth", "  ")
for _, name in ipairs { "figure2a", "two_chases" } do
	local row = chases[name]
	if row then target("5.1", name .. ": cycles, interleaved and split", percent(row[1], row[3]), -100, -5, "loads of both sides do not overlap") end
end
say("%d targets missed", missed)

os.remove(report)
os.remove(path)
tool.write(out .. "/linearization.txt", table.concat(text, "\n") .. "\n")
tool.write(out .. "/linearization.csv", table.concat(csv, "\n") .. "\n")
print(table.concat(text, "\n"))
print(("text and CSV are in %s"):format(out))
os.exit(missed == 0 and 0 or 1)
