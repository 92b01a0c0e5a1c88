-- gpu.args: threads of a block and keys that it sorts (default 256, a power of two), keys in all (default
-- 1536, as many blocks as it takes).
gpu.sizes(function(size) return 256, size.threads end)
local block, keys = gpu.argument(1, 256, { power_of_two = true, to = 1024 }), gpu.argument(2, 1536)
local blocks = (keys + block - 1) // block
local random = gpu.random(7)
local key = gpu.buffer("u32", block * blocks, function() return random() // 16 end)
local before = key:table()

gpu.launch { kernel = "bitonic_sort", grid = blocks, block = block, shared = 4 * block, args = { key } }

for b = 0, blocks - 1 do
	local t = table.move(before, b * block + 1, (b + 1) * block, 1, {})
	table.sort(t)
	for i = 0, block - 1 do gpu.check(key:get(b * block + i) == t[i + 1], "block %d, key %d", b, i) end
end
