-- gpu.args: threads (default 128), each of which sorts 24 numbers.
gpu.sizes(function(size) return math.max(size.threads // 8 // 64, 1) * 64 end)
local threads, each, random = gpu.argument(1, 128, { multiple_of = 64 }), 24, gpu.random(5)
local data = gpu.buffer("s32", threads * each, function() return random(1000) - 500 end)

gpu.launch { kernel = "quicksort", grid = threads // 64, block = 64, args = { data } }

random = gpu.random(5) -- the same numbers once more
for t = 0, threads - 1 do
	local list = {}
	for i = 1, each do list[i] = random(1000) - 500 end
	table.sort(list)
	for i = 1, each do gpu.check(data:get(t * each + i - 1) == list[i], "thread %d, element %d", t, i - 1) end
end
