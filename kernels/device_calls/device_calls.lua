-- gpu.args: threads (default 1024).
gpu.sizes(function(size) return size.threads end)
local n = gpu.argument(1, 1024, { multiple_of = 128 })
local a = gpu.buffer("u32", n, function(i) return (i * 2654435761 + 12345) % 1000000 end)
local b = gpu.buffer("u32", n, function(i) return (i * 40503 + 77) % 65536 * (i % 7 + 1) end)
local g, r, q = gpu.buffer("u32", n), gpu.buffer("u32", n), gpu.buffer("s32", 2 * n)

gpu.launch { kernel = "device_calls", grid = n // 128, block = 128, args = { a, b, g, r, q } }

local function gcd(x, y)
	while y ~= 0 do x, y = y, x % y end
	return x
end
local function isqrt(x)
	local s = math.floor(math.sqrt(x))
	while s * s > x do s = s - 1 end
	while (s + 1) * (s + 1) <= x do s = s + 1 end
	return s
end
for i = 0, n - 1 do
	local x, y = a:get(i), b:get(i)
	local first = i % 3 == 0
	gpu.check(g:get(i) == (first and gcd(x, y) or gcd(y, x + 1)), "gcd of thread %d", i)
	gpu.check(r:get(i) == isqrt(first and x or y ~ x), "square root of thread %d", i)
	local num, den = x - 500000, y % 1000 + 1
	local quo = num >= 0 and num // den or -(-num // den)
	gpu.check(q:get(2 * i) == quo and q:get(2 * i + 1) == num - quo * den, "quotient of thread %d", i)
end
