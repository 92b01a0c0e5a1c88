-- Keys below 1000 for 4096 threads, three lists; the argument names one that is sorted, so that threads of a
-- warp decide alike by it.
local n, sorted = 4096, tonumber(gpu.args[1])
math.randomseed(7)
local keys = {}
for list = 0, 2 do
	local one = {}
	for i = 1, n do one[i] = math.random(0, 999) end
	if list == sorted then table.sort(one) end
	table.move(one, 1, n, list * n + 1, keys)
end
local kernel = gpu.kernels()[1]
gpu.launch { kernel = kernel.name or kernel, grid = n // 256, block = 256, args = { gpu.buffer("u32", 3 * n, keys), gpu.buffer("u32", n) } }
