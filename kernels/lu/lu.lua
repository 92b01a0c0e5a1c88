-- gpu.args: threads of a block (default 32; the matrix is decomposed twice then, with the loops of perimeter
-- and with perimeter_16), rows and columns of the matrix (default 32; as many tiles of half a block as it
-- takes).
gpu.sizes { arguments = function(size) return 32, 16 * math.min(math.floor(math.sqrt(size.warps)), 24) end,
	reason = "tiles of the diagonal are decomposed one after the other, each by one block" }
local block, n = gpu.argument(1, 32, { multiple_of = 4, to = 1024 }), gpu.argument(2, 32)
local size = block // 2
local tiles = (n + size - 1) // size
n = tiles * size
local random, before = gpu.random(67), {}
for e = 1, n * n do
	local r = (random(1024) - 512) / 512
	before[e] = (e - 1) % (n + 1) == 0 and n or r -- the diagonal outweighs its row
end

local function decompose(perimeter)
	local a = gpu.buffer("f32", n * n, before)
	for k = 0, tiles - 1 do
		local rest, args = tiles - 1 - k, { a, n, k * size }
		gpu.launch { kernel = "diagonal", grid = 1, block = size, shared = 4 * size * size, args = args }
		if rest > 0 then
			gpu.launch { kernel = perimeter, grid = rest, block = block, shared = 12 * size * size, args = args }
			gpu.launch { kernel = "internal", grid = { rest, rest }, block = block, shared = 8 * size * size, args = args }
		end
	end
	return a:table()
end

-- Reference: elimination without tiles; of large matrices some elements of the product L U, which rounding
-- leaves close to A.
local function eliminated(m)
	local f = gpu.f32 -- rounded to single precision
	for k = 0, n - 1 do
		for i = k + 1, n - 1 do
			local l = f(m[i * n + k + 1] / m[k * n + k + 1])
			m[i * n + k + 1] = l
			for j = k + 1, n - 1 do m[i * n + j + 1] = f(m[i * n + j + 1] - f(l * m[k * n + j + 1])) end
		end
	end
	return m
end
local want = n <= 128 and eliminated(table.move(before, 1, n * n, 1, {}))

for _, kernel in ipairs(block == 32 and { "perimeter", "perimeter_16" } or { "perimeter" }) do
	local a = decompose(kernel)
	for e = 1, n * n, want and 1 or 101 do
		local i, j, sum = (e - 1) // n, (e - 1) % n, 0
		local where = ("%s, row %d, column %d"):format(kernel, i, j)
		if want then
			gpu.check(a[e] == want[e], "%s: %.9g, not %.9g", where, a[e], want[e])
		else
			for k = 0, math.min(i - 1, j) do sum = sum + a[i * n + k + 1] * a[k * n + j + 1] end
			if i <= j then sum = sum + a[e] end
			gpu.check(math.abs(sum - before[e]) < 1e-5 * n, "%s of L U: %.9g, not %.9g", where, sum, before[e])
		end
	end
end
