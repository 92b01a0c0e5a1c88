-- gpu.args[1]: rows (default 500); gpu.args[2]: warps of 32 threads (default 2). Half of the rows have no
-- element, a quarter 1 or 2, an eighth 3 to 6, and so on up to 254. Small integers: sums are exact in any
-- order.
gpu.sizes(function(size) return size.threads, size.warps end)
local n, warps = gpu.argument(1, 500), gpu.argument(2, 2)
local random = gpu.random(23)

local first, column, value, sum = { 0 }, {}, {}, {}
local x = gpu.buffer("f32", n, function(i) return i % 13 - 6 end)
for r = 0, n - 1 do
	local most, s = 1, 0
	while most < 128 and random(2) == 1 do most = 2 * most end
	for _ = 1, most - 1 + random(most) do
		local c, v = random(n), random(9) - 4
		column[#column + 1], value[#value + 1] = c, v
		s = s + v * x:get(c)
	end
	first[r + 2], sum[r] = #column, s
end
local fb, cb, vb = gpu.buffer("s32", n + 1, first), gpu.buffer("s32", #column, column), gpu.buffer("f32", #value, value)

for _, kernel in ipairs { "rows_stride", "rows_queue" } do
	local y = gpu.buffer("f32", n)
	local args = { fb, cb, vb, x, y, n }
	local next = gpu.buffer("s32", 1)
	if kernel == "rows_queue" then args[#args + 1] = next end
	gpu.launch { kernel = kernel, grid = warps, block = 32, args = args }
	for r = 0, n - 1 do
		gpu.check(y:get(r) == sum[r], "%s: row %d is %g, not %g", kernel, r, y:get(r), sum[r])
	end
	if kernel == "rows_queue" then gpu.check(next:get(0) == n + 32 * warps, "every thread asks once more than it gets a row") end
end
