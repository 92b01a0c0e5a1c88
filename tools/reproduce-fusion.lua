-- J. Fukuhara, "Compiler Optimization for GPU Based on Code Motion" (thesis, 2023), chapter 5: kernel fusion,
-- tables 5.1 (speed-up) and 5.2 (launches), the size of the code, and what section 7.1 says of SSCM and SSRQP
-- behind KFCM; for host programs in kind (kernels/host_programs). Its machine was a TITAN RTX: `its` on
-- titan_rtx.lua, a 24th of it. Numbers of the thesis: fusion-paper.lua; tables: fusion-tables.lua; laws, and
-- what it says: fusion-claims.lua. Arguments: source tree, output directory. Run by tools/reproduce; QUICK=1:
-- small sizes, three launch costs; 2: few programs.
local top, out = arg[1], arg[2]
local m = dofile(top .. "/tools/measure.lua")(top, out)
local tool, json, quick, say, record = m.tool, dofile(top .. "/tools/json.lua"), m.quick, m.say, m.record
local paper = dofile(top .. "/tools/fusion-paper.lua")
local set = dofile(top .. "/tools/thesis-kernels.lua")(m)

local MACHINE = set.machines[2]
local CLOCK = 1770 -- cycles of a microsecond on titan_rtx.lua
local COSTS = quick > 1 and { 0, 5 } or quick > 0 and { 0, 5, 20 } or { 0, 1, 2, 5, 10, 20 } -- microseconds of a launch
local PASSES = { "kf-trad", "kfcm" }
local MODES = {
	{ name = "assumed", options = "assume-no-grid-sync=1", says = "as the thesis: no dependence between blocks is taken to matter; results may be wrong" },
	{ name = "proved", options = "", says = "launches are fused where it is proved that each block reads what it wrote itself" },
	{ name = "no wrap", options = "assume-no-wrap=1", says = "the same, and indices are taken not to wrap around" },
	{ name = "barrier", options = "grid-barrier=1,assume-no-wrap=1", says = "besides, with a barrier of the grid between kernels where all blocks are resident at once" },
}
local known = m.options()

-- The machine as a file of its own: passes ask what it has room for, of gsim and of gsim-opt alike.
local machine_file = out .. "/machine.lua"
tool.write(machine_file, tool.capture(("cd %s && gsim %s -m %s --print-config"):format(tool.quote(top), MACHINE.options, MACHINE.model)))
local machine = "-c " .. tool.quote(machine_file)
local missing = m.each(PASSES, function(pass) return not known[pass] and pass or nil end)

-- ---- programs ----

-- The arguments of each host program stand in its test: of the size that has the thesis' number of launches
-- ("-": there is none), and of a small size.
local function arguments()
	local t = {}
	for line in io.lines(top .. "/tests/tools/check_host_programs.sh") do
		local launches, name, large, _, small = line:match '^program ([%d-]+) ([%w_]+) "([^"]*)" (%d+) "?([^"]*)"?'
		if name then t[name] = { large = launches ~= "-" and large or nil, small = small } end
	end
	return t
end

local PROGRAMS, ABSENT = {}, {}
local function exists(path)
	local f = io.open(path)
	return f and f:close()
end
local sizes = exists(top .. "/tests/tools/check_host_programs.sh") and arguments() or {}
for _, p in ipairs(paper.programs) do
	p.module = ("kernels/host_programs/%s.ir"):format(p.file)
	if sizes[p.file] and exists(top .. "/" .. p.module) then
		local large, small = sizes[p.file].large, sizes[p.file].small
		p.large = large ~= nil and (quick == 0 or large == small)
		p.words = p.large and large or small
		PROGRAMS[#PROGRAMS + 1] = p
	else
		ABSENT[#ABSENT + 1] = p.name
	end
end
if quick > 1 then PROGRAMS = m.named(PROGRAMS, m.set "bfs gaussian lud srad_v2") end
if #PROGRAMS == 0 then
	io.stderr:write("tools/reproduce fusion: there is no host program in kernels/host_programs\n")
	os.exit(2)
end

-- What a function of the program's Lua that has no arguments gives, run with the program's own arguments.
local function results_of(p, name)
	local words, gpu = {}, {}
	for w in p.words:gmatch "%S+" do words[#words + 1] = w end
	gpu.args = words
	function gpu.sizes() end
	function gpu.f32(x) return (string.unpack("<f", string.pack("<f", x))) end
	-- sizes may follow from random numbers: those of sim/host/random.c below small bounds
	function gpu.random(seed)
		return function(k)
			assert(k <= 32768, "expected a small bound")
			seed = (seed * 1103515245 + 12345) & 0x7fffffff
			return (seed >> 16) % k
		end
	end
	function gpu.argument(i, default) return words[i] and (tonumber(words[i]) or words[i]) or default end
	local lua = setmetatable({ gpu = gpu }, { __index = _G })
	assert(loadfile(("%s/kernels/host_programs/%s.lua"):format(top, p.file), "t", lua))()
	return table.pack(lua[name]())
end

local function constant(type, v)
	return type:find "^f" and ("0%s%s"):format(type == "f32" and "f" or "d", (string.pack(type == "f32" and ">f" or ">d", v):gsub(".", function(c) return ("%02x"):format(c:byte()) end))) or ("%d"):format(v)
end

-- The program with the sizes that it asks Lua for as constants: passes may ask how large grids are. Kernels
-- stand in the text.
local function with_sizes(p)
	local text = tool.capture(("cd %s && gsim-opt --source kernels -o - %s"):format(tool.quote(top), p.module))
	local host = text:find("\nhost main()", 1, true)
	local before, main, type_of = text:sub(1, host), text:sub(host + 1), {}
	for type, names in main:gmatch "\n\treg ([%w]+) ([^\n]+)" do
		for name in names:gmatch "%%[%w_.]+" do type_of[name] = type end
	end
	main = main:gsub("\n\t%((%%[^)]+)%) = call ([%w_]+), %(%)[^\n]*", function(names, f)
		local v, lines, i = results_of(p, f), {}, 0
		for name in names:gmatch "[^, ]+" do
			i = i + 1
			local type = assert(type_of[name], name)
			lines[i] = name ~= "_" and ("\n\t%s = mov.%s %s"):format(name, type, constant(type, v[i])) or ""
		end
		return table.concat(lines)
	end)
	p.sized = ("%s/%s.ir"):format(out, p.file)
	tool.write(p.sized, before .. main)
end

-- ---- runs ----

-- A form: { name, list }: a pipeline. Forms that make the same module of a program share their runs:
-- p.forms[name] = the variant.
local function variant(p, name, list)
	local text = list == "" and "" or tool.capture(("cd %s && gsim-opt %s -p %s -o - %s"):format(tool.quote(top), machine, tool.quote(list), tool.quote(p.sized)))
	p.variants, p.forms = p.variants or {}, p.forms or {}
	if list ~= "" and not p.plain then p.plain = tool.capture(("cd %s && gsim-opt -o - %s"):format(tool.quote(top), tool.quote(p.sized))) end
	if text == p.plain then text = "" end
	local v = p.variants[text]
	if not v then
		v = { program = p, list = list, number = #p.variants + 1, runs = {} }
		p.variants[text], p.variants[#p.variants + 1] = v, v
	end
	p.forms[name] = v
end

local function command(v, path, more)
	local p = v.program
	return ("cd %s && gsim -q -j 1 --alone --sums %s%s -s %s%s -w kernels/host_programs/%s.lua %s -- %s >%s.out 2>&1; echo $? >%s.status"):format(tool.quote(top), machine, more,
		tool.quote(path), v.list ~= "" and " -p " .. tool.quote(v.list) or "", p.file, tool.quote(p.sized), p.words, tool.quote(path), tool.quote(path))
end

-- What a run left: { status: of gsim, launches, cycles, program, code, kernels, warp, counts }. What the
-- machine cannot run has the status 2 and `why`.
local function result(v, path)
	local r = { status = tonumber(tool.read(path .. ".status")) }
	if r.status > 1 and v.list == "" then
		io.stderr:write("tools/reproduce fusion: failed:\n", tool.read(path .. ".out"))
		os.exit(2)
	elseif r.status > 1 then
		r.why = tool.read(path .. ".out"):match "error: ([^\n]*)"
		return r
	end
	local report = json.read(path)
	r.ended, r.launches, r.cycles, r.program = report.status == "ok", report.total.launches, report.total.cycles, report.total.program_cycles
	r.code, r.kernels, r.warp, r.counts = report.code.instructions, report.kernels, report.total.warp_instructions, {}
	for _, pair in ipairs(report.total.races or {}) do r.races = r.races or pair.bytes > pair.same_value end -- whose order makes a difference
	for _, c in ipairs(report.pass_stats) do
		if c.what then r.counts[c.what] = (r.counts[c.what] or 0) + c.count end
	end
	for _, ending in ipairs { "", ".out", ".status" } do os.remove(path .. ending) end
	return r
end

-- Runs variants and leaves what came out in runs[key]; those that have it already are left out.
local function run(variants, key, more, what)
	local commands, todo, seen = {}, {}, {}
	for _, v in ipairs(variants) do
		if not v.runs[key] and not seen[v] then
			todo[#todo + 1], seen[v] = v, true
			commands[#todo] = command(v, ("%s/run-%d.json"):format(out, #todo), more)
		end
	end
	tool.progress(("%s: %d runs"):format(what, #todo))
	if #todo > 0 then tool.all(commands) end
	for i, v in ipairs(todo) do v.runs[key] = result(v, ("%s/run-%d.json"):format(out, i)) end
	tool.progress("")
end

-- A pass with those of some options that it has.
local function with_options(pass, options)
	local chosen = {}
	for o in options:gmatch "[^,]+" do
		if known[pass][o:match "^[^=]+"] then chosen[#chosen + 1] = o end
	end
	return #chosen > 0 and ("%s(%s)"):format(pass, table.concat(chosen, ",")) or pass
end

local FORMS = {} -- of every mode and pass: { name, mode, pass, k = the pass' number, list = the pipeline }
for _, mode in ipairs(MODES) do
	for k, pass in ipairs(#missing == 0 and PASSES or {}) do
		FORMS[#FORMS + 1] = { name = ("%s, %s"):format(pass, mode.name), mode = mode.name, pass = pass, k = k, list = with_options(pass, mode.options) }
	end
end
local variants = {}
for _, p in ipairs(PROGRAMS) do
	tool.progress("fusing " .. p.name)
	with_sizes(p)
	variant(p, "O3", "")
	for _, f in ipairs(FORMS) do variant(p, f.name, f.list) end
	for _, v in ipairs(p.variants) do variants[#variants + 1] = v end
end

-- With the machine's own launch costs, and results against the reference interpreter's run of the program as
-- it is.
run(variants, "own", " --verify", "tables 5.1 and 5.2")
-- Runs that look for races between the blocks of a launch. Programs that have some as they are say nothing of
-- fusion.
run(variants, "race", " --functional --race-check", "races")
local right = m.each(variants, function(v) return v.runs.own.status == 0 and v or nil end)
for _, cost in ipairs(COSTS) do
	local cycles = cost * CLOCK
	run(right, cost, (" -D launch.overhead_cycles=%d -D launch.latency_cycles=%d"):format(cycles, cycles), ("launches of %d microseconds"):format(cost))
end

-- ---- what they say of a program ----

local measured = setmetatable({ paper = paper, machine = MACHINE, programs = PROGRAMS, absent = ABSENT, missing = missing, forms = FORMS, modes = MODES, passes = PASSES, passes_inside = { "sscm", "ssrqp" }, costs = COSTS,
	words = m.set, clock = CLOCK, set = set, variant = variant, run_variants = run, known = known }, { __index = m })
-- The run of a program in a form; with the machine's own launch costs, or those in microseconds.
function measured.at(p, form, cost) return p.forms[form].runs[cost or "own"] end
function measured.right(p, form) return measured.at(p, form).status == 0 end
function measured.ran(p, form) return measured.at(p, form).status < 2 end
function measured.races(p, form) return not measured.at(p, "O3", "race").races and measured.at(p, form, "race").races end
function measured.gain(p, form, cost) return measured.at(p, "O3", cost).program / measured.at(p, form, cost).program end
function measured.form(pass, mode) return ("%s, %s"):format(pass, mode) end

-- "*": results are wrong; "!": they are right, and blocks race.
function measured.mark(p, form) return not measured.right(p, form) and "*" or measured.races(p, form) and "!" or "" end
-- The geometric mean of the gain of programs whose results are right.
function measured.mean_gain(programs, form, cost)
	return m.mean(programs, function(p) return measured.right(p, form) and measured.gain(p, form, cost) or nil end)
end
-- How much fewer, as the thesis takes the mean: 1 - the geometric mean of after / before. ratio(program); nil
-- is left out.
function measured.reduction(programs, ratio) return 1 - m.mean(programs, ratio) end
-- Those of programs that belong to a suite; the suites that have any.
function measured.suite(programs, suite)
	return m.each(programs, function(p) return (suite == "all" or p.suite == suite) and p or nil end)
end
function measured.suites()
	local t = m.each(paper.suites, function(s) return #measured.suite(PROGRAMS, s) > 0 and s or nil end)
	t[#t + 1] = "all"
	return t
end
-- what(mode, form of KF_trad, form of KFCM) for each mode.
function measured.each_mode(what)
	for _, mode in ipairs(#missing == 0 and MODES or {}) do what(mode.name, measured.form("kf-trad", mode.name), measured.form("kfcm", mode.name)) end
end

local show, judge = dofile(top .. "/tools/fusion-tables.lua"), dofile(top .. "/tools/fusion-claims.lua")
show.head(measured)
show.launches(measured)
if #missing == 0 then
	show.times(measured)
	show.costs(measured)
	show.code(measured)
	show.inside(measured)
	show.pictures(measured)
end
judge.laws(measured)
if #missing == 0 then judge.sayings(measured) end
m.finish("fusion")
