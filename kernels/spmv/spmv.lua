-- Rows of very different lengths. Small integers: sums are exact in any order.
-- gpu.args: rows (default 700).
gpu.sizes(function(size) return size.threads // 4 end)
local n = gpu.argument(1, 700)
local random = gpu.random(23)
local first, column, value, sum = { 0 }, {}, {}, {}
local x = gpu.buffer("f32", n, function(i) return i % 13 - 6 end)
for r = 0, n - 1 do
	local s = 0
	for _ = 1, random(16) == 0 and 60 or random(12) do
		local c, v = random(n), random(9) - 4
		column[#column + 1], value[#value + 1] = c, v
		s = s + v * x:get(c)
	end
	first[r + 2], sum[r] = #column, s
end
local fb, cb, vb = gpu.buffer("s32", n + 1, first), gpu.buffer("s32", #column, column), gpu.buffer("f32", #value, value)

for _, case in ipairs { { "spmv_scalar", n }, { "spmv_warp", gpu.warp_size * n } } do
	local kernel, threads = case[1], case[2]
	local y = gpu.buffer("f32", n)
	gpu.launch { kernel = kernel, grid = (threads + 127) // 128, block = 128, args = { fb, cb, vb, x, y, n } }
	for r = 0, n - 1 do
		gpu.check(y:get(r) == sum[r], "%s: row %d is %g, not %g", kernel, r, y:get(r), sum[r])
	end
end
