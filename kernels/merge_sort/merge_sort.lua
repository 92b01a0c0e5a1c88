-- gpu.args: threads of a block (default 32), keys (default 300), keys of a sorted run at the end, a power of
-- two (default: all keys in one run; but the last merges have few threads to do them).
gpu.sizes(function(size) return 128, 2 * size.threads, 16 end)
local block, n = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 300)
local run = math.min(gpu.argument(3, nil, { power_of_two = true }) or n, n)
local random = gpu.random(71)
local from, to = gpu.buffer("u32", n), gpu.buffer("u32", n)
for i = 0, n - 1 do
	from:set(i, random() // 16)
end
local before = from:table()

local width = 1
while width < run do
	local threads = (n + 2 * width - 1) // (2 * width)
	gpu.launch { kernel = "merge_sort", grid = (threads + block - 1) // block, block = block, args = { from, to, n, width } }
	from, to, width = to, from, 2 * width
end

for first = 0, n - 1, run do
	local t = table.move(before, first + 1, math.min(first + run, n), 1, {})
	table.sort(t)
	for i, key in ipairs(t) do
		gpu.check(from:get(first + i - 1) == key, "key %d: %d, not %d", first + i - 1, from:get(first + i - 1), key)
	end
end
