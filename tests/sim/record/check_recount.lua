-- The report's lost lanes, partings and meetings against the recount of the trace, by line and by branch; and
-- the branch that the text names first. check_recount.lua TOP: kernels under every second
-- mechanism, the next kernel under the others, and random kernels under all; check_recount.lua TOP OPTION... MODULE: of that run.
local top = arg[1]
local json = dofile(top .. "/tools/json.lua")
local recount = dofile(top .. "/tests/sim/record/recount.lua")
local FIGURES = { "partings", "lost", "overhead_lost", "cycles" }
local failed, compared = 0, 0
local charged = {} -- kinds of places that lost lanes are charged to

local function fail(what)
	failed = failed + 1
	if failed <= 20 then print("FAILED: " .. what) end
end

local function same(what, want, got)
	compared = compared + 1
	if want ~= got then fail(("%s: %s in the report, %s from the trace"):format(what, got, want)) end
end

-- ---- tables of figures by place ----

local function add(rows, key, p)
	local row = rows[key] or {}
	for _, f in ipairs(FIGURES) do row[f] = (row[f] or 0) + (p[f] or 0) end
	for block, times in pairs(p.met or {}) do
		local f = "met in " .. block
		row[f] = (row[f] or 0) + times
	end
	rows[key] = row
end

local function same_rows(what, want, got)
	local keys = {}
	for key in pairs(want) do keys[key] = true end
	for key in pairs(got) do keys[key] = true end
	for key in pairs(keys) do
		local figures = {}
		for f in pairs(want[key] or {}) do figures[f] = true end
		for f in pairs(got[key] or {}) do figures[f] = true end
		for f in pairs(figures) do same(what .. key .. ": " .. f, (want[key] or {})[f] or 0, (got[key] or {})[f] or 0) end
	end
end

local function line_of(fn, file, line) return ("%s %s:%d"):format(fn, line > 0 and file or "", line) end
local function branch_of(fn, block, line) return ("%s %s, line %d"):format(fn, block, line) end

-- What was counted of a launch, by lines and by branches. What a mechanism has put there for a branch has its
-- line and stands in its block; exec_mask makes blocks of its own.
local function counted_rows(launch, model)
	local lines, branches = {}, {}
	for _, p in pairs(launch.place) do
		local figures = { partings = p.partings, lost = p.lost[1], overhead_lost = p.lost[2], cycles = p.cycles }
		add(lines, line_of(p.fn, p.file, p.line), figures)
		figures.met = p.met
		add(branches, branch_of(p.fn, model == "exec_mask" and "" or p.block, p.line), figures)
	end
	return lines, branches
end

-- Where partings ended, by block; "": as lanes ended.
local function meetings(b)
	local met = {}
	for _, m in ipairs(b.met or {}) do met[m.label or ""] = (met[m.label or ""] or 0) + m.times end
	return met
end

local function reported_rows(launch, model)
	local lines, branches = {}, {}
	for _, l in ipairs(launch.lines) do
		if l["function"] then add(lines, line_of(l["function"], l.file, l.line), l) end
	end
	for _, list in ipairs { launch.branches, launch.partings } do
		for _, b in ipairs(list) do
			add(branches, branch_of(b["function"], model == "exec_mask" and "" or b.label, b.line or 0),
				{ partings = b.partings, lost = b.lost, overhead_lost = b.overhead_lost, cycles = b.cycles, met = meetings(b) })
			if b.lost > 0 then charged[b.kind] = (charged[b.kind] or 0) + 1 end
		end
	end
	return lines, branches
end

-- ---- runs ----

local function same_launch(what, report, counted, model)
	same(what .. "no thread", counted.no_thread[1], report.lanes.no_thread)
	same(what .. "ended", counted.ended[1], report.lanes.ended)
	same(what .. "no thread in overhead", counted.no_thread[2], report.overhead.no_thread)
	same(what .. "ended in overhead", counted.ended[2], report.overhead.ended)
	same(what .. "meetings", counted.meetings, report.divergence.reconvergences)
	local lines, branches = counted_rows(counted, model)
	local of_lines, of_branches = reported_rows(report, model)
	for _, b in ipairs(report.branches) do -- exec_mask goes round for each way of an indexed branch, and its lanes part on the way
		if b.divergent == 0 and b.kind == "branch" then same(what .. "partings at a branch that does not diverge", 0, b.partings) end
	end
	same_rows(what .. "line ", lines, of_lines)
	same_rows(what .. "branch in ", branches, of_branches)
end

-- The first row of the text report's table of branches: line, lanes lost, cycles.
local function first_row(text)
	local row = text:match("\nbranches by lanes lost[^\n]*\n([^\n]*)")
	if not row then return nil end
	local line, lost, cycles = row:match(":(%d+) .- (%d+) +[%d.]+ %% +(%d+)  %S")
	return tonumber(line), tonumber(lost), tonumber(cycles)
end

-- It is the place of the total that has lost most.
local function same_first(what, text, total)
	local best = {}
	for _, list in ipairs { total.branches, total.partings } do
		for _, b in ipairs(list) do
			if not best.lost or b.lost > best.lost then best = b end
		end
	end
	local line, lost, cycles = first_row(text)
	same(what .. "most lanes lost", best.lost, lost)
	if lost and lost > 0 then
		same(what .. "line of most lanes lost", best.line, line)
		same(what .. "cycles of most lanes lost", best.cycles, cycles)
	end
end

local function run(options)
	local trace, file = os.tmpname(), os.tmpname()
	local pipe = assert(io.popen(("gsim --alone -t %s -s %s %s"):format(trace, file, options)))
	local text = pipe:read("a")
	assert(pipe:close(), "gsim has failed")
	local report = json.read(file)
	local runs, nth = report.runs or { report }, 0
	local launches = recount.read(trace, runs[1].configuration.values.warp_size)
	os.remove(trace)
	os.remove(file)
	for _, r in ipairs(runs) do
		for _, launch in ipairs(r.launches or {}) do
			if r.mode ~= "timed" then -- nobody measures cycles
				for _, p in pairs(launches[nth].place) do p.cycles = 0 end
			end
			same_launch(("%s, %s, launch %d: "):format(options, r.model, nth), launch, launches[nth], r.model)
			nth = nth + 1
		end
	end
	if not report.runs and report.mode == "timed" then same_first(options .. ": ", text, report.total) end
end

local function mechanisms()
	local list = {}
	for line in io.popen("gsim --list models"):lines() do
		local name = line:match("^([%a_]+) ")
		if name and name ~= "mimd" then list[#list + 1] = name end
	end
	list[#list + 1] = "'dws(memory=aggressive,merge=branch)'"
	list[#list + 1] = "'its(switch_stall=20)'"
	list[#list + 1] = "'sbi(constraints=false)'"
	return list
end

local KERNELS = {
	{ "collatz/collatz.ptx", "volta.lua" }, { "calculator/calculator.ir", "kepler.lua" }, { "quicksort/quicksort.ptx", "fermi.lua" },
	{ "string_search/string_search.ptx", "volta.lua" }, { "dispatch/dispatch.ptx", "ampere.lua" }, { "regroup/regroup.ir", "kepler.lua" },
}

-- The example of doc/reconvergence.md.
local function example()
	local file = os.tmpname()
	assert(os.execute(("gsim -q -c teaching.lua -m ipdom -s %s %s/kernels/oracles/b2.ir"):format(file, top)))
	local launch = json.read(file).launches[1]
	os.remove(file)
	for _, want in ipairs { { line = 15, lost = 11, overhead_lost = 2, cycles = 12 }, { line = 21, lost = 3, overhead_lost = 1, cycles = 4 } } do
		for _, b in ipairs(launch.branches) do
			for figure, value in pairs(want) do
				if b.line == want.line then same(("b2, line %d: %s"):format(want.line, figure), value, b[figure]) end
			end
		end
	end
	same("b2: meetings", 2, launch.divergence.reconvergences)
end

-- What the two branches of kernels/collatz lose, from the sequences alone: a turn is six instructions up to
-- the branch of line 8, one for even numbers, three for odd ones, and three up to the branch of line 7, at
-- which those leave that have come to 1.
local function collatz()
	local lost, file = { [7] = 0, [8] = 0 }, os.tmpname()
	for first = 0, 39, 32 do
		local x, n = {}, math.min(32, 40 - first)
		for lane = 1, n do x[lane] = 9 + first + lane - 1 end
		while true do
			local odd, even = 0, 0
			for lane = 1, n do
				if x[lane] ~= 1 then
					if x[lane] % 2 == 1 then x[lane], odd = 3 * x[lane] + 1, odd + 1 else x[lane], even = x[lane] // 2, even + 1 end
				end
			end
			if odd + even == 0 then break end
			lost[7] = lost[7] + (n - odd - even) * (6 + (even > 0 and 1 or 0) + (odd > 0 and 3 or 0) + 3)
			lost[8] = lost[8] + (even > 0 and odd or 0) + (odd > 0 and 3 * even or 0)
		end
	end
	assert(os.execute(("gsim -q -c volta.lua -m ipdom -w %s/tests/sim/record/recount/collatz.lua -s %s %s/kernels/collatz/collatz.ptx"):format(top, file, top)))
	local got = {}
	for _, b in ipairs(json.read(file).launches[1].branches) do got[b.line] = (got[b.line] or 0) + b.lost end
	os.remove(file)
	for line, n in pairs(lost) do same(("collatz, line %d, by its sequences: lanes lost"):format(line), n, got[line]) end
end

if arg[2] then
	run(table.concat(arg, " ", 2))
else
	example()
	collatz()
	for k, kernel in ipairs(KERNELS) do
		local module, machine = kernel[1], kernel[2]
		local workload = module:match("^(.-)/") .. ".lua"
		for n, m in ipairs(mechanisms()) do
			if (k + n) % 2 == 0 then run(("-c %s -m %s -w %s/tests/sim/record/recount/%s %s/kernels/%s"):format(machine, m, top, workload, top, module)) end
		end
	end
	local module, grid = os.tmpname(), " -m " .. table.concat(mechanisms(), " -m ")
	for seed = 1, 3 do
		assert(os.execute(("differential --print --size 20 --seed %d >%s"):format(seed, module)))
		for _, how in ipairs { "", "--functional" } do run(("--grid -c kepler.lua %s %s %s"):format(how, grid, module)) end
	end
	os.remove(module)
	for _, kind in ipairs { "branch", "indexed branch", "call", "return", "load", "yield" } do
		if not charged[kind] then fail("no lost lane is charged to a " .. kind) end
	end
end
print(("%d figures, %d differ"):format(compared, failed))
os.exit(failed == 0)
