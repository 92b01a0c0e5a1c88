-- gpu.args: pixels of the image's side, a multiple of 16 (default 32), steps (default 2, for which the
-- program makes 4 launches).
gpu.sizes(function(wanted) return wanted.threads ^ 0.5 // 16 * 16 end)
local size, steps = gpu.argument(1, 32, { multiple_of = 16 }), gpu.argument(2, 2)
local n, now, random = size * size, {}, gpu.random(73)
for k = 0, n - 1 do -- a disc on a ground, each pixel times noise
	local x, y = k % size - size / 2, k // size - size / 2
	now[k] = (x * x + y * y < size * size / 9 and 3 or 1) * (768 + random(512)) / 1024
end

function sizes() return size, steps end

function begin(image) for k = 0, n - 1 do image:set(k, now[k]) end end

local function variation_of(get) -- in a corner without the disc
	local m, sum, squares = size // 4, 0, 0
	for y = 0, m - 1 do
		for x = 0, m - 1 do sum, squares = sum + get(y * size + x), squares + get(y * size + x) ^ 2 end
	end
	local mean = sum / (m * m)
	return (squares / (m * m) - mean * mean) / (mean * mean)
end
function variation(image) return variation_of(function(k) return image:get(k) end) end

-- In double precision.
function diffused(image)
	local function inside(v) return math.min(math.max(v, 0), size - 1) end
	for _ = 1, steps do
		local q, c, d, next = variation_of(function(k) return now[k] end), {}, {}, {}
		for k = 0, n - 1 do
			local x, y, p = k % size, k // size, now[k]
			local dn, ds = now[inside(y - 1) * size + x] - p, now[inside(y + 1) * size + x] - p
			local dw, de = now[y * size + inside(x - 1)] - p, now[y * size + inside(x + 1)] - p
			local gradient, laplacian = (dn * dn + ds * ds + dw * dw + de * de) / (p * p), (dn + ds + dw + de) / p
			local v = (0.5 * gradient - laplacian * laplacian / 16) / (1 + 0.25 * laplacian) ^ 2
			c[k], d[k] = math.min(math.max(1 / (1 + (v - q) / (q * (1 + q))), 0), 1), { dn, ds, dw, de }
		end
		for k = 0, n - 1 do
			local x, y = k % size, k // size
			local south, east = c[inside(y + 1) * size + x], c[y * size + inside(x + 1)]
			next[k] = now[k] + 0.125 * (c[k] * d[k][1] + south * d[k][2] + c[k] * d[k][3] + east * d[k][4])
		end
		now = next
	end
	for k = 0, n - 1 do gpu.check(math.abs(image:get(k) - now[k]) < 2e-5 * steps, "pixel %d: %.9g, not %.9g", k, image:get(k), now[k]) end
end
