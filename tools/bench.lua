-- Arguments: source tree, machine, repeats. Run by tools/bench.
local top, machine, repeats = arg[1], arg[2], tonumber(arg[3])
local json = dofile(top .. "/tools/json.lua")

local WORKLOADS = {
	{ "arithmetic", "registers only, uniform loop" },
	{ "divergent", "loops of different length in a warp" },
	{ "barriers", "shared memory and barriers" },
	{ "scattered", "every lane its own address" },
	{ "blocks", "many small blocks" },
	{ "local", "arrays in local memory" },
}

-- The total of a run and the best rate of several.
local function measure(name, option)
	local report, best = os.tmpname(), 0
	local total
	for _ = 1, repeats do
		local command = ("gsim -q --config '%s' %s -s %s '%s/kernels/bench/%s.ptx'"):format(machine, option, report, top, name)
		if not os.execute(command) then
			io.stderr:write("tools/bench: failed: ", command, "\n")
			os.remove(report)
			os.exit(1)
		end
		local r = json.read(report)
		total = r.total
		best = math.max(best, r.host.warp_instructions_per_second)
	end
	os.remove(report)
	return total, best
end

local function rate(v) return v >= 1e6 and ("%.2f M"):format(v / 1e6) or ("%.0f k"):format(v / 1e3) end

print(("warp instructions per second of host time, %s, best of %d"):format(machine, repeats))
print(("%-12s %-38s %12s %10s %10s %10s %8s"):format("workload", "", "warp instr.", "cycles", "timed", "functional", "ratio"))
local product, slowest = 1, math.huge
for _, w in ipairs(WORKLOADS) do
	local total, timed = measure(w[1], "")
	local _, functional = measure(w[1], "--functional")
	print(("%-12s %-38s %12d %10d %10s %10s %8.1f"):format(w[1], w[2], total.warp_instructions, total.cycles,
		rate(timed), rate(functional), functional / timed))
	product, slowest = product * timed, math.min(slowest, timed)
end
print(("timed: geometric mean %s, slowest %s"):format(rate(product ^ (1 / #WORKLOADS)), rate(slowest)))
