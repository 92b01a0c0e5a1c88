-- gpu.args[1] = n, 0 to 31, as in single_loop.lua; both loops of a thread have the same limit.
gpu.sizes { reason = "one warp, as the paper measures" }
local n = gpu.argument(1, 0, { from = 0, to = 31 })
local function limit(t) return 32 - math.max(0, t - (31 - n)) end
local limits = gpu.buffer("s32", 64, function(i) return limit(i // 2) end)
local out = gpu.buffer("f32", 32)
local timer = gpu.buffer("s64", 64)
gpu.compare(timer, { how = "ignore" })

gpu.launch { kernel = "double_loops", grid = 1, block = 32, args = { limits, out, timer } }

local f32 = gpu.f32
local inner, outer = f32(1.3333), f32(2.3333)
for t = 0, 31 do
	local s = 0.0
	for _ = 1, 2 * limit(t) do
		for _ = 1, limit(t) do s = f32(s + inner) end
		s = f32(s + outer)
	end
	gpu.check(out:get(t) == s, "thread %d: %g, not %g", t, out:get(t), s)
end
print(("double_loops n %d cycles %d"):format(n, timer:get(1) - timer:get(0)))
