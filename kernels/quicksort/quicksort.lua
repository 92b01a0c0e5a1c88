local threads, each = 128, 24
local seed = 5
local data = gpu.buffer("s32", threads * each, function(i)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % 1000 - 500
end)
local before = {}
for i = 0, #data - 1 do before[i] = data:get(i) end

gpu.launch { kernel = "quicksort", grid = threads // 64, block = 64, args = { data } }

for t = 0, threads - 1 do
	local list = {}
	for i = 1, each do list[i] = before[t * each + i - 1] end
	table.sort(list)
	for i = 1, each do gpu.check(data:get(t * each + i - 1) == list[i], "thread %d, element %d", t, i - 1) end
end
