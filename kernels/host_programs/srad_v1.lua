-- gpu.args: steps (default 6; the thesis has 100, in 502 launches).
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local rows, columns, steps = 24, 20, gpu.argument(1, 6)
local n, now = rows * columns, {}
local random = gpu.random(73)
for k = 0, n - 1 do -- a disc on a ground, with noise
	local y, x = k % rows - rows / 2, k // rows - columns / 2
	now[k] = (x * x + y * y < rows * columns / 9 and 160 or 60) + random(64)
end

function sizes() return steps end

function begin(image, north, south, west, east)
	for k = 0, n - 1 do image:set(k, now[k]) end
	for k = 0, rows - 1 do
		north:set(k, math.max(k - 1, 0))
		south:set(k, math.min(k + 1, rows - 1))
	end
	for k = 0, columns - 1 do
		west:set(k, math.max(k - 1, 0))
		east:set(k, math.min(k + 1, columns - 1))
	end
end

-- In double precision.
function diffused(image)
	for k = 0, n - 1 do now[k] = math.exp(now[k] / 255) end
	for _ = 1, steps do
		local sum, squares, c, d, next = 0, 0, {}, {}, {}
		for k = 0, n - 1 do sum, squares = sum + now[k], squares + now[k] ^ 2 end
		local mean = sum / n
		local q = (squares / n - mean * mean) / (mean * mean)
		for k = 0, n - 1 do
			local y, x, p = k % rows, k // rows, now[k]
			local dn, ds = now[math.max(y - 1, 0) + rows * x] - p, now[math.min(y + 1, rows - 1) + rows * x] - p
			local dw, de = now[y + rows * math.max(x - 1, 0)] - p, now[y + rows * math.min(x + 1, columns - 1)] - p
			local gradient, laplacian = (dn * dn + ds * ds + dw * dw + de * de) / (p * p), (dn + ds + dw + de) / p
			local variation = (0.5 * gradient - laplacian * laplacian / 16) / (1 + 0.25 * laplacian) ^ 2
			c[k], d[k] = math.min(math.max(1 / (1 + (variation - q) / (q * (1 + q))), 0), 1), { dn, ds, dw, de }
		end
		for k = 0, n - 1 do
			local y, x = k % rows, k // rows
			local south, east = c[math.min(y + 1, rows - 1) + rows * x], c[y + rows * math.min(x + 1, columns - 1)]
			next[k] = now[k] + 0.125 * (c[k] * d[k][1] + south * d[k][2] + c[k] * d[k][3] + east * d[k][4])
		end
		now = next
	end
	for k = 0, n - 1 do
		local want = math.log(now[k]) * 255
		gpu.check(math.abs(image:get(k) - want) < 0.02, "pixel %d: %.9g, not %.9g", k, image:get(k), want)
	end
end
