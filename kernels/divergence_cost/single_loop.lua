-- gpu.args[1] = n, 0 to 31: how many threads have loop limits of their own (table I of the paper: thread t of
-- the last n runs one turn less than thread t - 1, the others run 32). Prints what thread 0 saw between its
-- clock readings.
gpu.sizes { reason = "one warp, as the paper measures" }
local n = gpu.argument(1, 0, { from = 0, to = 31 })
local function limit(t) return 32 - math.max(0, t - (31 - n)) end
local limits = gpu.buffer("s32", 32, limit)
local out = gpu.buffer("f32", 32)
local timer = gpu.buffer("s64", 64)
gpu.compare(timer, { how = "ignore" })

gpu.launch { kernel = "single_loop", grid = 1, block = 32, args = { limits, out, timer } }

local f32 = gpu.f32
for t = 0, 31 do
	local s = 0.0
	for _ = 1, 2 * limit(t) do s = f32(s + f32(1.3333)) end
	gpu.check(out:get(t) == s, "thread %d: %g, not %g", t, out:get(t), s)
end
print(("single_loop n %d cycles %d"):format(n, timer:get(1) - timer:get(0)))
