-- J. Fukuhara, "Compiler Optimization for GPU Based on Code Motion" (thesis, 2023), chapter 4.3: figures 4.14
-- to 4.17 (Rodinia and Treelogy) and 4.19 and 4.20 (two access patterns) for kernels in kind. Its environment
-- 1 was a TITAN Black: `ipdom` on titan_black.lua; environment 2 a TITAN RTX: `its` on titan_rtx.lua, and
-- `ipdom` beside. Machines are small parts of these cards. Numbers of the thesis: code-motion-paper.lua; what
-- it says in words: queries-claims.lua. Arguments: source tree, output directory. Run by tools/reproduce;
-- QUICK=1: one machine, smaller inputs; 2: few kernels alone.
local top, out = arg[1], arg[2]
local m = dofile(top .. "/tools/measure.lua")(top, out)
local say, record, speed, quick = m.say, m.record, m.speed, m.quick
local paper = dofile(top .. "/tools/code-motion-paper.lua")
local set = dofile(top .. "/tools/thesis-kernels.lua")(m)

-- The thesis' passes, of which those run that this build has, with the options of these that each has: the
-- thesis takes no notice of arrays that overlap, indices that wrap, and loads that fault.
local PASSES = { "preqp", "srqp", "esrqp", "ssrqp-s", "ssrqp" }
local OPTIONS = { "assume-restrict", "assume-no-wrap", "nonfaulting" }
local known, pipeline, forms = m.options(), { O3 = set.around("") }, {}
for _, pass in ipairs(PASSES) do
	if known[pass] then
		local chosen = m.each(OPTIONS, function(option) return known[pass][option] and option .. "=1" or nil end)
		forms[#forms + 1] = pass
		pipeline[pass] = set.around(#chosen > 0 and ("%s(%s)"):format(pass, table.concat(chosen, ",")) or pass)
	end
end
local LISTS = { "O3", table.unpack(forms) }

local MACHINES, PROGRAMS = set.machines, set.queries
table.insert(PROGRAMS, 1, set.figure)
if quick > 0 then MACHINES = { MACHINES[1] } end
if quick > 1 then PROGRAMS = m.named(PROGRAMS, m.set "figure stencil_1d_strided stencil_1d_contiguous sobel_strided sobel_contiguous boxes") end

local at = m.measure(MACHINES, PROGRAMS, LISTS, "figures 4.14 to 4.20", function(_, form) return pipeline[form] end)
local tables = m.tables(PROGRAMS, at)

-- ---- figures 4.14 to 4.20 ----

say("Kernels in kind; O3: what nvcc made, after %s, which stand around each pass, too; the passes:", set.around(""))
for _, form in ipairs(forms) do say("  %s", pipeline[form]) end
for _, machine in ipairs(MACHINES) do
	local theirs = machine.environment and paper.queries[machine.environment] or {}
	say("\nFigure %s: %s on %s.lua: cycles of O3, speed-up over it%s", machine.environment == 2 and "4.15 and 4.17" or "4.14 and 4.16", machine.model, machine.name,
		machine.environment and "; in brackets the thesis', where its text has a number" or "")
	tables.speeds(machine, "4.14", forms, function(p, form) return (theirs[p.name] or {})[form] end)
	tables.counters(machine, "4.14", forms, { "issued", "lanes", "loads", "sectors" })
	tables.registers(machine, "4.14", forms)
	say("\nloads for each store, of a warp: in the kernels with two patterns, those of a turn")
	local function ratio(j, form) return ("%.2f"):format(j[form].loads / j[form].stores) end
	tables.write(machine, forms, function(j) return ratio(j, "O3") end, ratio)
	say("\nloads that do not fault, of a warp, and lanes of these that got 0 as there is nothing at their address")
	tables.write(machine, forms, function() return "" end, function(j, form, p)
		record("4.14", machine, p.name, j.block, form, "lanes that got 0", nil, j[form].zeros)
		return j[form].unfaulting > 0 and ("%d %d"):format(j[form].unfaulting, j[form].zeros) or "-"
	end)
end
say("\nLoads removed and inserted by each pass, copies between turns")
tables.write(MACHINES[1], forms, function() return "" end, function(j, form, p)
	local c = j[form].counts
	for _, what in ipairs { "loads removed", "loads inserted", "copies between turns" } do record("4.14", MACHINES[1], p.name, j.block, form, what, nil, c[what] or 0) end
	return ("%d %d %d"):format(c["loads removed"] or 0, c["loads inserted"] or 0, c["copies between turns"] or 0)
end)

-- ---- figures 4.19 and 4.20 ----

for _, machine in ipairs(MACHINES) do
	say("\nFigure %s: %s on %s.lua: speed-up over O3 with accesses that lie side by side, and in brackets the thesis'", machine.environment == 2 and "4.20" or "4.19",
		machine.model, machine.name)
	for _, name in ipairs(set.patterns) do
		local side, apart = at[machine][name .. "_strided"], at[machine][name .. "_contiguous"]
		local theirs, cells = machine.environment and paper.patterns[machine.environment][name] or {}, {}
		for _, form in ipairs(side and LISTS or {}) do
			local ours, said = side.O3.cycles / apart[form].cycles, theirs[form == "O3" and "none" or form]
			record("4.19", machine, name, apart.block, form, "speed-up", said, ours)
			cells[#cells + 1] = ("%s %.3f%s"):format(form, ours, said and (" (%.2f)"):format(said) or "")
		end
		if side then say("  %-12s sectors %d, apart %d; apart: %s", name, side.O3.sectors, apart.O3.sectors, table.concat(cells, ", ")) end
	end
end

local measured = setmetatable({ paper = paper, machines = MACHINES, programs = PROGRAMS, at = at, forms = forms, set = set }, { __index = m })
local show = dofile(top .. "/tools/queries-claims.lua")
show.laws(measured)
if quick < 2 then show.sayings(measured) end
show.pictures(measured)
m.finish("queries")
