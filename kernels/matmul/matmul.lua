-- Small multiples of 1/4: every product and sum is exact, so the order of the additions does not matter.
-- gpu.args: rows and columns (default 64).
gpu.sizes(function(size) return (math.floor(math.sqrt(size.threads)) + 15) // 16 * 16 end)
local n = gpu.argument(1, 64, { multiple_of = 16 })
local function value(a, b)
	return function(i) return ((i * a + i // n * b) % 31 - 15) / 4 end
end
local a, b = gpu.buffer("f32", n * n, value(7, 3)), gpu.buffer("f32", n * n, value(11, 5))
local c = gpu.buffer("f32", n * n)

gpu.launch { kernel = "matmul", grid = { n // 16, n // 16 }, block = { 16, 16 }, args = { a, b, c, n } }

-- Row y of a is row y - 31, and column x of b is column x - 31: so are those of the product.
local PERIOD <const> = 31
local av, bv, product = a:table(), b:table(), {}
for i = PERIOD * n + 1, n * n do assert(av[i] == av[i - PERIOD * n]) end
for i = 1, n * n do assert((i - 1) % n < PERIOD or bv[i] == bv[i - PERIOD]) end
for y = 0, math.min(n, PERIOD) - 1 do
	for x = 0, math.min(n, PERIOD) - 1 do
		local s = 0
		for k = 0, n - 1 do s = s + av[y * n + k + 1] * bv[k * n + x + 1] end
		product[y * PERIOD + x] = s
	end
end
for y = 0, n - 1 do
	for x = 0, n - 1 do
		local s = product[y % PERIOD * PERIOD + x % PERIOD]
		gpu.check(c:get(y * n + x) == s, "c[%d][%d] is %g, not %g", y, x, c:get(y * n + x), s)
	end
end
