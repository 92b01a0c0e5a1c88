-- What the melding paper says of its figures, and the laws that hold whatever the paper says, against what
-- tools/reproduce-darm.lua has measured; table I, compile times, pictures. Returns functions of what
-- reproduce-darm.lua hands over: its tables, and what writes and counts.
local show = {}

local function programs(r) -- those of the paper's figure 7, without the synthetic ones
	local list = {}
	for _, p in ipairs(r.programs) do
		if not p.suite then list[#list + 1] = p end
	end
	return list
end
local function job(r, machine, name, block) return r.at[machine][name] and r.at[machine][name][block] end

-- ---- tables I and II ----

local MARK = { [true] = "yes", [false] = "no" }
local function melds(r, list, module, kernel)
	local n = 0
	local stats = r.tool.capture(("gsim-opt -c %s.lua --filter %s --pass-stats -o /dev/null -p %s %s 2>&1"):format(r.machines[1].name, kernel, list,
		r.tool.quote(("%s/kernels/melding/%s.ir"):format(r.top, module))))
	for what, count in stats:gmatch("%d %S+ +%S+ +(%l[%l ]-%l)  +(%d+)") do
		if what == "stretches melded" or what == "tails merged" then n = n + tonumber(count) end
	end
	return n > 0
end

function show.table1(r)
	local wrong = 0
	r.say("\nTable I: what tail merging, branch fusion and melding unite, as the paper says and here")
	for _, row in ipairs(r.paper.table1) do
		local here, theirs = {}, {}
		for i, list in ipairs { "tail-merge", "branch-fusion", "meld" } do
			local is = melds(r, list, row[2], row[3])
			here[i], theirs[i] = MARK[is], MARK[row[4][i]]
			if is ~= row[4][i] then wrong = wrong + 1 end
			r.record("I", r.machines[1], row[3], "", list, "melds", row[4][i] and 1 or 0, is and 1 or 0)
		end
		r.say("  %-20s %-7s %-12s %s", row[1], row[3], table.concat(theirs, " "), table.concat(here, " "))
	end
	r.claim("I", "table I: tail merging yes, no, no; branch fusion yes, yes, no; DARM yes, yes, yes", wrong == 0 and "so" or wrong .. " differ", wrong == 0)
end

-- Host time, which nothing is claimed of: with meld and without in turn, so that whatever else the host does
-- meets both.
function show.table2(r)
	local CLEAN, TIMES = "webs,const-prop,copy-prop,cse,gcse,copy-prop,dce,simplify-cfg", 9
	local rows = {}
	for _, p in ipairs(programs(r)) do
		local function seconds(list)
			local five = ("gsim-opt -c %s.lua -o /dev/null -p %s %s; "):format(r.machines[1].name, r.tool.quote(list), r.tool.quote(r.top .. "/" .. p.file)):rep(5)
			return tonumber(r.tool.capture(("a=$(date +%%s%%N); %sb=$(date +%%s%%N); echo $((b - a))"):format(five)))
		end
		local ratios = {}
		for i = 1, TIMES do ratios[i] = seconds(CLEAN .. ",meld") / seconds(CLEAN) end
		table.sort(ratios)
		local ratio = ratios[TIMES // 2 + 1]
		rows[#rows + 1] = ("%s %.2f (%.3f)"):format(p.name, ratio, r.paper.compile[p.name])
		r.record("II", r.machines[1], p.name, "", "meld", "time", r.paper.compile[p.name], ratio)
	end
	r.say("\nTable II: time of gsim-opt with clean-ups and meld to that with clean-ups alone, reading and writing included; the median of %d; host time, and", TIMES)
	r.say("so not checked; the paper's, of a whole compiler, in brackets")
	r.say("  %s", table.concat(rows, "  "))
end

-- ---- laws and targets ----

-- Accesses to shared memory that a block sorting bitonically makes apart from steps at which warps diverge:
-- two of each warp before and behind all steps, and two loads and two stores of each that compares anything
-- in the others, which is half of the warps where keys are far apart.
local function elsewhere(block, lanes)
	local n, k = 2, 2
	while k <= block do
		local step = k // 2
		while step > 0 do
			if k >= math.min(lanes, block) then n = n + (step < lanes and 4 or 2) end
			step = step // 2
		end
		k = 2 * k
	end
	return n * math.max(block // lanes, 1)
end

local function bitonic(r, m, p)
	local title, slow, other, form, far, ratios = ("%s on %s.lua: "):format(m.model, m.name), nil, nil, nil, nil, {}
	for _, block in ipairs(p.blocks) do
		local j = job(r, m, p.name, block)
		local _, keys = p.arguments(block)
		local rest = elsewhere(block, m.lanes) * keys // block
		local ratio = (j.meld.shared - rest) / (j.none.shared - rest)
		ratios[#ratios + 1] = ("%.3f"):format(ratio)
		r.record("law", m, p.name, block, "meld", "shared accesses of divergent steps", nil, ratio)
		if r.speed(j, "meld") <= 1 then slow = slow or j end
		if ratio < 0.45 or ratio > 0.65 then far = far or j end
		for _, f in ipairs { "branch-fusion", "tail-merge" } do
			if j[f].cycles ~= j.none.cycles then other, form = other or j, form or f end
		end
	end
	r.claim("law", title .. "bitonic sort gains by melding at every block size", slow and ("not at %d"):format(slow.block) or "so", not slow, slow)
	r.claim("law", title .. "branch fusion and tail merging leave it as it is, 1.00", other and "not so" or "so", not other, other, form)
	r.claim("law", title .. "in steps at which warps diverge, accesses to shared memory fall towards a half",
		"to " .. table.concat(ratios, " ") .. " by block size", not far, far)
end

function show.laws(r)
	r.say("\nWhat must hold")
	r.claim("law", "a higher threshold never melds more", #r.rises == 0 and "so" or "more for " .. table.concat(r.rises, ", "), #r.rises == 0)
	for _, m in ipairs(r.machines) do
		for _, p in ipairs(r.programs) do
			if p.name == "BIT" then bitonic(r, m, p) end
		end
	end
end

-- ---- what the paper says ----

local function means(r, machine, by_gain)
	local gain, fast = r.mean(machine, "meld"), r.mean(machine, "meld", r.fastest)
	r.claim("7", ("DARM's geometric mean is %.2f"):format(r.paper.mean), ("%.3f"):format(gain), r.near(gain, r.paper.mean, 0.05))
	r.claim("7", ("and %.2f over the block sizes that are best before"):format(r.paper.best), ("%.3f"):format(fast), r.near(fast, r.paper.best, 0.05))
	local ours, theirs, n = r.common(machine, "meld", 1)
	r.claim("7", ("DARM's geometric mean is %.3f over the %d program and block sizes that are measured here, too"):format(theirs, n), ("%.3f"):format(ours),
		r.near(ours, theirs, 0.05))
	for _, p in ipairs(programs(r)) do
		if p.name == "BIT" or p.name == "PCM" or p.name == "MS" or p.name == "DCT" then
			local best, most = r.fastest(machine, p), r.gaining(machine, p)
			r.claim("7", p.name .. ": the block size that is best before has the best speed-up", ("%.3f at %d, best %.3f at %d"):format(r.speed(best, "meld"), best.block,
				r.speed(most, "meld"), most.block), r.speed(best, "meld") > r.speed(most, "meld") - 0.005, most)
		end
	end
	for _, p in ipairs(programs(r)) do
		if p.name ~= "SRAD" then
			local worst
			for _, block in ipairs(p.blocks) do
				local j = job(r, machine, p.name, block)
				if not worst or r.speed(j, "meld") < r.speed(worst, "meld") then worst = j end
			end
			local s = r.speed(worst, "meld")
			r.claim("7", p.name .. ": DARM never loses (more than 1 %)", ("least %.3f, at %d threads a block"):format(s, worst.block), s > 0.99, worst)
		end
	end
	local first, second = by_gain[1].program.name, by_gain[2].program.name
	r.claim("7", "bitonic sort and partition and concurrent merge gain most", ("%s, then %s"):format(first, second),
		(first == "BIT" or first == "PCM") and (second == "BIT" or second == "PCM"))
end

local function fusion(r, machine, by)
	for _, row in ipairs { { "PCM", "improves" }, { "MS", "improves" }, { "BIT", "leaves alone" }, { "NQU", "leaves alone" } } do
		local j = r.gaining(machine, by[row[1]])
		local s = r.speed(j, "branch-fusion")
		r.claim("7", ("branch fusion %s %s"):format(row[2], row[1]), ("%.3f at %d"):format(s, j.block), row[2] == "improves" and s > 1.01 or
			row[2] == "leaves alone" and s == 1, j, "branch-fusion")
	end
	for _, row in ipairs { { 256, "16 x 16: branch fusion does better than DARM" }, { 1024, "32 x 32: both lose" } } do
		local j = job(r, machine, "SRAD", row[1])
		if j then
			local meld, fused = r.speed(j, "meld"), r.speed(j, "branch-fusion")
			local does = j["branch-fusion"].melds > 0 -- nothing done is not done better
			r.claim("7", "SRAD, " .. row[2], ("DARM %.3f, branch fusion %.3f, which melds %d"):format(meld, fused, j["branch-fusion"].melds),
				row[1] == 256 and does and fused > meld or row[1] == 1024 and meld < 1 and fused < 1,
				j, { "meld", "branch-fusion" })
		end
	end
	for _, block in ipairs(by.LUD.blocks) do
		local j, diverges = job(r, machine, "LUD", block), block // 2 < machine.lanes
		local s = r.speed(j, "meld")
		r.claim("7", ("LUD, %d threads: %s"):format(block, diverges and "gains" or "no warp diverges, no gain, no loss"), ("%s: %.3f, branch fusion %.3f"):format(
			j.none.kernel, s, r.speed(j, "branch-fusion")), diverges and s > 1.01 or not diverges and r.near(s, 1, 0.02), j)
	end
end

-- Which programs a counter of the passes is not 0 for, at any block size.
local function having(r, machine, form, what)
	local names = {}
	for _, p in ipairs(programs(r)) do
		local most = 0
		for _, block in ipairs(p.blocks) do most = math.max(most, job(r, machine, p.name, block)[form].counts[what] or 0) end
		if most > 0 then names[#names + 1] = p.name end
	end
	return #names > 0 and table.concat(names, ", ") or "none"
end

-- What is melded with what.
local function forms(r, machine, by)
	for _, row in ipairs { { "a region is melded with a region", "regions melded with regions", "BIT, PCM" },
		{ "a block is given a region's form (replication)", "blocks given a region's form", "PCM, NQU, SRAD" } } do
		local here = having(r, machine, "meld", row[2])
		r.claim("IV", ("%s in %s, and in no other"):format(row[1], row[3]), "in " .. here, here == row[3])
	end
	local j = r.gaining(machine, by.PCM)
	r.claim("IV", "branch fusion melds the inner diamonds of PCM, which are two, and no more", ("%d melds"):format(j["branch-fusion"].melds),
		j["branch-fusion"].melds == 2)
end

local function counted(r, machine, by)
	for _, p in ipairs(programs(r)) do
		local lanes, j = r.paper.lanes[p.name], r.gaining(machine, p)
		local up = lanes[2] > lanes[1]
		r.claim("8", ("%s: lanes in use %s, %g to %g %%"):format(p.name, up and "rise" or "fall", lanes[1], lanes[2]),
			("%.1f to %.1f %%"):format(100 * j.none.use, 100 * j.meld.use), up == (j.meld.use > j.none.use), j)
	end
	for _, name in ipairs { "BIT", "PCM", "LUD", "SRAD" } do
		local theirs, j = r.paper.shared[name][1], r.gaining(machine, by[name])
		local ours = r.share(j.none.shared, j.meld.shared)
		r.claim("9", ("%s: accesses to shared memory %s to %.3f"):format(name, theirs > 1 and "rise" or "fall", theirs), ("to %.3f"):format(ours),
			theirs > 1 and ours > 1 or theirs < 1 and ours < 0.99, j)
	end
	local j = r.gaining(machine, by.LUD)
	r.claim("9", ("LUD: accesses to global memory fall to %.3f"):format(r.paper.global.LUD[1]), ("to %.3f"):format(r.share(j.none.global, j.meld.global)),
		j.meld.global < j.none.global, j)
end

function show.sayings(r)
	local machine, by, by_gain = r.machines[1], {}, {}
	for i, p in ipairs(programs(r)) do by[p.name], by_gain[i] = p, r.gaining(machine, p) end
	table.sort(by_gain, function(a, b) return r.speed(a, "meld") > r.speed(b, "meld") end)
	r.say("\nWhat the paper says, of %s on %s.lua", machine.model, machine.name)
	means(r, machine, by_gain)
	forms(r, machine, by)
	fusion(r, machine, by)
	counted(r, machine, by)
	for _, s in ipairs(r.sweep) do
		if not s.program.suite then
			r.claim("10", s.program.name .. ": speed-up hardly differs below a threshold of 0.2, and is no higher above",
				("%.3f %.3f %.3f %.3f %.3f"):format(table.unpack(s.speeds)),
				r.near(s.speeds[1], s.speeds[2], 0.02) and math.max(s.speeds[3], s.speeds[4], s.speeds[5]) <= s.speeds[2] + 0.01, job(r, machine, s.program.name, s.block))
		end
	end
end

-- ---- pictures ----

-- A line for each program, and a broken one for what the paper has.
local function lines(r, file, title, x, log2, points_of)
	local series = {}
	for k, p in ipairs(programs(r)) do
		local here, theirs = points_of(p)
		series[#series + 1] = { name = p.name, points = here, style = "both", colour = k }
		if #theirs > 0 then series[#series + 1] = { points = theirs, style = "dashes", colour = k } end
	end
	r.plot.write(("%s/%s.svg"):format(r.out, file), { title = title .. " (broken lines: the paper's)", x = x, y = "speed-up", series = series, log2 = log2 })
end

function show.pictures(r)
	for _, m in ipairs(r.machines) do
		lines(r, "figure7-" .. m.model, ("figure 7: meld, %s on %s.lua"):format(m.model, m.name), "threads in a block", true, function(p)
			local points, theirs = {}, {}
			for i, block in ipairs(p.blocks) do
				points[i] = { block, r.speed(job(r, m, p.name, block), "meld") }
				local paper = (r.paper.speed[p.name] or {})[block]
				if paper then theirs[#theirs + 1] = { block, paper[1] } end
			end
			return points, theirs
		end)
	end
	local function bars(file, title, y, forms, of)
		r.bars(file, title, y, r.programs, forms, function(p, form) return of(r.gaining(r.machines[1], p), form) end, forms[1] ~= "none" and 1 or nil)
	end
	local all, changed = { "none", "meld", "branch-fusion" }, { "meld", "branch-fusion" }
	bars("figure8", "figure 8: lanes in use", "percent", all, function(j, form) return 100 * j[form].use end)
	bars("figure9-shared", "figure 9: accesses to shared memory", "to those before", changed, function(j, form) return r.share(j.none.shared, j[form].shared) end)
	bars("figure9-global", "figure 9: accesses to global memory", "to those before", changed, function(j, form) return r.share(j.none.global, j[form].global) end)
	lines(r, "figure10", "figure 10: meld by threshold", "threshold", false, function(p)
		local points, theirs = {}, {}
		for _, s in ipairs(r.sweep) do
			for t = 1, s.program == p and 5 or 0 do points[t] = { t / 10, s.speeds[t] } end
		end
		for t, speed in ipairs(r.paper.threshold[p.name] or {}) do theirs[t] = { t / 10, speed } end
		return points, theirs
	end)
end

return show
