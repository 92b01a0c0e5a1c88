-- A skewed distribution: many threads of a warp meet in the same bin.
-- gpu.args: data (default 20000), blocks (default 8).
gpu.sizes(function(size) return 4 * size.threads, size.threads // 128 end)
local n, blocks, bins = gpu.argument(1, 20000), gpu.argument(2, 8), 64
local random = gpu.random(3)
local data = gpu.buffer("u8", n, function()
	local seed = random()
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
	gpu.launch { kernel = kernel, grid = blocks, block = 128, args = { data, n, hist } }
	for i = 0, bins - 1 do
		gpu.check(hist:get(i) == expected[i], "%s: bin %d has %d, not %d", kernel, i, hist:get(i), expected[i])
	end
end
