-- The orderings that kernels/regroup is there to show, on kepler.lua.
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
os.exit(not failed)
