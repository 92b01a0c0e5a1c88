-- The report's lost lanes, partings and meetings against the recount of the trace, by line and by branch, and the branch that the text names first.
-- check_recount.lua TOP: kernels under every mechanism, random kernels under those that form warps of several;
-- check_recount.lua TOP OPTION... MODULE: of that run.
local top = arg[1]
local json = dofile(top .. "/tools/json.lua")
local recount = dofile(top .. "/tests/sim/record/recount.lua")
local FIGURES = { "partings", "lost", "overhead_lost", "cycles" }
local failed, compared = 0, 0

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
	rows[key] = row
end

local function same_rows(what, want, got)
	local keys = {}
	for key in pairs(want) do keys[key] = true end
	for key in pairs(got) do keys[key] = true end
	for key in pairs(keys) do
		for _, f in ipairs(FIGURES) do same(what .. key .. ": " .. f, (want[key] or {})[f] or 0, (got[key] or {})[f] or 0) end
	end
end

local function line_of(fn, file, line) return ("%s %s:%d"):format(fn, line > 0 and file or "", line) end
local function branch_of(fn, block, line) return ("%s %s, line %d"):format(fn, block, line) end

-- What was counted of a launch, by lines and by branches. What a mechanism has put there for a branch stands in its block and has its line.
local function counted_rows(launch)
	local lines, branches = {}, {}
	for _, p in pairs(launch.place) do
		local figures = { partings = p.partings, lost = p.lost[1], overhead_lost = p.lost[2], cycles = p.cycles }
		add(lines, line_of(p.fn, p.file, p.line), figures)
		add(branches, branch_of(p.fn, p.block, p.line), figures)
	end
	return lines, branches
end

local function reported_rows(launch)
	local lines, branches = {}, {}
	for _, l in ipairs(launch.lines) do
		if l["function"] then add(lines, line_of(l["function"], l.file, l.line), l) end
	end
	for _, list in ipairs { launch.branches, launch.partings } do
		for _, b in ipairs(list) do add(branches, branch_of(b["function"], b.label, b.line or 0), b) end
	end
	return lines, branches
end

-- ---- runs ----

local function same_launch(what, report, counted)
	same(what .. "no thread", counted.no_thread[1], report.lanes.no_thread)
	same(what .. "ended", counted.ended[1], report.lanes.ended)
	same(what .. "no thread in overhead", counted.no_thread[2], report.overhead.no_thread)
	same(what .. "ended in overhead", counted.ended[2], report.overhead.ended)
	same(what .. "meetings", counted.meetings, report.divergence.reconvergences)
	local lines, branches = counted_rows(counted)
	local of_lines, of_branches = reported_rows(report)
	same_rows(what .. "line ", lines, of_lines)
	same_rows(what .. "branch in ", branches, of_branches)
end

-- The first row of the text report's table of branches: line, lanes lost, cycles.
local function first_row(text)
	local row = text:match("\nbranches by lanes lost[^\n]*\n([^\n]*)")
	if not row then return nil end
	local line, lost, cycles = row:match(":(%d+) .- ([%d,]+) +([%d,]+)$")
	return tonumber(line), tonumber((lost:gsub(",", ""))), tonumber((cycles:gsub(",", "")))
end

-- The branch of the report's total that has lost most is the text's first, and as much is lost there as the trace says: in the module's own issues.
local function same_first(what, text, report, launches)
	local branches, best = {}, nil
	for _, launch in pairs(launches) do
		for _, p in pairs(launch.place) do
			add(branches, branch_of(p.fn, p.block, p.line), { lost = p.lost[1], cycles = p.cycles })
		end
	end
	for _, list in ipairs { report.total.branches, report.total.partings } do
		for _, b in ipairs(list) do
			local row = branches[branch_of(b["function"], b.label, b.line or 0)]
			if row and (not best or row.lost > best.lost) then best = { lost = row.lost, cycles = row.cycles, line = b.line } end
		end
	end
	local line, lost, cycles = first_row(text)
	same(what .. "first branch, line", best.line, line)
	same(what .. "first branch, lanes lost", best.lost, lost)
	same(what .. "first branch, cycles", best.cycles, cycles)
end

local function run(options)
	local trace, file = os.tmpname(), os.tmpname()
	local pipe = assert(io.popen(("gsim --alone -t %s -s %s %s"):format(trace, file, options)))
	local text = pipe:read("a")
	assert(pipe:close(), "gsim has failed")
	local report = json.read(file)
	local launches = recount.read(trace, report.configuration.values.warp_size)
	os.remove(trace)
	os.remove(file)
	if report.mode ~= "timed" then -- nobody measures cycles
		for _, launch in pairs(launches) do
			for _, p in pairs(launch.place) do p.cycles = 0 end
		end
	end
	for k, launch in ipairs(report.launches) do same_launch(("%s, launch %d: "):format(options, k - 1), launch, launches[k - 1]) end
	if report.mode == "timed" then same_first(options .. ": ", text, report, launches) end
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
	{ "string_search/string_search.ptx", "volta.lua" }, { "regroup/regroup.ir", "kepler.lua" },
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

if arg[2] then
	run(table.concat(arg, " ", 2))
else
	example()
	for _, k in ipairs(KERNELS) do
		local module, machine = k[1], k[2]
		local workload = module:match("^(.-)/") .. ".lua"
		for _, m in ipairs(mechanisms()) do
			run(("-c %s -m %s -w %s/tests/sim/record/recount/%s %s/kernels/%s"):format(machine, m, top, workload, top, module))
		end
	end
	local module = os.tmpname()
	for seed = 1, 8 do
		assert(os.execute(("differential --print --seed %d >%s"):format(seed, module)))
		for _, m in ipairs { "dwf", "tbc", "dwf --functional", "tbc --functional" } do run(("-c kepler.lua -m %s %s"):format(m, module)) end
	end
	os.remove(module)
end
print(("%d figures, %d differ"):format(compared, failed))
os.exit(failed == 0)
