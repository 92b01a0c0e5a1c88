-- The tables of tools/reproduce-fusion.lua, laws that must hold, and what the thesis says. `r` is what that file has measured, over tools/measure.lua.
local show = {}

local function number(v) return v and ("%.3f"):format(v) or "-" end
local function change(a, b) return ("%+.1f %%"):format(100 * (b / a - 1)) end
local function of(programs, suite)
	local t = {}
	for _, p in ipairs(programs) do t[#t + 1] = (suite == "all" or p.suite == suite) and p or nil end
	return t
end
local function suites(r)
	local t = {}
	for _, s in ipairs(r.paper.suites) do t[#t + 1] = #of(r.programs, s) > 0 and s or nil end
	t[#t + 1] = "all"
	return t
end
-- How much fewer, as the thesis takes the mean: 1 - the geometric mean of after / before. ratio(program); nil is left out.
local function reduction(r, programs, ratio) return 1 - r.mean(programs, ratio) end
local function each_mode(r, what)
	for _, mode in ipairs(r.modes) do
		if #r.missing == 0 then what(mode.name, r.form("kf-trad", mode.name), r.form("kfcm", mode.name)) end
	end
end

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
	each_mode(r, function(mode)
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

local function mark(r, p, form) return not r.right(p, form) and "*" or r.races(p, form) and "!" or "" end

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
			return ("%d%s%s"):format(run.launches, mark(r, p, f.name), f.mode == "assumed" and (" (%d)"):format(said[f.k + 1]) or "")
		end)
	end
	if #r.forms == 0 then return end
	r.say("\nHow much fewer launches, 1 - geometric mean of after / before; in brackets the thesis' of the same programs")
	heads(r, "", 16)
	for _, suite in ipairs(suites(r)) do
		local programs = of(r.programs, suite)
		row(r, suite, ("%d programs"):format(#programs), 16, function(f)
			local ours = reduction(r, programs, function(p) return r.ran(p, f.name) and r.at(p, f.name).launches / r.at(p, "O3").launches or nil end)
			local theirs = reduction(r, programs, function(p) return p.launches[f.k + 1] / p.launches[1] end)
			r.record("5.2", r.machine, suite, "", f.name, "reduction", theirs, ours)
			return ("%.3f%s"):format(ours, f.mode == "assumed" and (" (%.2f)"):format(theirs) or "")
		end)
	end
end

-- ---- table 5.1 ----

local function mean_gain(r, programs, form, cost)
	return r.mean(programs, function(p) return r.right(p, form) and r.gain(p, form, cost) or nil end)
end

function show.times(r)
	r.say("\nTable 5.1: cycles of the program, from its first call to the end of its last launch, with the machine's own launch costs; speed-up over O3, in brackets the thesis'")
	heads(r, "O3", 16)
	for _, p in ipairs(r.programs) do
		r.record("5.1", r.machine, p.name, "", "O3", "program cycles", nil, r.at(p, "O3").program)
		row(r, p.name, ("%d"):format(r.at(p, "O3").program), 16, function(f)
			if not r.right(p, f.name) then return r.ran(p, f.name) and "*" or "-" end
			r.record("5.1", r.machine, p.name, "", f.name, "speed-up", p.speed[f.k], r.gain(p, f.name))
			return ("%.2f%s (%.2f)"):format(r.gain(p, f.name), mark(r, p, f.name), p.speed[f.k])
		end)
	end
	for _, suite in ipairs(suites(r)) do
		row(r, suite, "geometric mean", 16, function(f)
			return ("%.2f (%.2f)"):format(mean_gain(r, of(r.programs, suite), f.name), r.mean(of(r.programs, suite), function(p) return p.speed[f.k] end))
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
			return number(mean_gain(r, r.programs, f.name, cost))
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

-- Of the modes in which a program's results are right, the one in which KFCM leaves fewest launches; nil where it fuses nothing.
local function furthest(r, p)
	local best
	for _, f in ipairs(r.forms) do
		local run = r.at(p, f.name)
		if f.pass == "kfcm" and run.status == 0 and not r.races(p, f.name) and run.launches < r.at(p, "O3").launches and (not best or run.launches < r.at(p, best.name).launches) then best = f end
	end
	return best
end

local INSIDE = { "sscm", "ssrqp" }
local function inner(r, pass) return pass == "ssrqp" and r.known.ssrqp and r.known.ssrqp["assume-no-wrap"] and "ssrqp(assume-restrict=1,assume-no-wrap=1)" or pass end

function show.inside(r)
	local programs, variants = {}, {}
	for _, p in ipairs(r.programs) do
		local f = furthest(r, p)
		if f then
			programs[#programs + 1] = p
			for _, pass in ipairs { "", table.unpack(INSIDE) } do
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
	r.say("  %-16s %-10s %s", "program", "KFCM", table.concat(r.each(INSIDE, function(pass) return ("%10s %10s"):format(pass, "behind") end), " "))
	for _, p in ipairs(programs) do
		local cells = {}
		for i, pass in ipairs(INSIDE) do
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
		series[k] = { name = f.name, style = "both", points = r.each(r.costs, function(cost) return { cost, mean_gain(r, r.programs, f.name, cost) } end) }
	end
	r.plot.write(("%s/launch-cost.svg"):format(r.out), { title = "speed-up over O3, geometric mean", x = "microseconds of a launch", y = "speed-up", series = series })
end

-- ---- laws ----

-- The thesis' means, from its own tables, in our way to take a mean.
local function thesis_means(r)
	for _, suite in ipairs { "Rodinia", "NVIDIA SDK", "GCG", "all" } do
		local programs, said, ours, agrees = of(r.paper.programs, suite), r.paper.reduction[suite], {}, true
		for k = 1, 2 do
			ours[k] = reduction(r, programs, function(p) return p.launches[k + 1] / p.launches[1] end)
			agrees = agrees and r.near(ours[k], said[k], 0.00051)
		end
		r.claim("T-K1", ("table 5.2, %s: %.3f and %.3f fewer launches in the mean"):format(suite, said[1], said[2]), ("%.4f and %.4f from the table"):format(ours[1], ours[2]), agrees)
		local mean, theirs = {}, r.paper.speed[suite]
		for k = 1, 2 do mean[k] = r.mean(programs, function(p) return p.speed[k] end) end
		r.claim("T-K1", ("table 5.1, %s: speed-ups of %.2f and %.2f in the mean"):format(suite, theirs[1], theirs[2]), ("%.4f and %.4f from the table"):format(mean[1], mean[2]),
			r.near(mean[1], theirs[1], 0.0051) and r.near(mean[2], theirs[2], 0.0051))
	end
end

local function worse_than(r, programs, less, more, figure)
	return r.each(programs, function(p)
		return r.right(p, less) and r.right(p, more) and figure(r.at(p, less)) > figure(r.at(p, more)) and p.name or nil
	end)
end
local function named(list) return #list == 0 and "so" or "not in " .. table.concat(list, ", ") end

function show.laws(r)
	r.say("\nWhat must hold")
	thesis_means(r)
	local function launches(run) return run.launches end
	each_mode(r, function(mode, trad, kfcm)
		local more = worse_than(r, r.programs, kfcm, trad, launches)
		for _, name in ipairs(worse_than(r, r.programs, trad, "O3", launches)) do more[#more + 1] = name end
		r.claim("law", mode .. ": KFCM leaves no more launches than KF_trad, KF_trad no more than O3", named(more), #more == 0)
		if mode ~= "assumed" then
			local wrong, other = {}, {}
			for _, p in ipairs(r.programs) do
				for _, form in ipairs { trad, kfcm } do
					if r.ran(p, form) and (not r.right(p, form) or r.races(p, form)) then wrong[#wrong + 1] = p.name end
					if not r.ran(p, form) then other[r.at(p, form).why] = true end
				end
			end
			r.claim("law", mode .. ": results are those of the program as it is, and blocks do not race that did not before", named(wrong), #wrong == 0)
			for why in pairs(other) do r.say("         not run: %s", why) end
		end
	end)
	local off = {}
	for _, p in ipairs(r.programs) do
		for _, cost in ipairs(r.costs) do
			local a, b = r.at(p, "O3", 0), r.at(p, "O3", cost)
			if not r.near(b.program, a.program + (cost * r.clock) * b.launches, 0.01 * b.program) then off[#off + 1] = ("%s at %g"):format(p.name, cost) end
		end
	end
	r.claim("law", "the program's time is that of its launches, and the launch cost for each (to 1 %)", named(off), #off == 0)
	for i = 3, #r.modes do
		local a, b = r.modes[i - 1].name, r.modes[i].name
		local more = #r.missing == 0 and worse_than(r, r.programs, r.form("kfcm", b), r.form("kfcm", a), launches) or {}
		if #r.missing == 0 then r.claim("law", ("%s leaves no more launches than %s"):format(b, a), named(more), #more == 0) end
	end
end

-- ---- what the thesis says ----

local function table_52(r)
	for _, p in ipairs(r.programs) do
		local here = { r.at(p, "O3").launches, r.at(p, r.form("kf-trad", "assumed")).launches, r.at(p, r.form("kfcm", "assumed")).launches }
		if p.large then
			r.claim("5.2", ("%s: %d launches, %d, %d"):format(p.name, table.unpack(p.launches)), ("%d, %d, %d"):format(table.unpack(here)),
				here[1] == p.launches[1] and here[2] == p.launches[2] and here[3] == p.launches[3])
		end
	end
end

local function same(r, names)
	local t = r.named(r.programs, r.words(names))
	return t, r.form("kf-trad", "assumed"), r.form("kfcm", "assumed")
end

-- Is a speed-up as the thesis has it, but for a third of what is gained?
local function as_fast(r, ours, theirs) return r.near(ours, theirs, math.max(0.005, math.abs(theirs - 1) / 3)) end

local function means(r)
	local large = r.each(r.programs, function(p) return p.large and p or nil end)
	for k, pass in ipairs(r.passes) do
		local form = r.form(pass, "assumed")
		for _, suite in ipairs(suites(r)) do
			local programs = of(large, suite)
			local theirs = reduction(r, programs, function(p) return p.launches[k + 1] / p.launches[1] end)
			local ours = reduction(r, programs, function(p) return r.at(p, form).launches / r.at(p, "O3").launches end)
			if #programs > 0 then
				r.claim("5.2", ("%s, %s: %.3f fewer launches in the mean of the %d programs of its size; of all %.3f"):format(pass, suite, theirs, #programs, r.paper.reduction[suite][k]), number(ours),
					r.near(ours, theirs, 0.005))
			end
		end
	end
	each_mode(r, function(mode)
		for k, pass in ipairs(r.passes) do
			local form = r.form(pass, mode)
			local programs = r.each(r.programs, function(p) return r.right(p, form) and p or nil end)
			local theirs, ours = r.mean(programs, function(p) return p.speed[k] end), mean_gain(r, programs, form)
			r.claim("5.1", ("%s: a mean speed-up of %.3f of the %d programs that are right here; of all %.2f"):format(pass, theirs, #programs, r.paper.speed.all[k]),
				("%.3f, %s"):format(ours, mode), as_fast(r, ours, theirs))
		end
	end)
end

function show.sayings(r)
	r.say("\nWhat the thesis says")
	table_52(r)
	local programs, trad, kfcm = same(r, r.paper.alike)
	local not_alike = r.each(programs, function(p) return r.at(p, trad).launches ~= r.at(p, kfcm).launches and p.name or nil end)
	r.claim("5.2", "both passes leave the same launches in " .. r.paper.alike, named(not_alike), #not_alike == 0)
	programs = same(r, r.paper.alone)
	local not_alone = r.each(programs, function(p)
		local before = r.at(p, "O3").launches
		return not (r.at(p, trad).launches == before and r.at(p, kfcm).launches < before) and p.name or nil
	end)
	if #programs > 0 then r.claim("5.2", "KFCM fuses, and KF_trad nothing, in " .. r.paper.alone, named(not_alone), #not_alone == 0) end
	means(r)
	local wrong = r.each(r.programs, function(p) return mark(r, p, kfcm) ~= "" and p.name or nil end)
	r.claim("5.3.1", "no program but gaussian needs a synchronisation of the grid between kernels that are fused", #wrong == 0 and "no results are wrong without" or
		"without, results are wrong or blocks race in " .. table.concat(wrong, ", "), #r.each(wrong, function(name) return name ~= "gaussian" and name or nil end) == 0)
	local refused = r.each(r.programs, function(p)
		local a, b = r.at(p, kfcm).launches, r.at(p, r.form("kfcm", "no wrap")).launches
		return b > a and ("%s %d"):format(p.name, b - a) or nil
	end)
	r.claim("5.3.1", "that is so by hand; by proof, too", #refused == 0 and "all is proved" or "launches more where proof is asked for: " .. table.concat(refused, ", "), #refused == 0)
	each_mode(r, function(mode, one, other)
		local slower = r.each(r.programs, function(p)
			return r.right(p, one) and r.right(p, other) and r.gain(p, other) < 0.995 * r.gain(p, one) and p.name or nil
		end)
		r.claim("5.1", mode .. ": KFCM is no slower than KF_trad (half a percent)", named(slower), #slower == 0)
	end)
	local grown = r.mean(r.programs, function(p) return r.at(p, kfcm).code / r.at(p, "O3").code end) - 1
	r.claim("5.3.3", ("KFCM makes the device code %.3f larger in the mean"):format(r.paper.code.mean), ("%.3f"):format(grown), r.near(grown, r.paper.code.mean, 0.1))
	for _, pass in ipairs(INSIDE) do
		local more, rows = 0, r.each(r.inner, function(i) return i.pass == pass and i or nil end)
		for _, i in ipairs(rows) do more = more + (i.behind > i.alone and 1 or 0) end
		local a, b = r.mean(rows, function(i) return i.alone end), r.mean(rows, function(i) return i.behind end)
		if #rows > 0 then r.claim("7.1", pass:upper() .. " is worth more behind KFCM", ("%.3f alone, %.3f behind it, in %d of %d programs more"):format(a, b, more, #rows), b > a) end
	end
end

return show
