-- Small multiples of 1/4: every product and sum is exact, so the order of the additions does not matter.
local n = 64
local function value(a, b)
	return function(i) return ((i * a + i // n * b) % 31 - 15) / 4 end
end
local a, b = gpu.buffer("f32", n * n, value(7, 3)), gpu.buffer("f32", n * n, value(11, 5))
local c = gpu.buffer("f32", n * n)

gpu.launch { kernel = "matmul", grid = { n // 16, n // 16 }, block = { 16, 16 }, args = { a, b, c, n } }

local av, bv = {}, {}
for i = 0, n * n - 1 do av[i], bv[i] = a:get(i), b:get(i) end
for y = 0, n - 1 do
	for x = 0, n - 1 do
		local s = 0
		for k = 0, n - 1 do s = s + av[y * n + k] * bv[k * n + x] end
		gpu.check(c:get(y * n + x) == s, "c[%d][%d] is %g, not %g", y, x, c:get(y * n + x), s)
	end
end
