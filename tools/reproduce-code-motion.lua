-- J. Fukuhara, "Compiler Optimization for GPU Based on Code Motion" (thesis, 2023), chapter 4.2: figure 4.7
-- for kernels in kind, what code motion does to each of kernels/ that the thesis has one of, and experiment B
-- (figure 4.8). The thesis measured a TITAN Black (its environment 1): `ipdom` on titan_black.lua is compared
-- with it; `its` and `ipdom` on titan_rtx.lua (its environment 2) stand beside. Machines are small parts of
-- these cards. Numbers of the thesis: code-motion-paper.lua; what it says in words: code-motion-claims.lua.
-- Arguments: source tree, output directory. Run by tools/reproduce; QUICK=1: one machine, smaller inputs; 2:
-- few kernels alone.
local top, out = arg[1], arg[2]
local m = dofile(top .. "/tools/measure.lua")(top, out)
local say, record, speed, quick = m.say, m.record, m.speed, m.quick
local paper = dofile(top .. "/tools/code-motion-paper.lua")
local set = dofile(top .. "/tools/thesis-kernels.lua")(m)

local MACHINES = set.machines
-- What nvcc made is the thesis' O3. Code motion leaves moves behind that its compiler's back end took out;
-- gsim has none, so that `O3` is that program after the clean-ups that stand around each pass, too. `none` is
-- the program as nvcc made it.
local FORMS = { "O3", "none", "pre", "lcm", "spre", "scm", "sscm", "sscm(arms=1)", "sscm(nonfaulting=1,assume-restrict=1)" }
local MAIN = { "pre", "lcm", "spre", "scm", "sscm", "sscm(arms=1)" }
local SHORT = { ["sscm(arms=1)"] = "sscm arms", ["sscm(nonfaulting=1,assume-restrict=1)"] = "sscm loads" }
local THESIS = "sscm(arms=1)"
-- What the thesis says of a form.
local function theirs(p, form)
	if form == "sscm" then return nil end
	return (paper.motion[p.name] or {})[form == THESIS and "sscm" or form]
end
local function short(form) return SHORT[form] or form end
local function passes(_, form)
	return form == "none" and "none" or form == "O3" and set.around("") or set.around(form)
end

local PROGRAMS = set.motion
if quick > 0 then MACHINES = { MACHINES[1] } end
if quick > 1 then PROGRAMS = m.named(PROGRAMS, m.set "differences histogram saturating_histogram several_intervals") end

local at = m.measure(MACHINES, PROGRAMS, FORMS, "figure 4.7", passes)
local tables = m.tables(PROGRAMS, at, short)

-- ---- figure 4.7 ----

say("Kernels in kind; O3: what nvcc made, after %s, which stand around each pass, too; none: without these;", set.around(""))
say("sscm arms: sscm(arms=1), which is the thesis' SSCM; sscm loads: %s", FORMS[#FORMS])
for _, machine in ipairs(MACHINES) do
	local compared = machine == MACHINES[1]
	say("\nFigure 4.7: %s on %s.lua: cycles of O3, speed-up over it%s", machine.model, machine.name, compared and "; in brackets the thesis', where its text has a number" or "")
	tables.speeds(machine, "4.7", { "none", table.unpack(FORMS, 3) }, function(p, form) return compared and theirs(p, form) end)
	tables.counters(machine, "4.7", MAIN, { "issued", "lanes", "loads", "sectors" })
	tables.registers(machine, "4.7", MAIN)
end

-- The passes are the same for all machines.
say("\nOccurrences of expressions before, after each pass, and in brackets computations that it inserted")
tables.write(MACHINES[1], MAIN, function(j) return ("%d"):format(j.sscm.counts["occurrences before"] or 0) end, function(j, form, p)
	local c = j[form].counts
	for _, what in ipairs { "expressions moved", "occurrences before", "occurrences after", "computations inserted" } do
		record("4.7", MACHINES[1], p.name, j.block, form, what, nil, c[what] or 0)
	end
	return ("%d (%d)"):format(c["occurrences after"] or 0, c["computations inserted"] or 0)
end)

-- Speculation, found by running: of the values that inserted instructions have computed, those that nothing
-- reads.
local rate = {}
local reference = m.jobs(MACHINES[1], PROGRAMS, MAIN)
m.speculation(reference, "speculation", passes)
for _, j in ipairs(reference) do rate[j.program.name] = j end
say("\nSpeculation: of the values that inserted instructions compute, those that no instruction reads; -: nothing but moves was computed, which do not count")
tables.write(MACHINES[1], MAIN, function() return "" end, function(_, form, p)
	local s = rate[p.name][form]
	for _, what in ipairs { "values", "unread" } do record("4.7", MACHINES[1], p.name, p.block, form, what, nil, s[what]) end
	return s.values > 0 and ("%.1f %%"):format(100 * s.unread / s.values) or "-"
end)

-- ---- figure 4.8 ----

-- A grid is as many blocks for each SM as the thesis' was; a thread takes one photon. The card has 255
-- registers for a thread; what is compiled for cards before it has 63.
local photons = {}
if quick < 2 then
	local FEW = { [1] = true, [60] = true, [32] = true, [128] = true }
	for _, blocks in ipairs(paper.photons.blocks) do
		for _, threads in ipairs(paper.photons.threads) do
			if quick == 0 or FEW[blocks] and FEW[threads] then
				local grid = math.max(blocks * set.units // paper.photons.units, 1)
				for _, machine in ipairs { MACHINES[1], set.few_registers } do
					photons[#photons + 1] = { machine = machine, program = set.photons, block = threads, grid = grid, blocks = blocks, lists = { "O3", "sscm", THESIS } }
				end
			end
		end
	end
	table.sort(photons, function(a, b) return a.block * a.grid > b.block * b.grid end)
	m.run(photons, "figure 4.8", passes)
	table.sort(photons, function(a, b) return a.blocks < b.blocks or a.blocks == b.blocks and (a.block < b.block or a.block == b.block and a.machine.most > b.machine.most) end)
	say("\nFigure 4.8: MCML on %s.lua: change of speed by %s, by the most registers that a thread may have, blocks on the thesis' %d SMs, and threads of a block",
		MACHINES[1].name, short(THESIS), paper.photons.units)
	local lines, order = {}, {}
	for _, j in ipairs(photons) do
		local key = ("%d registers, %3d blocks"):format(j.machine.most, j.blocks)
		if not lines[key] then
			order[#order + 1], lines[key] = key, {}
		end
		table.insert(lines[key], ("%d: %+.1f %%"):format(j.block, 100 * (speed(j, THESIS) - 1)))
	end
	for _, key in ipairs(order) do say("  %-27s %s", key, table.concat(lines[key], "   ")) end
	say("\nMCML on %s.lua in numbers: most registers of a thread; blocks on %d SMs (the thesis', on %d) of threads; cycles; change of speed by sscm,",
		MACHINES[1].name, set.units, paper.photons.units)
	say("and by sscm arms; warp instructions; registers; occupancy; accesses to local memory: O3, sscm, sscm arms")
	for _, j in ipairs(photons) do
		local a, b, c = j.O3, j.sscm, j[THESIS]
		for _, form in ipairs { "sscm", THESIS } do
			record("4.8", j.machine, ("photons x %d"):format(j.blocks), j.block, form, "speed-up", nil, speed(j, form))
			for _, what in ipairs { "issued", "registers", "spills" } do
				record("4.8", j.machine, ("photons x %d"):format(j.blocks), j.block, form, what, nil, j[form][what])
			end
		end
		say("  %3d  %3d (%3d) x %3d %9d  %+6.1f %% %+6.1f %%  %9d %9d %9d  %3d %3d %3d  %.2f %.2f %.2f  %6d %6d %6d", j.machine.most, j.grid, j.blocks, j.block, a.cycles,
			100 * (speed(j, "sscm") - 1), 100 * (speed(j, THESIS) - 1), a.issued, b.issued, c.issued, a.registers, b.registers, c.registers,
			a.occupancy, b.occupancy, c.occupancy, a.spills, b.spills, c.spills)
	end
end

local measured = setmetatable({ photons = photons, rate = rate, paper = paper, machines = MACHINES, programs = PROGRAMS, at = at, passes = passes, forms = MAIN, short = short, set = set }, { __index = m })
local show = dofile(top .. "/tools/code-motion-claims.lua")
show.laws(measured)
if quick < 2 then show.sayings(measured) end
show.pictures(measured)
m.finish("code-motion")
