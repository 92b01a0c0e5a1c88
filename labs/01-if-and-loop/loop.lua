-- One warp of four threads. Arguments: how often each lane goes round the loop (1 2 3 6).
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local turns = {}
for lane = 0, 3 do turns[lane + 1] = gpu.argument(lane + 1, ({ 1, 2, 3, 6 })[lane + 1], { from = 0, to = 1000 }) end
local given, sums = gpu.buffer("u32", 4, turns), gpu.buffer("u32", 4)
gpu.launch { kernel = "loop", grid = 1, block = 4, args = { given, sums } }
for lane = 0, 3 do
	local n = turns[lane + 1]
	gpu.check(sums:get(lane) == n * (n + 1) // 2, "lane %d: %d, not the sum of 1 to %d", lane, sums:get(lane), n)
end
