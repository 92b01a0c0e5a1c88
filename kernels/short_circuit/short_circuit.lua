-- The paper's four lanes, eight times over a warp: c1 holds for T1 and T2, c2 for T3, c3 for T1.
gpu.sizes { reason = "one warp: the example of a paper" }
local n = 32
local function bits(...)
	local lanes = { ... }
	return function(i) return lanes[i % 4 + 1] end
end
local trail = gpu.buffer("u32", n)
local c1 = gpu.buffer("u32", n, bits(1, 1, 0, 0))
local c2 = gpu.buffer("u32", n, bits(0, 0, 1, 0))
local c3 = gpu.buffer("u32", n, bits(1, 0, 0, 0))

gpu.launch { kernel = "short_circuit", grid = 1, block = n, args = { trail, c1, c2, c3 } }

-- Reference: the blocks that each lane goes through, as octal digits after a leading 1.
for i = 0, n - 1 do
	local t = 1
	local function block(k) t = t * 8 + k end
	local at = c1:get(i) ~= 0 and 3 or 2
	if at == 2 then
		block(2)
		at = c2:get(i) ~= 0 and 3 or 5
	end
	if at == 3 then
		block(3)
		at = c3:get(i) ~= 0 and 4 or 5
	end
	block(at)
	block(6)
	gpu.check(trail:get(i) == t, "thread %d went through %o, not %o", i, trail:get(i), t)
end
