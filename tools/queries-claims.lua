-- What the thesis on code motion says of scalar replacement by queries in words (figures 4.11 to 4.20), and
-- the laws, against what tools/reproduce-queries.lua has measured; pictures. Returns functions of what
-- reproduce-queries.lua hands over: its tables, and what writes and counts.
local show = {}

local function counted(j, form, what) return j[form].counts[what] or 0 end
local function touched(j, form) return counted(j, form, "loads removed") + counted(j, form, "loads inserted") > 0 end
local function percent(s) return ("%+.1f %%"):format(100 * (s - 1)) end
-- What a speed-up comes to: half a percent is no difference.
local function sign(s) return s > 1.005 and 1 or s < 0.995 and -1 or 0 end

-- ---- laws ----

-- Figure 4.11: loads of a warp in a turn of the loop, which makes 64.
local TURNS, LOADS = 64, { O3 = 2, srqp = 3, esrqp = 2, ssrqp = 1 }

local function figure(r, j)
	for _, form in ipairs(j.lists) do
		local want, here = LOADS[form], j[form].loads / TURNS
		if want then
			r.claim("T-Q1", ("figure 4.11, loads in a turn: %s %d"):format(form, want), ("%.2f"):format(here),
				math.floor(here) == want, j, form)
		end
	end
end

local function stencil(r, side, apart)
	local title = "stencil: "
	local turns = tonumber(({ apart.program.arguments() })[1]:match("^%S+ %S+ (%S+)"))
	r.claim("T-Q2", title .. "accesses side by side: SRQP removes nothing", ("%d loads, O3 %d"):format(side.srqp.loads, side.O3.loads),
		side.srqp.loads == side.O3.loads, side, "srqp")
	r.claim("T-Q2", title .. ("apart: SRQP leaves one load of three in a turn, and two in front of %d turns"):format(turns),
		("%.3f and %.3f for each store"):format(apart.O3.loads / apart.O3.stores, apart.srqp.loads / apart.srqp.stores),
		r.near(apart.O3.loads / apart.O3.stores, 3, 0.02) and r.near(apart.srqp.loads / apart.srqp.stores, 1 + 2 / turns, 0.02), apart, "srqp")
	r.claim("T-Q2", title .. "more sectors are asked for, after SRQP, too", ("side by side %d, apart %d, after SRQP %d"):format(side.O3.sectors, apart.O3.sectors,
		apart.srqp.sectors), apart.O3.sectors > side.O3.sectors and apart.srqp.sectors > side.O3.sectors, apart, "srqp")
end

function show.laws(r)
	r.say("\nWhat must hold: of loads and sectors, which are the same on all machines")
	local more, has = {}, {}
	for _, form in ipairs(r.forms) do has[form] = true end
	local of = r.at[r.machines[1]]
	figure(r, of.figure)
	stencil(r, of.stencil_1d_strided, of.stencil_1d_contiguous)
	for _, name in ipairs(has["ssrqp-s"] and has.ssrqp and { "sobel_contiguous", "bilateral_contiguous", "hot_spot" } or {}) do
		local j = of[name]
		if j then
			r.claim("T-Q3", ("%s, in which something is loaded behind a uniform branch: SSRQP_S loads more than SSRQP"):format(name), ("%d, %d"):format(j["ssrqp-s"].loads,
				j.ssrqp.loads), j["ssrqp-s"].loads > j.ssrqp.loads, j, { "ssrqp-s", "ssrqp" })
		end
	end
	for _, machine in ipairs(r.machines) do
		for _, p in ipairs(r.programs) do
			local j = r.at[machine][p.name]
			if j.esrqp.loads > j.O3.loads then more[#more + 1] = p.name end
		end
	end
	r.claim("loads", "ESRQP makes no warp load more", #more > 0 and "more in " .. table.concat(more, ", ") or "so", #more == 0)
end

-- ---- what the thesis says ----

-- Each kernel of whose speed the text has numbers: gains, losses and neither are where they are there.
local function numbers(r, machine, fig, theirs, j, speed, name)
	local says, here, agrees, forms = {}, {}, true, {}
	for _, form in ipairs(j.lists) do
		local said = theirs[form == "O3" and "none" or form]
		if said and (form ~= "O3" or theirs.none) then
			local s = speed(form)
			says[#says + 1], here[#here + 1] = ("%s %s"):format(form, percent(said)), ("%s %s"):format(form, percent(s))
			agrees = agrees and sign(said) == sign(s)
			if sign(said) ~= sign(s) and form ~= "O3" then forms[#forms + 1] = form end
		end
	end
	if #says > 0 then r.claim(fig, ("%s: %s"):format(name, table.concat(says, ", ")), table.concat(here, ", "), agrees, j, forms) end
end

local NAMED = { "b_plus_tree", "bfs", "huffman", "boxes", "cells", "barnes_hut", "nearest_neighbours", "kmeans" }

local function of_machine(r, machine)
	local of, second = r.at[machine], machine.environment == 2
	local theirs = r.paper.queries[machine.environment]
	r.say("\nWhat the thesis says of environment %d, of %s on %s.lua; an agreement is one of sign: half a percent is no difference", machine.environment, machine.model,
		machine.name)
	for _, name in ipairs(NAMED) do
		local j = of[name]
		if theirs[name] then numbers(r, machine, second and "4.15" or "4.14", theirs[name], j, function(form) return r.speed(j, form) end, j.program.theirs) end
	end
	for _, form in ipairs(r.each(r.forms, function(form) return theirs.mean[form] and form end)) do
		local mean = r.mean(r.programs, function(p) return not p.pattern and r.speed(of[p.name], form) or nil end)
		r.claim(second and "4.15" or "4.14", ("%s: mean over its two suites %s"):format(form, percent(theirs.mean[form])), ("%s, over the kernels above the patterns"):format(percent(mean)),
			r.near(mean, theirs.mean[form], 0.03))
	end
	for _, name in ipairs(r.set.patterns) do
		local side, apart, said = of[name .. "_strided"], of[name .. "_contiguous"], r.paper.patterns[machine.environment][name]
		if said then
			numbers(r, machine, second and "4.20" or "4.19", said, apart, function(form) return side.O3.cycles / apart[form].cycles end, apart.program.theirs)
		end
	end
end

-- What passes do is the same on every machine.
local function of_passes(r)
	local of = r.at[r.machines[1]]
	r.say("\nWhat the thesis says of the passes")
	for _, row in ipairs { { "srqp esrqp", "bfs barnes_hut nearest_neighbours kmeans backprop srad sobel_strided bilateral_strided", false },
		{ "ssrqp-s", "backprop srad hot_spot lu particle_filter", true }, { "ssrqp", "bfs barnes_hut kmeans nearest_neighbours", true },
		{ "ssrqp", "backprop srad sobel_strided bilateral_strided", false } } do
		for form in row[1]:gmatch("%S+") do
			for name in row[2]:gmatch("%S+") do
				local j = of[name]
				if j[form] then
					r.claim("text", ("%s: %s %s"):format(j.program.theirs, form, row[3] and "changes something" or "changes nothing"), ("%d loads removed, %d inserted"):format(
						counted(j, form, "loads removed"), counted(j, form, "loads inserted")), touched(j, form) == row[3], j, form)
				end
			end
		end
	end
	local j, differ = nil, {}
	for _, p in ipairs(r.programs) do
		j = of[p.name]
		if not p.figure and j.srqp.loads ~= j.esrqp.loads then differ[#differ + 1] = p.theirs end
	end
	r.claim("text", "ESRQP does as well as SRQP on the suites", #differ == 0 and "so" or "it leaves loads that SRQP removes in " .. table.concat(differ, ", "), #differ == 0)
	for _, name in ipairs { "hot_spot", "lu", "particle_filter" } do
		j = of[name]
		if j["ssrqp-s"] then
			r.claim("4.14", j.program.theirs .. ": SSRQP_S loses", percent(r.speed(j, "ssrqp-s")), sign(r.speed(j, "ssrqp-s")) < 0, j, "ssrqp-s")
		end
	end
end

function show.sayings(r)
	of_passes(r)
	for _, machine in ipairs(r.machines) do
		if machine.environment then of_machine(r, machine) end
	end
end

-- ---- pictures ----

function show.pictures(r)
	for _, machine in ipairs(r.machines) do
		local of = r.at[machine]
		r.bars(("figure4.14-%s-%s"):format(machine.name, machine.model), ("figures 4.14 to 4.17: %s on %s.lua"):format(machine.model, machine.name), "speed-up over O3",
			r.programs, r.forms, function(p, form) return r.speed(of[p.name], form) end, 1)
	end
	r.bars("loads", "global loads of warps", "to those of O3", r.programs, r.forms, function(p, form)
		local j = r.at[r.machines[1]][p.name]
		return r.share(j.O3.loads, j[form].loads)
	end, 1)
end

return show
