-- gpu.args: equations (default 16), side of a block (default 4).
gpu.sizes { arguments = function(size)
	-- n steps over n * n coefficients: XL is ten times L in work, so that it ends
	local threads = size.name == "XL" and size.threads / 10 * 10 ^ (2 / 3) or size.threads
	return (threads / 4) ^ 0.5 // 1, 8
end, reason = "a quarter of the threads: there are as many launches as rows" }
local n, side = gpu.argument(1, 16), gpu.argument(2, 4, { to = 32 })
local random = gpu.random(157)
local f = gpu.f32 -- rounded to single precision

local a = gpu.buffer("f32", n * n, function(k) return (k // n == k % n and 2 * n or 0) + random(1000) / 500 - 1 end)
local b, factor = gpu.buffer("f32", n, function() return random(1000) / 100 end), gpu.buffer("f32", n * n)
local ta, tb = a:table(), b:table()
local row, right = table.move(ta, 1, n * n, 1, {}), table.move(tb, 1, n, 1, {})

local grid, block = (n + side - 1) // side, side * side
for k = 0, n - 2 do
	gpu.launch { kernel = "factors", grid = (n + block - 1) // block, block = block, args = { factor, a, n, k } }
	gpu.launch { kernel = "subtract", grid = { grid, grid }, block = { side, side }, args = { factor, a, b, n, k } }
end

for k = 0, n - 2 do
	for i = k + 1, n - 1 do
		local m = f(row[n * i + k + 1] / row[n * k + k + 1])
		for j = k, n - 1 do row[n * i + j + 1] = f(row[n * i + j + 1] - f(m * row[n * k + j + 1])) end
		right[i + 1] = f(right[i + 1] - f(m * right[k + 1]))
	end
end
for k = 0, n * n - 1 do gpu.check(a:get(k) == row[k + 1], "coefficient %d: %.9g, not %.9g", k, a:get(k), row[k + 1]) end
for k = 0, n - 1 do gpu.check(b:get(k) == right[k + 1], "right side %d: %.9g, not %.9g", k, b:get(k), right[k + 1]) end

-- And the solution solves the equations.
local x = {}
for i = n - 1, 0, -1 do
	local s = b:get(i)
	for j = i + 1, n - 1 do s = s - a:get(n * i + j) * x[j] end
	x[i] = s / a:get(n * i + i)
end
for i = 0, n - 1 do
	local s = 0
	for j = 0, n - 1 do s = s + ta[n * i + j + 1] * x[j] end
	gpu.check(math.abs(s - tb[i + 1]) < 1e-4, "equation %d is not solved: %g, not %g", i, s, tb[i + 1])
end
