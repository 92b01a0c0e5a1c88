-- Prints the latency of a load that hits in L1, in L2, in none, and of shared memory. gpu.args: of an addition,
-- to another one and to an address; the chain has one in front of each load and one behind them.
local add, address = tonumber(gpu.args[1]), tonumber(gpu.args[2])
local out = gpu.buffer("u64", 2)
gpu.compare(out, { how = "ignore" })

local function chase(bytes, stride, before)
	local n = bytes // 8
	local list = gpu.buffer("u64", n, function(i) return (i * 8 + stride) % bytes end)
	gpu.launch { kernel = "chase", grid = 1, block = 1, args = { list, out, before } }
	return out:get(0)
end

local KB = 1024
local l1 = chase(KB, 128, 8)
local l2 = chase(256 * KB, 128, 2048)  -- more than L1 holds, less than L2 does
local dram = chase(1024 * KB, 8 * KB, 1)
gpu.launch { kernel = "chase_shared", grid = 1, block = 1, args = { out } }
local shared = (out:get(0) - address) / 8
local function load(cycles) return (cycles - 8 * address - add) / 8 end
print(("%g %g %g %g"):format(load(l1), load(l2), load(dram), shared))
