-- V. Bulavintsev, "Flattening of data-dependent nested loops for compile-time optimization of GPU programs"
-- (2019): figure 7, on turing.lua (the paper: RTX 2060) under its and ipdom: how fast a nest of loops is in
-- which k of 32 lanes leave the inner loop early, as it is, flattened, and with its loops merged by
-- linearization, for four weights of the outer loop to the inner one.
--
-- The paper's runs have E = 500 turns of A (the outer loop) and up to M = 10000 of B: too long to simulate 32
-- times. Turns can be counted without running them, and a turn costs what it costs: runs with few turns give
-- the cycles of each kind of turn, by least squares, others check them, and so do two long runs. Arguments:
-- source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local plot, tool, json = dofile(top .. "/tools/plot.lua"), dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")

local SEED, TURNS, MOST = 1234, 500, 10000
local NESTS = { -- a: first block of loop A; turns of A and B in the runs that are fitted: long bodies, few turns
	{ name = "10/1", kernel = "flattening_10_1", a = "$L__BB2_5", b = 2, turns = 16, most = 96, long = true },
	{ name = "1/1", kernel = "flattening_1_1", a = "$L__BB3_5", b = 4, turns = 16, most = 96, long = true },
	{ name = "1/10", kernel = "flattening_1_10", a = "$L__BB4_5", b = 40, turns = 10, most = 30 },
	{ name = "1/100", kernel = "flattening_1_100", a = "$L__BB5_5", b = 400, turns = 8, most = 12, levels = 2 }, -- B has a loop of its own
}
local MECHANISMS = { "its", "ipdom" }
local quick = os.getenv("QUICK") -- one mechanism, no nest with a long body, no long run
if quick then
	MECHANISMS[2] = nil
	NESTS[4] = nil
end
local FORMS = { { name = "original", passes = "none", all = "none" } }
local passes = tool.capture("gsim-opt --list")
if passes:find("\nflatten ") then FORMS[#FORMS + 1] = { name = "flattened", passes = "flatten(rule=always,loops=[%s])", all = "flatten(rule=always)" } end
if passes:find("\n    merge ") then FORMS[#FORMS + 1] = { name = "merged", passes = "linearize(merge=%d)", merge = true, all = "linearize(merge=1)" } end

-- ---- turns that a warp makes, without running it ----

local function shift(s) return s >> 1 | ((s ~ s >> 2 ~ s >> 3 ~ s >> 5) & 1) << 15 end

-- For each turn of A the lanes that leave B after one turn, as bits.
local function early(k, turns)
	local s, narrow, list = SEED + 3457, k == 0 and 0 or 0xffffffff >> (32 - k), {}
	for _ = 1, 100 do s = shift(s) end
	for o = 1, turns do
		s = shift(s)
		list[o] = (narrow << (s & 31) | narrow >> (32 - (s & 31))) & 0xffffffff
	end
	return list
end

-- Turns of B; turns of A that all lanes (still in the loop) begin, and that only some begin; what lanes do
-- together: useful.
local function count(form, k, turns, most)
	local list, useful = early(k, turns), 0
	local starts, S = {}, 0
	local ends = {}
	for lane = 0, 31 do
		local at = 0
		for o = 1, turns do
			starts[at] = (starts[at] or 0) + 1
			at = at + (list[o] >> lane & 1 == 1 and 1 or most)
		end
		useful, S, ends[lane + 1] = useful + at, math.max(S, at), at
	end
	if form.name == "original" then
		local B = 0
		for o = 1, turns do B = B + (list[o] == 0xffffffff and 1 or most) end
		return { B = B, all = turns, some = 0, useful = useful }
	end
	table.sort(ends)
	local all, some, gone, steps = 0, 0, 0, {}
	for at in pairs(starts) do steps[#steps + 1] = at end
	table.sort(steps)
	for _, at in ipairs(steps) do
		while gone < 32 and ends[gone + 1] <= at do gone = gone + 1 end
		if starts[at] == 32 - gone then all = all + 1 else some = some + 1 end
	end
	return { B = S, all = all, some = some, useful = useful }
end

-- ---- runs ----

local report = out .. "/run.json"
local function run(nest, form, mechanism, k, turns, most)
	tool.progress(("%s, A/B = %s, %s, k = %d"):format(form.name, nest.name, mechanism, k))
	tool.capture(("gsim -q -c turing.lua -m %s -D sm.count=1 -p %s -s %s %s -- 1 %d %d %d %d %d %s"):format(mechanism, tool.quote(form.passes:format(form.merge and (nest.levels or 1) or nest.a)),
		tool.quote(report), form.module or tool.quote(top .. "/kernels/flattening/flattening.ptx"), SEED, turns, k, nest.b, most, nest.kernel))
	local l = json.read(report).launches[1]
	local fetches = {}
	for _, b in ipairs(l.blocks) do fetches[b.label] = b.fetches end
	return { cycles = l.cycles, fetches = fetches }
end

-- Least squares by normal equations: x with A x nearest to y.
local function solve(A, y)
	local n, M = #A[1], {}
	for i = 1, n do
		M[i] = {}
		for j = 1, n + 1 do
			local s = i == j and 1e-9 or 0
			for r = 1, #A do s = s + A[r][i] * (j <= n and A[r][j] or y[r]) end
			M[i][j] = s
		end
	end
	for i = 1, n do
		local best = i
		for r = i + 1, n do
			if math.abs(M[r][i]) > math.abs(M[best][i]) then best = r end
		end
		M[i], M[best] = M[best], M[i]
		for r = 1, n do
			if r ~= i then
				local f = M[r][i] / M[i][i]
				for j = i, n + 1 do M[r][j] = M[r][j] - f * M[i][j] end
			end
		end
	end
	local x = {}
	for i = 1, n do x[i] = M[i][n + 1] / M[i][i] end
	return x
end

local function row(form, k, turns, most)
	local c = count(form, k, turns, most)
	if form.name == "original" then return { 1, c.B, c.all }, c end
	return { 1, c.B, c.all, c.some }, c
end

local function cost(x, r)
	local t = 0
	for i = 1, #r do t = t + x[i] * r[i] end
	return t
end

-- ---- the sweep ----

local FITTED, CHECKED = { 0, 2, 5, 9, 14, 20, 26, 31 }, { 1, 11, 17, 29 }
local csv = { "mechanism,form,a_b,k,turns_of_a,most_turns_of_b,turns_b,turns_a,cycles,predicted,performance" }
local wrong_counts, counted, worst = 0, 0, 0

-- Turns of A and B of a run against the closed form.
local function compare(nest, form, m, c)
	local function fetched(tail)
		for label, n in pairs(m.fetches) do
			if label:find("$L__BB%d+" .. tail .. "$") then return n end
		end
	end
	counted = counted + 2
	for _, v in ipairs { { "_6", c.B }, { "_5", c.all + c.some } } do
		if fetched(v[1]) ~= v[2] then
			wrong_counts = wrong_counts + 1
			if wrong_counts <= 5 then
				print(("%s, A/B = %s: block %s: %s fetches, not %d"):format(form.name, nest.name, v[1], fetched(v[1]), v[2]))
			end
		end
	end
end

local function measure(mechanism, form, nest)
	local A, y = {}, {}
	local function one(k, turns, most)
		local r, c = row(form, k, turns, most)
		local m = run(nest, form, mechanism, k, turns, most)
		compare(nest, form, m, c)
		return r, c, m.cycles
	end
	for _, size in ipairs { { nest.turns, nest.most }, { nest.turns // 2, nest.most }, { nest.turns, nest.most // 2 } } do
		for _, k in ipairs(form.name == "original" and { 0, 31 } or FITTED) do
			local r, _, cycles = one(k, size[1], size[2])
			A[#A + 1], y[#y + 1] = r, cycles
		end
	end
	local x = solve(A, y)
	local s = { x = x, worst = 0, performance = {}, row = {} }
	local function check(k, turns, most)
		local r, c, cycles = one(k, turns, most)
		local predicted = cost(x, r)
		s.worst = math.max(s.worst, math.abs(predicted / cycles - 1))
		csv[#csv + 1] = ("%s,%s,%s,%d,%d,%d,%d,%d,%d,%.0f,"):format(mechanism, form.name, nest.name, k, turns, most, c.B, c.all + c.some, cycles, predicted)
	end
	for _, k in ipairs(CHECKED) do check(k, nest.turns + 3, nest.most + 4) end
	if nest.long and form.name ~= "original" and not quick then check(31, TURNS, MOST) end
	worst = math.max(worst, s.worst)
	for k = 0, 31 do
		local r, c = row(form, k, TURNS, MOST)
		local cycles = cost(x, r)
		s.performance[k] = c.useful / cycles
		s[k] = cycles
		s.row[k] = ("%s,%s,%s,%d,%d,%d,%d,%d,,%.0f"):format(mechanism, form.name, nest.name, k, TURNS, MOST, c.B, c.all + c.some, cycles)
	end
	return s
end

local result = {}
for _, mechanism in ipairs(MECHANISMS) do
	local best = {}
	result[mechanism] = {}
	for _, form in ipairs(FORMS) do
		local of = {}
		result[mechanism][form.name] = of
		for _, nest in ipairs(NESTS) do
			local s = measure(mechanism, form, nest)
			of[nest.name] = s
			best[nest.name] = best[nest.name] or s.performance[0] -- the original's, which comes first
			for k = 0, 31 do
				s.performance[k] = s.performance[k] / best[nest.name]
				csv[#csv + 1] = ("%s,%.4f"):format(s.row[k], s.performance[k])
			end
		end
	end
end
tool.progress("")

-- ---- what came out ----

local SHOWN = { 0, 1, 2, 4, 8, 14, 20, 26, 31 }
local function crossover(s, o) -- the first k from which the form is never slower
	for k = 31, 0, -1 do
		if s[k] > o[k] then return k + 1 end
	end
	return 0
end
print(("performance: lanes' turns of B per cycle, 1 = the original at k = 0; E = %d, M = %d, turing.lua"):format(TURNS, MOST))
print("cycles of a turn of B, of A when all and when some lanes begin it; speed-up at k = 31; k from which it is not slower; worst prediction")
local head = { ("%-26s"):format("k =") }
for _, k in ipairs(SHOWN) do head[#head + 1] = ("%6d"):format(k) end
print(table.concat(head) .. "        B    A all A some  speed from  error")
for _, mechanism in ipairs(MECHANISMS) do
	for _, form in ipairs(FORMS) do
		for _, nest in ipairs(NESTS) do
			local s, o = result[mechanism][form.name][nest.name], result[mechanism].original[nest.name]
			local line = { ("%-5s %-10s A/B %-6s"):format(mechanism, form.name, nest.name) }
			for _, k in ipairs(SHOWN) do line[#line + 1] = (" %5.3f"):format(s.performance[k]) end
			print(("%s  %7.0f %7.0f %6s %6.2f %4d %5.2f %%"):format(table.concat(line), s.x[2], s.x[3],
				s.x[4] and ("%.0f"):format(s.x[4]) or "-", o[31] / s[31], crossover(s, o), 100 * s.worst))
		end
	end
end

-- The first k at which the pass would take the nest by a rule, told the mean turns of B; lanes that leave
-- early are idle.
local function pays(nest, rule)
	local low, high = 0, 32
	while low < high do
		local k = (low + high) // 2
		local list = ("flatten(loops=[%s],rule=%s,assume-idle=%d,assume-turns=%d)"):format(nest.a, rule, k, ((32 - k) * MOST + k) // 32)
		local text = tool.capture(("gsim-opt --filter %s --pass-stats -o /dev/null -p %s %s 2>&1"):format(nest.kernel, tool.quote(list),
			tool.quote(top .. "/kernels/flattening/flattening.ptx")))
		if text:find("nests flattened", 1, true) then high = k else low = k + 1 end
	end
	return low
end
if FORMS[2] and passes:find("\n    rule ") then
	print("\nfrom which k flattening pays: by the paper's formula (1), by the pass's corrected one, and here (its, ipdom)")
	for _, nest in ipairs(NESTS) do
		local line = { ("  A/B %-6s %3d %3d "):format(nest.name, pays(nest, "paper"), pays(nest, "corrected")) }
		for _, mechanism in ipairs(MECHANISMS) do
			line[#line + 1] = ("%3d"):format(crossover(result[mechanism].flattened[nest.name], result[mechanism].original[nest.name]))
		end
		print(table.concat(line, " "))
	end
end

print("\nrows of a sparse matrix, lengths by a power law, 8 warps (kernels/sparse_rows): cycles, and lanes of 32 that an instruction has")
for _, mechanism in ipairs(MECHANISMS) do
	for _, form in ipairs(FORMS) do
		tool.progress(("%s, rows, %s"):format(form.name, mechanism))
		tool.capture(("gsim -q -c turing.lua -m %s -p %s -s %s %s -- %d 8"):format(mechanism, tool.quote(form.all), tool.quote(report),
			tool.quote(top .. "/kernels/sparse_rows/sparse_rows.ptx"), quick and 2000 or 8000))
		local line = { ("%-5s %-10s"):format(mechanism, form.name) }
		for i, l in ipairs(json.read(report).launches) do
			local cycles, lanes = l.cycles, l.thread_instructions / l.warp_instructions
			form[mechanism .. i] = cycles
			line[#line + 1] = ("%-11s %8d  %5.2f  speed %5.2f"):format(l.kernel, cycles, lanes, FORMS[1][mechanism .. i] / cycles)
			csv[#csv + 1] = ("%s,%s,%s,,,,,,%d,,"):format(mechanism, form.name, l.kernel, cycles)
		end
		print(table.concat(line, "   "))
	end
end
tool.progress("")

local missed = 0
local function target(what, met, cause)
	if not met then missed = missed + 1 end
	print(("  %-90s %s"):format(what, met and "met" or "missed: " .. cause))
end
print("\nT-F1")
target(("turns of A and B as the closed form says: %d of %d"):format(counted - wrong_counts, counted), wrong_counts == 0, "see above")
target(("cycles as predicted, within 1 %%: worst %.2f %%"):format(100 * worst), worst < 0.01, "turns do not cost the same each time")
for _, mechanism in ipairs(MECHANISMS) do
	local original, flat = result[mechanism].original, result[mechanism].flattened
	local low, high, spread = math.huge, 0, 0
	for _, nest in ipairs(NESTS) do
		local o = original[nest.name]
		low, high = math.min(low, o.performance[31]), math.max(high, o.performance[31])
		for k = 0, 31 do spread = math.max(spread, math.abs(o[k] / o[0] - 1)) end
	end
	target(("%s: performance of the original at k = 31 is 0.031 +- 0.002: %.4f to %.4f"):format(mechanism, low, high),
		low >= 0.029 and high <= 0.033, "the original's time depends on k")
	target(("%s: time of the original does not depend on k, within 1 %%: %.2f %%"):format(mechanism, 100 * spread), spread <= 0.01,
		"it does")
	if flat then
		local loss, shown, falling = {}, {}, true
		for i, nest in ipairs(NESTS) do
			loss[i] = 1 - flat[nest.name].performance[31]
			shown[i] = ("%.2f"):format(loss[i])
		end
		for i = 2, #loss do falling = falling and loss[i] <= loss[i - 1] end
		target(("%s: flattened, the loss at k = 31 is 0.20 to 0.60 (paper: 0.24 to 0.56): %s"):format(mechanism, table.concat(shown, " ")),
			math.max(table.unpack(loss)) <= 0.6 and math.min(table.unpack(loss)) >= 0.2, "overheads differ from the paper's")
		target(("%s: flattened, the loss falls with A/B"):format(mechanism), falling, "it does not")
		local up = original["1/10"][31] / flat["1/10"][31]
		target(("%s: flattened, speed-up at A/B = 1/10 and k = 31 is 20 to 28 (paper: up to 24): %.1f"):format(mechanism, up), up >= 20 and up <= 28,
			"overheads differ from the paper's")
		local at = crossover(flat["10/1"], original["10/1"])
		target(("%s: flattened, not slower at 10/1 from k = 10 to 18 (paper: 14): %d"):format(mechanism, at), at >= 10 and at <= 18,
			("a turn of B costs %.0f %% more, in place of 65 %%"):format(100 * (flat["10/1"].x[2] / original["10/1"].x[2] - 1)))
		for _, name in ipairs { "1/10", NESTS[4] and "1/100" } do
			at = crossover(flat[name], original[name])
			target(("%s: flattened, not slower at %s from k <= 2: %d"):format(mechanism, name, at), at <= 2,
				("a turn of B costs %.1f %% more"):format(100 * (flat[name].x[2] / original[name].x[2] - 1)))
		end
	end
end

-- ---- files ----

tool.write(out .. "/flattening.csv", table.concat(csv, "\n") .. "\n")
for _, mechanism in ipairs(MECHANISMS) do
	for _, form in ipairs(FORMS) do
		if form.name ~= "original" then
			local series = {}
			for _, nest in ipairs(NESTS) do
				local points = {}
				for k = 0, 31 do points[#points + 1] = { k, result[mechanism][form.name][nest.name].performance[k] } end
				series[#series + 1] = { name = "A/B = " .. nest.name, points = points, style = "both" }
			end
			local points = {}
			for k = 0, 31 do points[#points + 1] = { k, result[mechanism].original["1/1"].performance[k] } end
			series[#series + 1] = { name = "original", points = points, style = "line" }
			plot.write(("%s/%s-%s.svg"):format(out, form.name, mechanism), { title = ("figure 7: %s, %s"):format(form.name, mechanism),
				x = "k, lanes of 32 that leave the inner loop early", y = "performance, 1 = the original at k = 0", series = series })
		end
	end
end
os.remove(report)
print(("CSV and plots are in %s"):format(out))
os.exit(missed == 0 and 0 or 1)
