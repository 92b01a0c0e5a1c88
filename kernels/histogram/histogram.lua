-- A skewed distribution: many threads of a warp meet in the same bin.
local n, bins = 20000, 64
local seed = 3
local data = gpu.buffer("u8", n, function()
	seed = (seed * 1103515245 + 12345) % 2147483648
	local r = seed // 65536 % 64
	return r * r // 64 + seed // 4096 % 4 * 64
end)
local expected = {}
for i = 0, bins - 1 do expected[i] = 0 end
for i = 0, n - 1 do
	local b = data:get(i) % bins
	expected[b] = expected[b] + 1
end

for _, kernel in ipairs { "histogram_shared", "histogram_global" } do
	local hist = gpu.buffer("u32", bins)
	gpu.launch { kernel = kernel, grid = 8, block = 128, args = { data, n, hist } }
	for i = 0, bins - 1 do
		gpu.check(hist:get(i) == expected[i], "%s: bin %d has %d, not %d", kernel, i, hist:get(i), expected[i])
	end
end
