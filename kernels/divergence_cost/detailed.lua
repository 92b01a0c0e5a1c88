-- gpu.args[1] = n, 0 to 31, as in single_loop.lua. Prints the clock of thread 0 before the loop, in each turn
-- and behind the loop, relative to the first reading.
gpu.sizes { reason = "one warp, as the paper measures" }
local n = gpu.argument(1, 0, { from = 0, to = 31 })
local function limit(t) return 32 - math.max(0, t - (31 - n)) end
local limits = gpu.buffer("s32", 32, limit)
local out = gpu.buffer("f32", 32)
local timer = gpu.buffer("s64", 34 * 32, -1)
gpu.compare(timer, { how = "ignore" })

gpu.launch { kernel = "detailed", grid = 1, block = 32, args = { limits, out, timer } }

local clocks = {}
for k = 0, 33 do
	gpu.check(k == 0 or timer:get(32 * k) > timer:get(32 * k - 32), "thread 0's clock goes backwards")
	clocks[#clocks + 1] = timer:get(32 * k) - timer:get(0)
end
for t = 0, 31 do
	for k = limit(t) + 1, 32 do gpu.check(timer:get(32 * k + t) == -1, "thread %d ran turn %d", t, k) end
end
print(("detailed n %d clocks %s"):format(n, table.concat(clocks, " ")))
