-- The tables and pictures of tools/reproduce-fusion.lua. `r` is what that file has measured, over
-- tools/measure.lua.
local show = {}

local function number(v) return v and ("%.3f"):format(v) or "-" end
local function change(a, b) return ("%+.1f %%"):format(100 * (b / a - 1)) end

function show.head(r)
	r.say("Host programs in kind on %s.lua, %s: %s", r.machine.name, r.machine.model, r.machine.options)
	r.say("O3: the program as it is, of kernels that nvcc has optimised. What fusion may take for granted:")
	for _, mode in ipairs(r.modes) do r.say("  %-9s %s", mode.name, mode.says) end
	r.say("Sizes that a program asks its workload for stand in it as constants. Results are compared with the reference interpreter's of the program as it is; *: wrong, no time is")
	r.say("taken; !: right in the timed run, and blocks of a launch race that did not before (--race-check, functional); -: the machine cannot run it.")
	if #r.absent > 0 then r.say("Not here: %s", table.concat(r.absent, ", ")) end
	if #r.missing > 0 then r.say("This build has no %s: programs are measured as they are.", table.concat(r.missing, ", no ")) end
end

-- A table with a column for each mode and pass.
local function heads(r, first, width)
	local line = { ("  %-16s %" .. width .. "s"):format("", first), ("  %-16s %" .. width .. "s"):format("program", "") }
	r.each_mode(function(mode)
		line[1] = line[1] .. (" %21s"):format(mode)
		line[2] = line[2] .. (" %10s %10s"):format("KF_trad", "KFCM")
	end)
	r.say("%s", line[1])
	r.say("%s", line[2])
end
local function row(r, name, first, width, cell)
	local line = ("  %-16s %" .. width .. "s"):format(name, first)
	for _, f in ipairs(r.forms) do line = line .. (" %10s"):format(cell(f)) end
	r.say("%s", line)
end

-- ---- table 5.2 ----

function show.launches(r)
	r.say("\nTable 5.2: launches; in brackets the thesis', which stand for its program at a size of its own where ours is small (+)")
	heads(r, "O3", 16)
	for _, p in ipairs(r.programs) do
		local before, said = r.at(p, "O3").launches, p.launches
		r.record("5.2", r.machine, p.name, "", "O3", "launches", p.large and said[1] or nil, before)
		row(r, p.name .. (p.large and "" or " +"), ("%d (%d)"):format(before, said[1]), 16, function(f)
			local run = r.at(p, f.name)
			if not r.ran(p, f.name) then return "-" end
			r.record("5.2", r.machine, p.name, "", f.name, "launches", p.large and said[f.k + 1] or nil, run.launches)
			return ("%d%s%s"):format(run.launches, r.mark(p, f.name), f.mode == "assumed" and (" (%d)"):format(said[f.k + 1]) or "")
		end)
	end
	if #r.forms == 0 then return end
	r.say("\nHow much fewer launches, 1 - geometric mean of after / before; in brackets the thesis' of the same programs")
	heads(r, "", 16)
	for _, suite in ipairs(r.suites()) do
		local programs = r.suite(r.programs, suite)
		row(r, suite, ("%d programs"):format(#programs), 16, function(f)
			local ours = r.reduction(programs, function(p) return r.ran(p, f.name) and r.at(p, f.name).launches / r.at(p, "O3").launches or nil end)
			local theirs = r.reduction(programs, function(p) return p.launches[f.k + 1] / p.launches[1] end)
			r.record("5.2", r.machine, suite, "", f.name, "reduction", theirs, ours)
			return ("%.3f%s"):format(ours, f.mode == "assumed" and (" (%.2f)"):format(theirs) or "")
		end)
	end
end

-- ---- table 5.1 ----

function show.times(r)
	r.say("\nTable 5.1: cycles of the program, from its first call to the end of its last launch, with the machine's own launch costs; speed-up over O3, in brackets the thesis'")
	heads(r, "O3", 16)
	for _, p in ipairs(r.programs) do
		r.record("5.1", r.machine, p.name, "", "O3", "program cycles", nil, r.at(p, "O3").program)
		row(r, p.name, ("%d"):format(r.at(p, "O3").program), 16, function(f)
			if not r.right(p, f.name) then return r.ran(p, f.name) and "*" or "-" end
			r.record("5.1", r.machine, p.name, "", f.name, "speed-up", p.speed[f.k], r.gain(p, f.name))
			return ("%.2f%s (%.2f)"):format(r.gain(p, f.name), r.mark(p, f.name), p.speed[f.k])
		end)
	end
	for _, suite in ipairs(r.suites()) do
		row(r, suite, "geometric mean", 16, function(f)
			return ("%.2f (%.2f)"):format(r.mean_gain(r.suite(r.programs, suite), f.name), r.mean(r.suite(r.programs, suite), function(p) return p.speed[f.k] end))
		end)
	end
	r.say("\nOf these, the cycles in which some launch ran: speed-up over O3")
	heads(r, "O3", 16)
	for _, p in ipairs(r.programs) do
		row(r, p.name, ("%d"):format(r.at(p, "O3").cycles), 16, function(f)
			if not r.right(p, f.name) then return r.ran(p, f.name) and "*" or "-" end
			r.record("5.1", r.machine, p.name, "", f.name, "speed-up of launches", nil, r.at(p, "O3").cycles / r.at(p, f.name).cycles)
			return number(r.at(p, "O3").cycles / r.at(p, f.name).cycles)
		end)
	end
end

function show.costs(r)
	r.say("\nSpeed-up over O3 by what a launch costs, in microseconds from the end of one launch to the begin of the next: geometric means of the programs whose results are right")
	heads(r, "microseconds", 16)
	for _, cost in ipairs(r.costs) do
		row(r, "all", ("%g"):format(cost), 16, function(f)
			for _, p in ipairs(r.programs) do
				if r.right(p, f.name) then r.record("launch cost", r.machine, p.name, cost, f.name, "speed-up", nil, r.gain(p, f.name, cost)) end
			end
			return number(r.mean_gain(r.programs, f.name, cost))
		end)
	end
end

-- ---- the code ----

function show.code(r)
	r.say("\nSize of the code of all kernels and functions, in instructions: of O3, and the change")
	heads(r, "O3", 16)
	for _, p in ipairs(r.programs) do
		local before = r.at(p, "O3").code
		row(r, p.name, ("%d"):format(before), 16, function(f)
			if not r.ran(p, f.name) then return "-" end
			r.record("code", r.machine, p.name, "", f.name, "instructions", nil, r.at(p, f.name).code)
			return r.at(p, f.name).code == before and "=" or change(before, r.at(p, f.name).code)
		end)
	end
	row(r, "geometric mean", "", 16, function(f)
		return ("%+.1f %%"):format(100 * (r.mean(r.programs, function(p) return r.ran(p, f.name) and r.at(p, f.name).code / r.at(p, "O3").code or nil end) - 1))
	end)
end

-- ---- section 7.1 ----

-- Of the modes in which a program's results are right, the one in which KFCM leaves fewest launches; nil
-- where it fuses nothing.
local function furthest(r, p)
	local best
	for _, f in ipairs(r.forms) do
		local run = r.at(p, f.name)
		if f.pass == "kfcm" and run.status == 0 and not r.races(p, f.name) and run.launches < r.at(p, "O3").launches and (not best or run.launches < r.at(p, best.name).launches) then best = f end
	end
	return best
end

local function inner(r, pass) return pass == "ssrqp" and r.known.ssrqp and r.known.ssrqp["assume-no-wrap"] and "ssrqp(assume-restrict=1,assume-no-wrap=1)" or pass end

function show.inside(r)
	local programs, variants = {}, {}
	for _, p in ipairs(r.programs) do
		local f = furthest(r, p)
		if f then
			programs[#programs + 1] = p
			for _, pass in ipairs { "", table.unpack(r.passes_inside) } do
				local around = r.set.around(pass == "" and "" or inner(r, pass))
				r.variant(p, "alone " .. pass, around)
				r.variant(p, "behind " .. pass, f.list .. "," .. around)
				variants[#variants + 1], variants[#variants + 2] = p.forms["alone " .. pass], p.forms["behind " .. pass]
			end
		end
	end
	r.run_variants(variants, "own", " --verify", "section 7.1")
	r.inner = {}
	r.say("\nSection 7.1: what SSCM and SSRQP are worth of the cycles in which some launch ran: without fusion, and behind KFCM where it goes furthest with results that are right")
	r.say("  %-16s %-10s %s", "program", "KFCM", table.concat(r.each(r.passes_inside, function(pass) return ("%10s %10s"):format(pass, "behind") end), " "))
	for _, p in ipairs(programs) do
		local cells = {}
		for i, pass in ipairs(r.passes_inside) do
			local a, b = r.at(p, "alone ").cycles / r.at(p, "alone " .. pass).cycles, r.at(p, "behind ").cycles / r.at(p, "behind " .. pass).cycles
			local good = true
			for _, form in ipairs { "alone ", "behind ", "alone " .. pass, "behind " .. pass } do good = good and r.right(p, form) end
			r.inner[#r.inner + 1] = good and { p = p, pass = pass, alone = a, behind = b } or nil
			cells[i] = good and ("%10.3f %10.3f"):format(a, b) or ("%10s %10s"):format("*", "*")
			if good then
				r.record("7.1", r.machine, p.name, "", pass, "speed-up alone", nil, a)
				r.record("7.1", r.machine, p.name, "", pass, "speed-up behind kfcm", nil, b)
			end
		end
		r.say("  %-16s %-10s %s", p.name, furthest(r, p).mode, table.concat(cells, " "))
	end
end

-- ---- pictures ----

function show.pictures(r)
	local forms = r.each(r.forms, function(f) return f.name end)
	r.bars("table5.2", "table 5.2: launches to those of O3", "launches", r.programs, forms, function(p, form) return r.ran(p, form) and r.at(p, form).launches / r.at(p, "O3").launches or 1 end, 1)
	r.bars("table5.1", "table 5.1: speed-up over O3, 1 where results are wrong", "speed-up", r.programs, forms, function(p, form) return r.right(p, form) and r.gain(p, form) or 1 end, 1)
	local series = {}
	for k, f in ipairs(r.forms) do
		series[k] = { name = f.name, style = "both", points = r.each(r.costs, function(cost) return { cost, r.mean_gain(r.programs, f.name, cost) } end) }
	end
	r.plot.write(("%s/launch-cost.svg"):format(r.out), { title = "speed-up over O3, geometric mean", x = "microseconds of a launch", y = "speed-up", series = series })
end

return show
