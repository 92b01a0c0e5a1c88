-- The workload of every figure here: gsim -w figures.lua figure3.ir -- CONDITIONS WARPS. CONDITIONS: `paper`,
-- what the paper says of the figure (where it does), the same in every warp, or a number: the seed of random
-- decisions, each with probability 1/2. Default: 1, and 4 warps.
local GRAPH = { -- targets for 1 and for 0; weight: how often a block counts
	figure1 = { { 3, 2 }, { 3, 5 }, { 4, 5, weight = 24 }, { 6 }, { 6, weight = 24 }, {} },
	figure2a = { { 2, 5 }, { 3, 4, load = 61 }, { 8, use = true, weight = 4 }, { 8, use = true, weight = 4 }, { 6, 7, load = 67 },
		{ 8, use = true, load = 71, again = true, weight = 4 }, { 8, use = true, weight = 4 }, {} },
	figure3 = { { 2, 3 }, { 4, 5 }, { 10 }, { 6, 7 }, { 9 }, { 8 }, { 8 }, { 9 }, { 10 }, {} },
	figure5 = { { 2 }, { 3, 5 }, { 4, 6 }, { 2 }, { 6 }, {} },
	figure5_crossing = { { 2 }, { 3, 5 }, { 4, 6 }, { 2 }, { 3, 6 }, {} },
	figure6a = { { 5, 2 }, { 3 }, { 4 }, { 5 }, { 3, 6 }, {} },
	figure6c = { { 2, 3 }, { 3 }, { 2, 4 }, {} },
}
local PAPER = { -- decisions of the paper's lanes
	figure1 = { "11", "10", "010", "00" }, -- T1 c1 c3, T2 c1, T3 c2, T4 none
	figure3 = { "111", "110", "10", "0" },
	figure2b = { { 10, 15 }, { 15, 10 } },
}

local name = gpu.kernels()[1]
gpu.sizes(function(size) return 1, size.warps end)
local conditions, warps = gpu.argument(1, 1, { from = 0, one_of = { "paper" } }), gpu.argument(2, 4)
local threads = 32 * warps
local state = conditions == "paper" and 0 or conditions
local function random() -- 32 bits: the high half of a linear congruential generator
	state = state * 6364136223846793005 + 1442695040888963407
	return state >> 32
end
local given = conditions == "paper" and (PAPER[name] or error("the paper says no conditions for " .. name))

local out = gpu.buffer("u64", threads)
local function check(t, trail) gpu.check(out:get(t) == trail, "%s: thread %d has %x, not %x", name, t, out:get(t), trail) end

if name == "figure2b" then
	local trips = gpu.buffer("u32", 2 * threads, function(k)
		return given and given[k // 2 % #given + 1][k % 2 + 1] or random() % 21
	end)
	gpu.launch { kernel = name, grid = warps, block = 32, args = { trips, out } }
	for t = 0, threads - 1 do
		local trail = 1
		local function block(k) trail = trail * 31 + k end
		block(1)
		for i = 0, 1 do
			block(2)
			block(3)
			for _ = 1, 24 * trips:get(2 * t + i) do block(4) end
			block(5)
			block(6)
		end
		block(7)
		check(t, trail)
	end
	return
end

local graph = assert(GRAPH[name], name .. ": no such figure")
local decisions = gpu.buffer("u64", threads, function(t)
	return given and tonumber(given[t % #given + 1]:reverse(), 2) or random() << 32 | random()
end)
local data = gpu.buffer("u64", 4096, random)
local args = { decisions, out }
if name == "figure2a" then args[3] = data end
gpu.launch { kernel = name, grid = warps, block = 32, args = args }
for t = 0, threads - 1 do
	local trail, at, bits, value = 1, 1, decisions:get(t), 0
	while at do
		local b = graph[at]
		local function count(n) for _ = 1, n do trail = trail * 31 + at end end
		count(1)
		if b.use then trail = trail + value end
		if b.load then value = data:get(t * b.load & 4095) end
		if b.again then trail = trail + value end
		count((b.weight or 1) - 1)
		at = b[2] and bits & 1 == 0 and b[2] or b[1]
		if b[2] then bits = bits >> 1 end
	end
	check(t, trail)
end
