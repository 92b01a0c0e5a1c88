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

local function launches(model)
	local file = os.tmpname()
	assert(os.execute(("gsim -q -c kepler.lua -m %s -s %s '%s/kernels/regroup/regroup.ir'"):format(model, file, top)))
	local report = json.read(file)
	os.remove(file)
	return report.launches
end

local ipdom, dwf, tbc = launches("ipdom"), launches("dwf"), launches("tbc")
local fits, conflicts, rows = 1, 2, 3 -- sides with flip = 1 and 0, rows

for name, r in pairs { dwf = dwf, tbc = tbc } do
	-- an entry of dwf that has issued takes no lanes that come later: how full it is depends on when lanes come
	check(r[fits].simd_utilization > (name == "tbc" and 1.5 or 1.25) * ipdom[fits].simd_utilization, name .. " fills warps where columns fit")
	check(r[conflicts].simd_utilization <= ipdom[conflicts].simd_utilization, name .. " fills none where columns conflict")
	check(r[rows].cycles > ipdom[rows].cycles, name .. " is slower on rows")
end
check(dwf[fits].cycles < ipdom[fits].cycles, "dwf is faster where columns fit")
check(dwf[conflicts].divergence.lane_conflicts > dwf[fits].divergence.lane_conflicts, "conflicts are counted")
check(tbc[conflicts].cycles > ipdom[conflicts].cycles, "tbc pays for waiting where columns conflict")
check(dwf[rows].memory.transactions > 1.5 * ipdom[rows].memory.transactions, "dwf keeps lanes joined: rows are not coalesced")
check(tbc[rows].memory.transactions == ipdom[rows].memory.transactions, "tbc rebuilds the warps: rows are coalesced")
os.exit(not failed)
