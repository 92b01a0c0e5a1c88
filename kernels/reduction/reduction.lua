-- gpu.args: numbers (default 40000), blocks of 128 threads (default 16).
gpu.sizes(function(size) return 8 * size.threads, size.threads // 128 end)
local n, blocks, random = gpu.argument(1, 40000), gpu.argument(2, 16), gpu.random(1)
local input = gpu.buffer("u32", n, function() return random() end)
local sum = gpu.buffer("u32", 1)

gpu.launch { kernel = "reduction", grid = blocks, block = 128, args = { input, sum, n } }

local s = 0
for i = 0, n - 1 do s = (s + input:get(i)) % 4294967296 end
gpu.check(sum:get(0) == s, "sum is %d, not %d", sum:get(0), s)
