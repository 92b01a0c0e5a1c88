-- What the uniform datapath is worth: every shipped kernel with and without it (uniform.datapath), on two generations
-- that have one and on an older kind of scalar unit. Quick: every eighth kernel, on turing.lua alone. Wrong is a kernel
-- whose threads need more registers with it, or whose results differ (--verify). UPDATE: writes the table into
-- doc/timing.md. Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
local quick = tonumber(os.getenv("QUICK") or 0) > 0
local MACHINES = quick and { "turing.lua" } or { "turing.lua", "ampere.lua", "vega20.lua", "rdna2.lua" }

local function exists(path)
	local f = io.open(path)
	return f and f:close()
end

local kernels = {}
for path in tool.capture(("cd %s/kernels && ls */*.ir */*.ptx"):format(tool.quote(top))):gmatch("[^\n]+") do
	local folder = path:match("^[^/]+")
	if folder ~= "bench" and folder ~= "oracles" and folder ~= "host_programs" and
		exists(("%s/kernels/%s.lua"):format(top, path:gsub("%.%w+$", ""))) then kernels[#kernels + 1] = path end
end

-- The sums of all launches, and the greatest number of registers; nil where the machine refuses the kernel.
local function measure(machine, path, on)
	local report = out .. "/report.json"
	os.remove(report)
	if not os.execute(("gsim -q --alone --verify -c %s -D uniform.datapath=%s -s %s %s/kernels/%s >%s/messages 2>&1")
		:format(machine, on, tool.quote(report), tool.quote(top), path, tool.quote(out))) then return nil end
	local r, read = { cycles = 0, instructions = 0, uniform = 0, busy = 0, registers = 0, own = 0 }, json.read(report)
	for _, l in ipairs(read.launches) do
		r.cycles = r.cycles + l.cycles
		r.instructions = r.instructions + l.warp_instructions
		r.uniform = r.uniform + (l.uniform and l.uniform.warp_instructions or 0)
		r.busy = r.busy + l.issue.stalls.unit_busy
		r.registers = math.max(r.registers, l.static.registers)
		r.own = math.max(r.own, l.static.uniform_registers or 0)
	end
	return r
end

local wrong = 0
local csv = { "machine,kernel,cycles_without,cycles_with,registers_without,registers_with,uniform_registers,unit_busy_without,"
	.. "unit_busy_with,warp_instructions,uniform_instructions" }
local lines = { "| machine | kernels | cycles, mean | least | greatest | registers of a thread, mean | with fewer | uniform instructions | uniform registers, most |",
	"|---|---|---|---|---|---|---|---|---|" }

-- Takes the two measurements of a kernel into the sums of a machine.
local function add(sum, machine, path, a, b)
	local ratio = b.cycles / a.cycles
	csv[#csv + 1] = table.concat({ machine, path, a.cycles, b.cycles, a.registers, b.registers, b.own, a.busy, b.busy, b.instructions, b.uniform }, ",")
	sum.n, sum.log, sum.registers = sum.n + 1, sum.log + math.log(ratio), sum.registers + math.log(b.registers / a.registers)
	sum.fewer = sum.fewer + (b.registers < a.registers and 1 or 0)
	sum.uniform, sum.own = sum.uniform + b.uniform / b.instructions, math.max(sum.own, b.own)
	if ratio < sum.least then sum.least, sum.leaster = ratio, path:match("^[^/]+") end
	if ratio > sum.most then sum.most, sum.mostest = ratio, path:match("^[^/]+") end
	if b.registers > a.registers then
		print(("%s, %s: %d registers with the datapath, %d without"):format(machine, path, b.registers, a.registers))
		wrong = wrong + 1
	end
end

for _, machine in ipairs(MACHINES) do
	local s = { n = 0, log = 0, registers = 0, fewer = 0, uniform = 0, own = 0, least = math.huge, most = 0 }
	for k = 1, #kernels, quick and 8 or 1 do
		tool.progress(machine .. " " .. kernels[k])
		local a, b = measure(machine, kernels[k], "false"), measure(machine, kernels[k], "true")
		if (a == nil) ~= (b == nil) then
			print(("%s, %s: runs in one way only"):format(machine, kernels[k]))
			wrong = wrong + 1
		elseif a then
			add(s, machine, kernels[k], a, b)
		end
	end
	lines[#lines + 1] = ("| %s | %d | %+.1f %% | %+.1f %% (%s) | %+.1f %% (%s) | %+.0f %% | %d | %.1f %% | %d |"):format(
		machine:gsub("%.lua$", ""), s.n, 100 * (math.exp(s.log / s.n) - 1), 100 * (s.least - 1), s.leaster, 100 * (s.most - 1), s.mostest,
		100 * (math.exp(s.registers / s.n) - 1), s.fewer, 100 * s.uniform / s.n, s.own)
end
tool.progress("")
os.remove(out .. "/report.json")
os.remove(out .. "/messages")
tool.write(out .. "/uniform.csv", table.concat(csv, "\n") .. "\n")
print(table.concat(lines, "\n"))
if os.getenv("UPDATE") then
	local page = top .. "/doc/timing.md"
	local before, after = tool.read(page):match("^(.-<!%-%- uniform %-%->\n).-(<!%-%- end %-%->.*)$")
	tool.write(page, before .. table.concat(lines, "\n") .. "\n" .. after)
end
os.exit(wrong == 0 and #csv > 1 and 0 or 1)
