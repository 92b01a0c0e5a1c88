-- How long operations take on the GPU of this computer. Arguments: source tree, scratch folder, CSV to write, runs of each figure,
-- part of a figure's name. Run by tools/hardware.
--
-- A run of gsim goes through all figures once. One that fails, or whose launch does not end, ends that run: what it had printed is
-- kept, the first figure that it had not printed is left out from then on, and the rest is run again.
local top, scratch, out, wanted_runs, part = arg[1], arg[2], arg[3], tonumber(arg[4]), arg[5] or ""
local tool = dofile(top .. "/tools/experiment.lua")
local bench = dofile(top .. "/tools/microbench.lua")
local MOST_FAILURES, SWEEP = 40, 256 -- SWEEP: MiB that are read to empty caches, more than any GPU's L2

local function write_scratch(name, text)
	tool.write(scratch .. "/" .. name, text)
	return tool.quote(scratch .. "/" .. name)
end

-- Runs gsim on the GPU, calls `line` with each line that it prints, as it comes. Returns nil, or what went wrong.
local limit = os.execute("command -v timeout >/dev/null 2>&1") and "timeout -k 5 300 " or ""
local function run_there(options, words, line)
	local errors = scratch .. "/errors"
	local pipe = assert(io.popen(("%sgsim --on gpu-alone %s %s 2>%s"):format(limit, options, words, tool.quote(errors))))
	for text in pipe:lines() do line(text) end
	local ok, how, status = pipe:close()
	local why = tool.read(errors):match("error: ([^\n]+)")
	return not ok and (why or (how == "signal" and "gsim ended by signal %d" or "gsim ended with status %d"):format(status)) or nil
end

-- ---- the GPU ----

-- From which compute capability on a machine file stands for GPUs, and what operations need.
local MACHINES = { { 12.0, "blackwell" }, { 10.0, "blackwell" }, { 9.0, "hopper" }, { 8.9, "ada" }, { 8.0, "ampere" }, { 7.5, "turing" },
	{ 7.0, "volta" }, { 6.1, "pascal" }, { 6.0, "p100" }, { 5.0, "maxwell" }, { 3.0, "kepler" } }
local NEEDS = { { "redux.", 8.0 }, { "match.", 7.0 }, { "nanosleep", 7.0 } }

local function find_gpu()
	local module = write_scratch("probe.ptx", ".version 6.0\n.target sm_30\n.address_size 64\n\n.visible .entry probe()\n{\n\tret;\n}\n")
	local gpu
	local workload = write_scratch("probe.lua", 'gpu.launch{ kernel = "probe", grid = 1, block = 1 }\n')
	local why = run_there("-w " .. workload, module, function(text)
		local name, capability, sms, clock, driver = text:match("^on the GPU: (.*), compute capability ([%d.]+), (%d+) SMs, (%d+) MHz, driver ([%d.]+)$")
		if name then gpu = { name = name, capability = tonumber(capability), sms = sms, clock = clock, driver = driver } end
	end)
	if not gpu then
		io.stderr:write("tools/hardware: ", why or "gsim does not say which GPU there is", "\n")
		os.exit(2)
	end
	gpu.machine = ("cc%s"):format(gpu.capability)
	for k = #MACHINES, 1, -1 do
		if gpu.capability >= MACHINES[k][1] then gpu.machine = MACHINES[k][2] end
	end
	return gpu
end

-- ---- what it can run ----

local left_out = {} -- by the number of a row, why

-- Leaves out a row, and those that need its figure or run one of its kernels.
local function leave_out(k, why)
	local row = bench.rows[k]
	left_out[k] = why
	for i, r in ipairs(bench.rows) do
		local uses = r.less == row.figure or r.upper == row.figure or r.lower == row.figure
		local shares = r.long and (r.long == row.long or r.long == row.short) or r.short and (r.short == row.long or r.short == row.short)
		if not left_out[i] and (uses or shares) then leave_out(i, uses and "needs " .. row.figure or "runs the same kernel as " .. row.figure) end
	end
end

-- The module as the GPU can have it: for its compute capability, without kernels that need another.
local function module_for(gpu)
	local removed = {}
	local text = bench.module:gsub("\n%.visible %.entry ([%w_]+)(%b())(.-\n}\n)", function(name, _, body)
		for _, need in ipairs(NEEDS) do
			if body:find(need[1], 1, true) and gpu.capability < need[2] then
				removed[name] = ("needs compute capability %.1f"):format(need[2])
				return ""
			end
		end
	end)
	for k, r in ipairs(bench.rows) do
		local why = removed[r.long] or removed[r.short] or removed[r.init]
		if why and not left_out[k] then leave_out(k, why) end
	end
	if gpu.capability < 8.0 then text = text:gsub("%.target sm_%d+", (".target sm_%d"):format((gpu.capability * 10 + 0.5) // 1)) end
	return text
end

-- The workload without the rows that are left out. It has a line for each row, in the order of bench.rows.
local function workload_of_rest()
	local k = 0
	return (bench.workload:gsub("\t{ [^\n]*figure = [^\n]*\n", function()
		k = k + 1
		if left_out[k] then return "" end
	end))
end

-- ---- runs ----

local gpu = find_gpu()
local module = write_scratch("microbench.ptx", module_for(gpu))
local values, failures, cold = {}, 0, false
local elsewhere = {} -- rows that are not meant for a real GPU
for k, r in ipairs(bench.rows) do
	values[k] = {}
	if r.mode == "launches" then -- of launches in a row; gsim --on gpu awaits each, and the figure would be the wait
		elsewhere[k] = true
		leave_out(k, "gsim awaits each launch")
	end
	cold = cold or r.cold and r.figure:find(part, 1, true)
end

-- The rows that a run prints, in order.
local function shown_rows()
	local list = {}
	for k, r in ipairs(bench.rows) do
		if not left_out[k] and r.figure:find(part, 1, true) and not (gpu.capability < 7.0 and r.independent) then list[#list + 1] = k end
	end
	return list
end

local function csv_field(text) return text:find('[",]') and '"' .. text:gsub('"', '""') .. '"' or text end

local function write_csv()
	local lines = { "machine,chip,figure,value,unit,seen,source,least,greatest,runs" }
	local source = ("tools/hardware: driver %s, %s SMs at %s MHz"):format(gpu.driver, gpu.sms, gpu.clock)
	for k, r in ipairs(bench.rows) do
		local v = table.move(values[k], 1, #values[k], 1, {})
		table.sort(v)
		if #v > 0 then
			lines[#lines + 1] = ("%s,%s,%s,%.6g,%s,P,%s,%.6g,%.6g,%d"):format(gpu.machine, csv_field(gpu.name), csv_field(r.figure), v[(#v + 1) // 2],
				r.unit, csv_field(source), v[1], v[#v], #v)
		end
	end
	tool.write(out .. ".new", table.concat(lines, "\n") .. "\n")
	assert(os.rename(out .. ".new", out))
end

-- One run through the rest of the rows. Returns true when it came to its end.
local function run_once(number)
	local list, at = shown_rows(), 0
	local words = { tool.quote(part), gpu.capability < 7.0 and "stacks" or "", cold and "sweep=" .. SWEEP or "" }
	local workload = write_scratch("microbench.lua", workload_of_rest())
	local why = run_there("-q -w " .. workload, module .. " -- " .. table.concat(words, " "), function(text)
		local figure, value = text:match("^(.*),[^,]*,([^,]*)$")
		if at == #list or figure ~= bench.rows[list[at + 1]].figure then return end
		at = at + 1
		local v, row = tonumber(value), values[list[at]]
		if v and #row < number then row[#row + 1] = v end
		tool.progress(("run %d of %d: %s"):format(number, wanted_runs, figure))
		write_csv()
	end)
	if at < #list then
		failures = failures + 1
		leave_out(list[at + 1], why or "it is not measured")
	end
	return at == #list
end

for number = 1, wanted_runs do
	while failures < MOST_FAILURES and not run_once(number) do end
end
tool.progress("")

-- ---- what came of it ----

local measured, missing = 0, 0
print(("%s, compute capability %s, driver %s"):format(gpu.name, gpu.capability, gpu.driver))
print(("%-44s %10s %10s %10s  %s"):format("figure", "median", "least", "greatest", "unit"))
for k, r in ipairs(bench.rows) do
	local v = values[k]
	table.sort(v)
	if #v > 0 then
		measured = measured + 1
		print(("%-44s %10.4g %10.4g %10.4g  %s"):format(r.figure, v[(#v + 1) // 2], v[1], v[#v], r.unit))
	end
end
for k, r in ipairs(bench.rows) do
	if r.figure:find(part, 1, true) and #values[k] < wanted_runs and not elsewhere[k] then
		missing = missing + 1
		io.stderr:write(("%s: %d of %d runs: %s\n"):format(r.figure, #values[k], wanted_runs, left_out[k] or "the value is no number"))
	end
end
print(("%d figures measured, %d not; %s"):format(measured, missing, out))
os.exit(measured == 0 and 2 or missing > 0 and 1 or 0)
