-- The orderings that kernels/regroup is there to show, on kepler.lua; and that dwf gains on random two-way
-- branches.
local top = arg[1]
local json = dofile(top .. "/tools/json.lua")
local failed = false

local function check(condition, what)
	if not condition then
		print("FAILED: " .. what)
		failed = true
	end
end

local function launches(model, set)
	local file = os.tmpname()
	assert(os.execute(("gsim -q -c kepler.lua -m %s -D %s -s %s '%s/kernels/regroup/regroup.ir'"):format(model, set or "scheduler.count=4", file, top)))
	local report = json.read(file)
	os.remove(file)
	return report.launches
end

local ipdom, dwf, tbc = launches("ipdom"), launches("dwf"), launches("tbc")
local one = {}
for _, model in ipairs { "ipdom", "dwf", "tbc" } do one[model] = launches(model, "scheduler.count=1") end
local fits, conflicts, rows = 1, 2, 3 -- sides with flip = 1 and 0, rows

for name, r in pairs { dwf = dwf, tbc = tbc } do
	-- on one scheduler, as in the papers: with several, each chooses for its own warps, lanes of others
	-- come later, and an entry of dwf that has issued takes none of them
	check(one[name][fits].simd_utilization > 1.5 * one.ipdom[fits].simd_utilization, name .. " fills warps where columns fit")
	check(r[fits].simd_utilization > ipdom[fits].simd_utilization, name .. " fills some with any number of schedulers")
	check(r[conflicts].simd_utilization <= ipdom[conflicts].simd_utilization, name .. " fills none where columns conflict")
	check(r[rows].cycles > ipdom[rows].cycles, name .. " is slower on rows")
end
check(dwf[fits].cycles < ipdom[fits].cycles, "dwf is faster where columns fit")
check(dwf[conflicts].divergence.lane_conflicts > dwf[fits].divergence.lane_conflicts, "conflicts are counted")
check(tbc[conflicts].cycles > ipdom[conflicts].cycles, "tbc pays for waiting where columns conflict")
check(dwf[rows].memory.transactions > 1.5 * ipdom[rows].memory.transactions, "dwf keeps lanes joined: rows are not coalesced")
check(tbc[rows].memory.transactions == ipdom[rows].memory.transactions, "tbc rebuilds the warps: rows are coalesced")

-- Sixteen warps whose lanes go random ways, through sides of 1 to 20 instructions: what is saved in issues is more
-- than what waiting for each other costs. Where all sides are short, warps of a few lanes that no reconvergence point
-- brings together may cost up to a tenth. The code has come before: dwf keeps all warps in step, so they all wait
-- where the first one misses the instruction cache, as at the loop's end, while under ipdom others still work.
local branches = dofile(top .. "/tools/random-branches.lua")
local text, load, report = os.tmpname(), os.tmpname(), os.tmpname()

local function write(name, what)
	local f = assert(io.open(name, "w"))
	f:write(what)
	f:close()
end

local function cycles(machine, model)
	assert(os.execute(("gsim -q -c %s -D fetch.cache_bytes=0 -m %s -w %s -s %s %s"):format(machine, model, load .. ".lua", report .. ".json", text .. ".ir")))
	return json.read(report .. ".json").launches[1].cycles
end

for machine, width in pairs { ["kepler.lua"] = 32, ["volta.lua"] = 32, ["fermi.lua"] = 32, ["blackwell.lua"] = 32, ["teaching.lua"] = 4 } do
	write(load .. ".lua", branches.workload(16 * width, 10))
	for seed = 1, 3 do
		for longest, most in pairs { [20] = 1, [3] = 1.1 } do
			write(text .. ".ir", branches.make(seed, 2 + seed, 1, longest))
			local stack, formed = cycles(machine, "ipdom"), cycles(machine, "dwf")
			check(formed <= most * stack, ("random branches, sides of up to %d instructions, %s, seed %d: %d cycles under dwf, %d under ipdom"):format(longest,
				machine, seed, formed, stack))
		end
	end
end
for _, name in ipairs { text, load, report, text .. ".ir", load .. ".lua", report .. ".json" } do os.remove(name) end
os.exit(not failed)
