-- gpu.args: threads of a block's side (default 8), pixels of the image's side (default 16, as many tiles as
-- it takes), steps (default 2).
gpu.sizes(function(size) return 16, math.floor(math.sqrt(size.threads)) // 16 * 16 end)
local side, size, steps = gpu.argument(1, 8, { from = 2, to = 32 }), gpu.argument(2, 16), gpu.argument(3, 2)
local tiles = (size + side - 1) // side
size = tiles * side
local RATE <const> = 0.5
local random = gpu.random(73)
local f = gpu.f32 -- rounded to single precision

-- A disc on a ground, each pixel times noise.
local image = gpu.buffer("f32", size * size, function(k)
	local x, y = k % size - size / 2, k // size - size / 2
	return (x * x + y * y < size * size / 9 and 3 or 1) * (768 + random(512)) / 1024
end)
local next, coefficient = gpu.buffer("f32", size * size), gpu.buffer("f32", size * size)
local now, grid, block = image:table(), { tiles, tiles }, { side, side }

for step = 1, steps do
	local n, sum, squares = size // 4, 0, 0 -- what the noise is like, in a corner without the disc
	for y = 0, n - 1 do
		for x = 1, n do sum, squares = sum + now[y * size + x], squares + now[y * size + x] ^ 2 end
	end
	local mean = sum / (n * n)
	local q = f((squares / (n * n) - mean * mean) / (mean * mean))
	gpu.launch { kernel = "coefficients", grid = grid, block = block, shared = 8 * side * (side + 2), args = { image, coefficient, size, size, q } }
	gpu.launch { kernel = "diffuse", grid = grid, block = block, args = { image, coefficient, next, size, size, RATE } }

	-- Reference: pixel by pixel of the whole image, from what the step before has left.
	local scale = f(q * f(1 + q))
	local function inside(v) return math.min(math.max(v, 0), size - 1) end
	local function differences(x, y)
		local p, row = now[y * size + x + 1], y * size + 1
		return p, f(now[inside(y - 1) * size + x + 1] - p), f(now[inside(y + 1) * size + x + 1] - p), f(now[row + inside(x - 1)] - p),
			f(now[row + inside(x + 1)] - p)
	end
	local function flow(x, y) -- the coefficient
		local p, dn, ds, dw, de = differences(x, y)
		local gradient = f(f(f(f(f(dn * dn) + f(ds * ds)) + f(dw * dw)) + f(de * de)) / f(p * p))
		local laplacian = f(f(f(f(dn + ds) + dw) + de) / p)
		local below = f(1 + f(0.25 * laplacian))
		local variation = f(f(f(0.5 * gradient) - f(0.0625 * f(laplacian * laplacian))) / f(below * below))
		return math.min(math.max(f(1 / f(1 + f(f(variation - q) / scale))), 0), 1)
	end
	for k = 0, size * size - 1, size <= 64 and 1 or size <= 512 and 7 or 61 do -- of large images every seventh, or fewer
		local x, y = k % size, k // size
		local p, dn, ds, dw, de = differences(x, y)
		local c, where = flow(x, y), ("step %d, pixel (%d, %d): "):format(step, x, y)
		local sum = f(f(f(c * dn) + f(flow(x, inside(y + 1)) * ds)) + f(c * dw))
		local want = f(p + f(f(0.25 * RATE) * f(sum + f(flow(inside(x + 1), y) * de))))
		gpu.check(coefficient:get(k) == c, (where .. "coefficient %.9g, not %.9g"):format(coefficient:get(k), c))
		gpu.check(next:get(k) == want, (where .. "%.9g, not %.9g"):format(next:get(k), want))
	end
	image, next = next, image
	now = image:table()
end
