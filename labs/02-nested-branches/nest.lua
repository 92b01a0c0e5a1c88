-- One warp of eight threads.
gpu.sizes { reason = "one warp of eight threads, which can be followed by hand" }
local way = gpu.buffer("u32", 8)
gpu.launch { kernel = "nest", grid = 1, block = 8, args = { way } }
for lane = 0, 7 do
	local level = math.min(lane, 4)
	local x = level + 1
	for join = math.min(level + 1, 4), 1, -1 do x = x * 10 + join end
	gpu.check(way:get(lane) == x, "lane %d: %d, not %d", lane, way:get(lane), x)
end
