-- What the thesis on code motion says of figures 4.7 and 4.8 in words, and the laws, against what
-- tools/reproduce-code-motion.lua has measured; experiment B; pictures. Returns functions of what
-- reproduce-code-motion.lua hands over: its tables, and what writes and counts.
local show = {}
local THESIS = "sscm(arms=1)" -- the thesis' SSCM, here `sscm arms`; `sscm` does without something that it does

-- Of what a warp does, not of cycles, that are compared with what a thesis says in words: half a percent is
-- no difference.
local function faster(r, j, a, b) return r.speed(j, a) > r.speed(j, b) + 0.005 end
local function slower(r, j, a, b) return faster(r, j, b, a) end
local function speeds(r, j, forms)
	return table.concat(r.each(forms, function(form) return ("%s %.3f"):format(r.short(form), r.speed(j, form)) end), ", ")
end

local function moved(j, form) return j[form].counts["expressions moved"] or 0 end
local function after(j, form) return j[form].counts["occurrences after"] or 0 end

-- ---- laws ----

local RELATION = { ["<"] = function(a, b) return a < b end, ["="] = function(a, b) return a == b end, [">"] = function(a, b) return a > b end }
-- Warp instructions in the order that a row asks for.
local function ordered(r, machine, j, ...)
	local chain, agrees, says, here, forms = { ... }, true, {}, {}, {}
	for i = 1, #chain, 2 do
		says[#says + 1], says[#says + 2] = r.short(chain[i]), chain[i + 1]
		here[#here + 1] = ("%s %d"):format(r.short(chain[i]), j[chain[i]].issued)
		if chain[i] ~= "O3" then forms[#forms + 1] = chain[i] end
		if chain[i + 1] then agrees = agrees and RELATION[chain[i + 1]](j[chain[i]].issued, j[chain[i + 2]].issued) end
	end
	r.claim("T-S1", ("%s on %s.lua: %s: %s"):format(machine.model, machine.name, j.program.name, table.concat(says, " ")), table.concat(here, ", "), agrees, j, forms)
end

function show.laws(r)
	r.say("\nWhat must hold; T-S1: warp instructions, with those that lowering adds")
	for _, machine in ipairs(r.machines) do
		for _, name in ipairs { "differences", "finite_differences" } do
			local j = r.at[machine][name]
			if j then
				for _, form in ipairs { "sscm", THESIS } do ordered(r, machine, j, form, "<", "scm", "=", "lcm", "=", "O3") end
				ordered(r, machine, j, "spre", ">", "O3")
			end
		end
		for _, name in ipairs { "histogram", "saturating_histogram" } do
			local j = r.at[machine][name]
			if j then ordered(r, machine, j, "lcm", ">", "O3", ">", "scm") end
		end
	end
	for _, form in ipairs { "sscm", THESIS } do
		local name, less, more = r.short(form), {}, {}
		for _, p in ipairs(r.programs) do
			local j = r.at[r.machines[1]][p.name]
			if j[form].registers < j.lcm.registers then less[#less + 1] = ("%s, %d and %d"):format(p.name, j[form].registers, j.lcm.registers) end
			if after(j, form) > after(j, "scm") or after(j, "scm") > after(j, "lcm") then more[#more + 1] = p.name end
		end
		r.claim("T-S1", name .. " needs at least as many registers as lcm", #less > 0 and "fewer in " .. table.concat(less, "; ") or "so", #less == 0)
		r.claim("static", name .. " leaves at most as many occurrences as scm, and scm as lcm", #more > 0 and "not in " .. table.concat(more, ", ") or "so", #more == 0)
	end
end

-- ---- figure 4.7 ----

local function by_kernel(r, machine)
	local function of(name) return r.at[machine][name] end
	local function about(j, form, percent)
		r.claim("4.7", ("%s: %s gains about %g %%"):format(j.program.theirs, r.short(form), percent), ("%.1f %%"):format(100 * (r.speed(j, form) - 1)),
			r.near(r.speed(j, form), 1 + percent / 100, 0.03), j, form)
	end
	local function nothing(j, form)
		r.claim("4.7", ("%s: %s moves nothing"):format(j.program.theirs, form), ("%d expressions"):format(moved(j, form)), moved(j, form) == 0, j, form)
	end
	local function says(j, what, forms, agrees)
		r.claim("4.7", j.program.theirs .. ": " .. what, speeds(r, j, forms), agrees, j, forms)
	end
	local j = of "barnes_hut"
	nothing(j, "lcm")
	r.claim("4.7", "barnshut: scm has fewer occurrences", ("%d, O3 %d"):format(after(j, "scm"), j.scm.counts["occurrences before"] or 0),
		after(j, "scm") < (j.scm.counts["occurrences before"] or 0), j, "scm")
	says(j, "sscm arms gains more than lcm and scm", { THESIS, "lcm", "scm" }, faster(r, j, THESIS, "lcm") and faster(r, j, THESIS, "scm"))
	says(j, "spre gains as much as sscm arms", { "spre", THESIS }, not faster(r, j, "spre", THESIS) and not slower(r, j, "spre", THESIS))
	j = of "nearest_neighbours"
	about(j, "spre", 5)
	about(j, THESIS, 5)
	says(j, "sscm arms gains more than lcm and scm", { THESIS, "lcm", "scm" }, faster(r, j, THESIS, "lcm") and faster(r, j, THESIS, "scm"))
	j = of "fluid"
	for _, form in ipairs { "lcm", "scm", "spre", THESIS } do about(j, form, 8) end
	for _, form in ipairs { "spre", THESIS } do
		local s = r.rate.fluid[form]
		r.claim("4.7", ("cfd: %s computes nothing by speculation"):format(r.short(form)), ("%d of %d values unread"):format(s.unread, s.values), s.unread == 0, j, form)
	end
	j = of "finite_differences"
	nothing(j, "lcm")
	nothing(j, "scm")
	about(j, THESIS, 8.07)
	says(j, "spre gains less than the others", { "spre", "lcm", "scm", THESIS }, slower(r, j, "spre", "lcm") and slower(r, j, "spre", "scm") and slower(r, j, "spre", THESIS))
	j = of "several_intervals"
	says(j, "sscm arms gains, more than lcm and scm", { THESIS, "lcm", "scm" }, faster(r, j, THESIS, "O3") and faster(r, j, THESIS, "lcm") and faster(r, j, THESIS, "scm"))
	says(j, "spre loses", { "spre" }, slower(r, j, "spre", "O3"))
	j = of "saturating_histogram"
	says(j, "lcm loses", { "lcm" }, slower(r, j, "lcm", "O3"))
	for _, form in ipairs { "scm", "spre", THESIS } do says(j, r.short(form) .. " gains", { form }, faster(r, j, form, "O3")) end
	j = of "bisect"
	r.claim("4.7", j.program.theirs .. ": lcm and scm remove something", ("%d and %d expressions"):format(moved(j, "lcm"), moved(j, "scm")),
		moved(j, "lcm") > 0 and moved(j, "scm") > 0, j, { "lcm", "scm" })
	for _, name in ipairs { "bisect", "mri_q" } do
		j = of(name)
		for _, form in ipairs { "lcm", "scm", "spre", THESIS } do says(j, r.short(form) .. " does not gain", { form }, not faster(r, j, form, "O3")) end
	end
	local best
	for _, name in ipairs { "barnes_hut", "nearest_neighbours", "fluid", "finite_differences", "several_intervals", "saturating_histogram", "bisect", "mri_q" } do
		if not best or r.speed(of(name), THESIS) > r.speed(best, THESIS) then best = of(name) end
	end
	r.claim("4.7", "sscm arms gains most on FDTD3D, 8.07 %", ("%s, %.1f %%"):format(best.program.theirs, 100 * (r.speed(best, THESIS) - 1)), best.program.theirs == "FDTD3D")
end

-- ---- figure 4.8 ----

local function by_grid(r, paper, most_registers)
	local title = ("MCML, %d registers: "):format(most_registers)
	local least, most, loses, says, spills = nil, nil, {}, {}, true
	local jobs = r.each(r.photons, function(j) return j.machine.most == most_registers and j or nil end)
	for _, j in ipairs(jobs) do
		local s = r.speed(j, THESIS)
		if not least or s < r.speed(least, THESIS) then least = j end
		if not most or s > r.speed(most, THESIS) then most = j end
		if s < 0.995 then
			loses[#loses + 1] = ("%d x %d"):format(j.blocks, j.block)
			spills = spills and j[THESIS].spills > j.O3.spills
		end
	end
	for i, at in ipairs(paper.loses) do says[i] = ("%d x %d"):format(at[1], at[2]) end
	local function percent(j) return ("%+.1f %% at %d x %d"):format(100 * (r.speed(j, THESIS) - 1), j.blocks, j.block) end
	r.claim("4.8", title .. ("the worst that sscm arms does is %+.1f %%"):format(paper.least), percent(least), r.near(r.speed(least, THESIS), 1 + paper.least / 100, 0.03), least, THESIS)
	r.claim("4.8", title .. ("the best is %+.1f %%, at %d x %d"):format(paper.most, table.unpack(paper.most_at)), percent(most),
		r.near(r.speed(most, THESIS), 1 + paper.most / 100, 0.15), most, THESIS)
	says, loses = table.concat(says, ", "), table.concat(loses, ", ")
	r.claim("4.8", title .. "it loses at " .. says, loses == "" and "nowhere" or loses, loses == says)
	r.claim("4.8", title .. "where it loses registers have spilled", loses == "" and "it loses nowhere" or spills and "so" or "not all of them", loses ~= "" and spills)
end

function show.sayings(r)
	local machine = r.machines[1]
	r.say("\nWhat the thesis says of figure 4.7, of %s on %s.lua; gain, lose: more than half a percent of the time; about: within three percent", machine.model, machine.name)
	by_kernel(r, machine)
	r.say("\nWhat the thesis says of figure 4.8%s", r.quick > 0 and ": not measured with -q, which leaves out grids that it speaks of" or "")
	for _, most in ipairs(r.quick > 0 and {} or { 255, 63 }) do by_grid(r, r.paper.photons, most) end
end

-- ---- pictures ----

function show.pictures(r)
	for _, machine in ipairs(r.machines) do
		r.bars(("figure4.7-%s-%s"):format(machine.name, machine.model), ("figure 4.7: %s on %s.lua"):format(machine.model, machine.name), "speed-up over O3",
			r.programs, r.forms, function(p, form) return r.speed(r.at[machine][p.name], form) end, 1)
	end
	if #r.photons > 0 then
		local series, of, colour, few = {}, {}, {}, 0
		for _, j in ipairs(r.photons) do
			local name = ("%d threads a block, %d registers"):format(j.block, j.machine.most)
			if not of[name] then
				of[name] = { name = name, points = {}, style = j.machine.most == 63 and "dashes" or "both", colour = colour[j.block] or few + 1 }
				if not colour[j.block] then few, colour[j.block] = few + 1, few + 1 end
				series[#series + 1] = of[name]
			end
			table.insert(of[name].points, { j.blocks, 100 * (r.speed(j, THESIS) - 1) })
		end
		r.plot.write(r.out .. "/figure4.8.svg", { title = "figure 4.8: MCML (broken lines: 63 registers)", x = ("blocks on the thesis' %d SMs; here %d SMs have as many each, one block at least"):format(r.paper.photons.units, r.set.units), log2 = true,
			y = "change of speed by sscm arms, percent", series = series })
	end
	r.bars("instructions", "warp instructions, with those that lowering adds", "to those of O3", r.programs, r.forms, function(p, form)
		local j = r.at[r.machines[1]][p.name]
		return j[form].issued / j.O3.issued
	end, 1)
end

return show
