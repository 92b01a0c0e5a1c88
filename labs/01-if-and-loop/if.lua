-- One warp of four threads. Argument: how many of them go through THEN (1).
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local limit = gpu.argument(1, 1, { from = 0, to = 4 })
local out = gpu.buffer("u32", 4)
gpu.launch { kernel = "if_else", grid = 1, block = 4, args = { out, limit } }
for lane = 0, 3 do
	local want = lane < limit and lane * 3 + 100 or (lane * lane + 200) ~ 1
	gpu.check(out:get(lane) == want, "lane %d: %d, not %d", lane, out:get(lane), want)
end
