local n = 40000
local seed = 1
local input = gpu.buffer("u32", n, function(i)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed
end)
local sum = gpu.buffer("u32", 1)

gpu.launch { kernel = "reduction", grid = 16, block = 128, args = { input, sum, n } }

local s = 0
for i = 0, n - 1 do s = (s + input:get(i)) % 4294967296 end
gpu.check(sum:get(0) == s, "sum is %d, not %d", sum:get(0), s)
