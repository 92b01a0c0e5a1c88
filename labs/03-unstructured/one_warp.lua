-- The paper's four lanes as one warp: c1 holds for lanes 0 and 1, c2 for lane 2, c3 for lane 0.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local trail = gpu.buffer("u32", 4)
local c1 = gpu.buffer("u32", 4, { 1, 1, 0, 0 })
local c2 = gpu.buffer("u32", 4, { 0, 0, 1, 0 })
local c3 = gpu.buffer("u32", 4, { 1, 0, 0, 0 })
gpu.launch { kernel = "short_circuit", grid = 1, block = 4, args = { trail, c1, c2, c3 } }

-- The blocks that each lane goes through, as octal digits behind a leading 1.
for lane, way in ipairs { "1346", "1356", "12356", "1256" } do
	way = way:gsub("^1", "")
	gpu.check(trail:get(lane - 1) == tonumber("1" .. way, 8), "lane %d went through %o, not 1%s", lane - 1, trail:get(lane - 1), way)
end
