local block, blocks = 256, 6
local seed = 7
local key = gpu.buffer("u32", block * blocks, function()
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 16
end)
local before = {}
for i = 0, #key - 1 do before[i] = key:get(i) end

gpu.launch { kernel = "bitonic_sort", grid = blocks, block = block, args = { key } }

for b = 0, blocks - 1 do
	local t = {}
	for i = 0, block - 1 do t[i + 1] = before[b * block + i] end
	table.sort(t, b % 2 == 0 and function(x, y) return x < y end or function(x, y) return x > y end)
	for i = 0, block - 1 do
		gpu.check(key:get(b * block + i) == t[i + 1], ("block %d, key %d"):format(b, i))
	end
end
