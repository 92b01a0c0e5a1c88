-- gpu.args: threads of a block (default 32, a power of two), keys in all (default 512, as many blocks as it
-- takes), keys of a bucket (default 4).
gpu.sizes(function(size) return 128, 2 * size.threads end)
local block, keys, bucket = gpu.argument(1, 32, { power_of_two = true, to = 1024 }), gpu.argument(2, 512), gpu.argument(3, 4)
local each = block * bucket -- a block sorts so many
local blocks = (keys + each - 1) // each
local random = gpu.random(61)
local key = gpu.buffer("u32", each * blocks, function() return random() // 16 end)
for first = 0, each * blocks - 1, each do -- buckets come sorted: each has every block-th key
	for b = first, first + block - 1 do
		local t = {}
		for i = 1, bucket do t[i] = key:get(b + (i - 1) * block) end
		table.sort(t)
		for i = 1, bucket do key:set(b + (i - 1) * block, t[i]) end
	end
end
local before = key:table()

gpu.launch { kernel = "pcm", grid = blocks, block = block, shared = 8 * each + 4 * block, args = { key, bucket } }

for b = 0, blocks - 1 do
	local t = table.move(before, b * each + 1, (b + 1) * each, 1, {})
	table.sort(t)
	for i = 0, each - 1 do gpu.check(key:get(b * each + i) == t[i + 1], "block %d, key %d", b, i) end
end
