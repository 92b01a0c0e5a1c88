-- The host side of walk: a table in which every fifth entry ends a walk.
local n = gpu.argument(1, 256)
local state = 11
local table = gpu.buffer("s32", n * 8, function()
	state = (state * 1103515245 + 12345) % 2147483648
	local v = state // 65536
	return v % 5 == 0 and 0 or v % 1000
end)
local sum = gpu.buffer("s32", n)
gpu.launch { kernel = "walk", grid = (n + 63) // 64, block = 64, args = { table, sum, n } }
