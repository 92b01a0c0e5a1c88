-- Five warps and a half: with lanes of a machine's wider warp missing, and of PTX's.
local lanes = gpu.warp_size
local n = 5 * lanes + lanes // 2
local out = gpu.buffer("u32", 10 * n)
gpu.launch { kernel = "lanes", grid = 1, block = n, warp_size = lanes, args = { out } }

-- the lanes of thread i's warp for which f holds, as a mask
local function mask(first, f)
	local m = 0
	for l = 0, math.min(lanes, n - first) - 1 do m = m | (f(first + l) and 1 << l or 0) end
	return m
end

for i = 0, n - 1 do
	local lane, first, sum = i % lanes, i - i % lanes, 0
	for k = first, math.min(first + lanes, n) - 1 do sum = sum + k end
	local want = { lanes, lane, i // lanes, 6, (1 << lane) - 1, mask(first, function(k) return k % 3 == 0 end), first,
		mask(first, function(k) return k % 5 == i % 5 end), lane == 0 and 100 or 0, sum }
	for k, v in ipairs(want) do
		local is = out:get(10 * i + k - 1)
		gpu.check(is == v, "thread %d, word %d is %d, not %d", i, k, is, v)
	end
end
