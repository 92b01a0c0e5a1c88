-- J. Fukuhara, "Code Motion for GPU Programs" (thesis, 2023), chapter 4.2: figure 4.7 for kernels in kind, what code motion does to each of kernels/ that the
-- thesis has one of, and experiment B (figure 4.8). The thesis measured a TITAN Black (its environment 1): `ipdom` on titan_black.lua is compared with it;
-- `its` and `ipdom` on titan_rtx.lua (its environment 2) stand beside. Machines are small parts of these cards. Numbers of the thesis:
-- code-motion-paper.lua; what it says in words: code-motion-claims.lua. Arguments: source tree, output directory. Run by tools/reproduce; QUICK=1: one
-- machine, smaller inputs; 2: few kernels alone.
local top, out = arg[1], arg[2]
local m = dofile(top .. "/tools/measure.lua")(top, out)
local say, record, speed, quick = m.say, m.record, m.speed, m.quick
local paper = dofile(top .. "/tools/code-motion-paper.lua")
local set = dofile(top .. "/tools/thesis-kernels.lua")(m)

local MACHINES = set.machines
-- What nvcc made is the thesis' O3. Code motion leaves moves behind that its compiler's back end took out; gsim has none, so that `O3` is that program after
-- the clean-ups that stand around each pass, too. `none` is the program as nvcc made it.
local FORMS = { "O3", "none", "pre", "lcm", "spre", "scm", "sscm", "sscm(arms=1)", "sscm(nonfaulting=1,assume-restrict=1)" }
local MAIN = { "pre", "lcm", "spre", "scm", "sscm", "sscm(arms=1)" }
local SHORT = { ["sscm(arms=1)"] = "sscm arms", ["sscm(nonfaulting=1,assume-restrict=1)"] = "sscm loads" }
local function short(form) return SHORT[form] or form end
local function passes(_, form)
	return form == "none" and "none" or form == "O3" and set.around("") or set.around(form)
end

local PROGRAMS = set.motion
if quick > 0 then MACHINES = { MACHINES[1] } end
if quick > 1 then PROGRAMS = m.named(PROGRAMS, { differences = true, histogram = true, saturating_histogram = true, several_intervals = true }) end

local jobs, at = {}, {} -- at[machine][program name]
for _, machine in ipairs(MACHINES) do
	at[machine] = {}
	for _, p in ipairs(PROGRAMS) do
		local j = { machine = machine, program = p, block = p.block, lists = FORMS }
		jobs[#jobs + 1], at[machine][p.name] = j, j
	end
end
table.sort(jobs, function(a, b) return (a.program.long or 0) > (b.program.long or 0) end)
m.run(jobs, "figure 4.7", passes)

local function change(a, b) return a == b and "=" or ("%+.1f %%"):format(100 * (b / a - 1)) end
local function row(name, first, cells) say("  %-19s %10s " .. (" %10s"):rep(#cells), name, first, table.unpack(cells)) end
local function head(name, first, forms)
	local cells = {}
	for i, form in ipairs(forms) do cells[i] = short(form) end
	row(name, first, cells)
end

-- A table of what `of` says of a job and form; `first` what stands in front of it.
local function tabulate(machine, forms, first, of)
	for _, p in ipairs(PROGRAMS) do
		local j, cells = at[machine][p.name], {}
		for i, form in ipairs(forms) do cells[i] = of(j, form, p) end
		row(p.name, first(j), cells)
	end
end
local function number(what) return function(j) return ("%d"):format(j.O3[what]) end end

-- ---- figure 4.7 ----

say("Kernels in kind; O3: what nvcc made, after %s, which stand around each pass, too; none: without these;", set.around(""))
say("sscm arms: sscm(arms=1), as in the thesis; sscm loads: %s", FORMS[#FORMS])
for _, machine in ipairs(MACHINES) do
	local compared = machine == MACHINES[1]
	say("\nFigure 4.7: %s on %s.lua: cycles of O3, speed-up over it%s", machine.model, machine.name, compared and "; in brackets the thesis', where its text has a number" or "")
	local all = { "none", table.unpack(FORMS, 3) }
	head("kernel", "O3", all)
	tabulate(machine, all, number "cycles", function(j, form, p)
		local theirs = compared and (paper.motion[p.name] or {})[form]
		record("4.7", machine, p.name, j.block, form, "speed-up", theirs, speed(j, form))
		return ("%.3f%s"):format(speed(j, form), theirs and ("(%.2f)"):format(theirs) or "      ")
	end)
	row("mean", "", m.each(all, function(form) return ("%.3f      "):format(m.mean(PROGRAMS, function(p) return speed(at[machine][p.name], form) end)) end))
	for _, what in ipairs { "instructions", "lanes", "loads", "sectors" } do
		local title = { instructions = "warp instructions", lanes = "thread instructions", loads = "global loads", sectors = "sectors asked for" }
		say("\n%s: of O3, and the change", title[what])
		head("kernel", "O3", MAIN)
		tabulate(machine, MAIN, number(what), function(j, form, p)
			record("4.7", machine, p.name, j.block, form, what, nil, j[form][what])
			return change(j.O3[what], j[form][what])
		end)
	end
	say("\nregisters, and blocks resident by the limit on warps (occupancy) where that changes")
	head("kernel", "O3", MAIN)
	tabulate(machine, MAIN, function(j) return ("%d %.2f"):format(j.O3.registers, j.O3.occupancy) end, function(j, form, p)
		record("4.7", machine, p.name, j.block, form, "registers", nil, j[form].registers)
		record("4.7", machine, p.name, j.block, form, "occupancy", nil, j[form].occupancy)
		record("4.7", machine, p.name, j.block, form, "local accesses", nil, j[form].spills)
		return j[form].occupancy == j.O3.occupancy and ("%d     "):format(j[form].registers) or ("%d %.2f"):format(j[form].registers, j[form].occupancy)
	end)
end

-- The passes are the same for all machines.
say("\nOccurrences of expressions after each pass, and in brackets computations that it inserted")
head("kernel", "before", MAIN)
tabulate(MACHINES[1], MAIN, function(j) return ("%d"):format(j.sscm.counts["occurrences before"] or 0) end, function(j, form, p)
	local c = j[form].counts
	for _, what in ipairs { "expressions moved", "occurrences before", "occurrences after", "computations inserted" } do
		record("4.7", MACHINES[1], p.name, j.block, form, what, nil, c[what] or 0)
	end
	return ("%d (%d)"):format(c["occurrences after"] or 0, c["computations inserted"] or 0)
end)

local measured = setmetatable({ paper = paper, machines = MACHINES, programs = PROGRAMS, at = at, passes = passes, forms = MAIN, short = short, set = set }, { __index = m })
local show = dofile(top .. "/tools/code-motion-claims.lua")
show.laws(measured)
if quick < 2 then show.sayings(measured) end
show.pictures(measured)
m.finish("code-motion")
