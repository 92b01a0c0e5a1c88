-- Nothing gets faster when a machine gets worse. Arguments: source tree, percent that a run may be faster, machines (none: all). Run by
-- tools/monotone.
local top, room = arg[1], tonumber(arg[2])
local tool = dofile(top .. "/tools/experiment.lua")
local quick = os.getenv("QUICK")

local KERNELS = quick and { "reduction", "collatz", "spmv" }
	or { "reduction", "collatz", "spmv", "bfs", "transpose", "bitonic_sort", "matmul", "mandelbrot", "histogram", "scan" }

-- What makes a machine worse: keys (Lua patterns), and the new value of each. 0 mostly stands for what another key says, and stays,
-- but where `zero` says that it is a time.
local function more(by) return function(v) return v + by end end
local function times(factor) return function(v) return v * factor end end
local function half(v) return v // 2 end
local PARAMETERS = {
	{ name = "latencies of units", keys = { "^units%.%w+%.latency$", "^units%.%w+%.[%w_]+_latency$", "^readers%." }, worse = more(6) },
	{ name = "intervals of units", keys = { "^units%.%w+%.interval$" }, worse = times(2) },
	{ name = "redirection", keys = { "^fetch%.redirect_cycles$" }, worse = more(12) },
	{ name = "latency of L1", keys = { "^l1%.latency$" }, worse = more(30) },
	{ name = "latency of L2", keys = { "^l2%.latency$" }, worse = more(150) },
	{ name = "latency of DRAM", keys = { "^dram%.latency$" }, worse = more(200) },
	{ name = "bandwidth of DRAM", keys = { "^dram%.bytes_per_cycle$" }, worse = half },
	{ name = "barriers", keys = { "^barrier%.latency$", "^barrier%.warp_latency$" }, worse = more(20), zero = true },
	{ name = "latency of shared memory", keys = { "^shared%.latency$" }, worse = more(15) },
}

-- The parameters of a machine by key.
local function configuration(machine)
	local values = {}
	local function walk(prefix, t)
		for k, v in pairs(t) do
			if type(v) == "table" then walk(prefix .. k .. ".", v) elseif type(v) == "number" then values[prefix .. k] = v end
		end
	end
	walk("", assert(load(tool.capture(("gsim -c %s.lua --print-config"):format(machine)), machine, "t", {}))())
	return values
end

local function settings(values, parameter)
	local keys, words = {}, {}
	for key, v in pairs(values) do
		for _, pattern in ipairs(parameter.keys) do
			if key:find(pattern) and (v > 0 or parameter.zero) then keys[#keys + 1] = key end
		end
	end
	table.sort(keys)
	for k, key in ipairs(keys) do words[k] = ("-D %s=%d"):format(key, math.max(1, parameter.worse(values[key]))) end
	return table.concat(words, " "), #keys
end

local function machines()
	if #arg > 2 then return { table.unpack(arg, 3) } end
	local list = {}
	for path in tool.capture(("ls %s/configs/*.lua"):format(tool.quote(top))):gmatch("[^\n]+") do
		local name = path:match("([^/]+)%.lua$")
		if tool.read(path):find("return", 1, true) and pcall(configuration, name) then list[#list + 1] = name end
	end
	return list
end

local function module(kernel)
	for _, ending in ipairs { "ptx", "ir" } do
		local path = ("%s/kernels/%s/%s.%s"):format(top, kernel, kernel, ending)
		local f = io.open(path)
		if f then
			f:close()
			return path
		end
	end
	error("no kernel " .. kernel)
end

local out = tool.capture("mktemp -d"):match("[^\n]+")
local commands, runs = {}, {}
for _, machine in ipairs(machines()) do
	local values = configuration(machine)
	for _, kernel in ipairs(KERNELS) do
		local base
		for k = 0, #PARAMETERS do
			local parameter = PARAMETERS[k]
			local set, count = "", 0
			if parameter then set, count = settings(values, parameter) end
			if not parameter or count > 0 then
				local r = { machine = machine, kernel = kernel, name = parameter and parameter.name, base = base, file = ("%s/%d"):format(out, #runs) }
				base = base or r
				runs[#runs + 1] = r
				commands[#commands + 1] = ("gsim -j 1 -c %s.lua %s %s >%s 2>&1 || true"):format(machine, set, tool.quote(module(kernel)), r.file)
			end
		end
	end
end
tool.progress(("%d runs"):format(#commands))
tool.all(commands)
tool.progress("")

local function cycles_of(r)
	local text = tool.read(r.file)
	local cycles = text:match("\ncycles +([%d,]+)")
	if not cycles and not r.name then return nil end -- not for this machine, whose blocks are small
	if not cycles then
		io.stderr:write(("tools/monotone: %s on %s, %s: "):format(r.kernel, r.machine, r.name or "as it is"), text)
		os.exit(2)
	end
	return tonumber((cycles:gsub(",", "")))
end

local steps, faster, refused, unchanged = 0, 0, 0, {}
for _, r in ipairs(runs) do
	r.cycles = (not r.base or r.base.cycles) and cycles_of(r)
	if not r.base and not r.cycles then refused = refused + 1 end
	if r.base and r.cycles then
		steps = steps + 1
		local change = 100 * (r.cycles / r.base.cycles - 1)
		if change ~= 0 then unchanged[r.name] = false elseif unchanged[r.name] == nil then unchanged[r.name] = true end
		if change < -room then
			faster = faster + 1
			print(("%s, %s: %s worse: %d cycles for %d (%.1f %%)"):format(r.machine, r.kernel, r.name, r.cycles, r.base.cycles, change))
		end
	end
end
os.execute("rm -r " .. tool.quote(out))
for name, same in pairs(unchanged) do
	if same then
		faster = faster + 1
		print(("%s: no run takes another time"):format(name))
	end
end
print(("%d steps to a worse machine, %d faster by more than %s %% or without effect; %d kernels that a machine refuses"):format(steps, faster,
	room, refused))
os.exit(faster == 0 and 0 or 1)
