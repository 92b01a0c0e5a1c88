-- gpu.args: threads of a block (default 32), rows and columns of the matrix (default 32; as many tiles of half a block as it takes).
local block, n = tonumber(gpu.args[1] or 32), tonumber(gpu.args[2] or 32)
assert(block and block >= 4 and block % 4 == 0, "the threads of a block are a multiple of 4")
local size = block // 2
local tiles = (n + size - 1) // size
n = tiles * size
local seed = 67
local a = gpu.buffer("f32", n * n, function(i) -- the diagonal outweighs its row
	seed = (seed * 1103515245 + 12345) % 2147483648
	return i % (n + 1) == 0 and n or (seed // 65536 % 1024 - 512) / 512
end)
local before = a:table()

for k = 0, tiles - 1 do
	local rest, args = tiles - 1 - k, { a, n, k * size }
	gpu.launch { kernel = "diagonal", grid = 1, block = size, shared = 4 * size * size, args = args }
	if rest > 0 then
		gpu.launch { kernel = "perimeter", grid = rest, block = block, shared = 12 * size * size, args = args }
		gpu.launch { kernel = "internal", grid = { rest, rest }, block = block, shared = 8 * size * size, args = args }
	end
end

-- Reference: elimination without tiles; of large matrices some elements of the product L U, which rounding leaves close to A.
if n <= 128 then
	local pack, unpack = string.pack, string.unpack
	local function f(x) return (unpack("<f", pack("<f", x))) end -- rounded to single precision
	local m = before
	for k = 0, n - 1 do
		for i = k + 1, n - 1 do
			local l = f(m[i * n + k + 1] / m[k * n + k + 1])
			m[i * n + k + 1] = l
			for j = k + 1, n - 1 do m[i * n + j + 1] = f(m[i * n + j + 1] - f(l * m[k * n + j + 1])) end
		end
	end
	for e = 0, n * n - 1 do
		gpu.check(a:get(e) == m[e + 1], ("row %d, column %d: %.9g, not %.9g"):format(e // n, e % n, a:get(e), m[e + 1]))
	end
else
	for e = 0, n * n - 1, 101 do
		local i, j = e // n, e % n
		local sum = i <= j and a:get(e) or 0
		for k = 0, math.min(i - 1, j) do sum = sum + a:get(i * n + k) * a:get(k * n + j) end
		gpu.check(math.abs(sum - before[e + 1]) < 1e-5 * n, ("row %d, column %d of L U: %.9g, not %.9g"):format(i, j, sum, before[e + 1]))
	end
end
