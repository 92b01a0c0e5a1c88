-- gpu.args: width of the picture (default 64; it is three quarters as high).
gpu.sizes(function(size) return 64 * math.max(math.floor(math.sqrt(size.threads / 3072)), 1) end)
local w = gpu.argument(1, 64, { multiple_of = 64 })
local h, x0, y0, step, most = w // 4 * 3, -2.0, -1.125, 3 / w, 96
local out = gpu.buffer("u32", w * h)

gpu.launch { kernel = "mandelbrot", grid = { w // 16, h // 16 }, block = { 16, 16 }, args = { out, w, h, x0, y0, step, most } }

for py = 0, h - 1 do
	for px = 0, w - 1 do
		local cx, cy, x, y, k = x0 + px * step, y0 + py * step, 0.0, 0.0, 0
		while k < most do
			local xx, yy = x * x, y * y
			if xx + yy > 4.0 then break end
			y = 2.0 * x * y + cy
			x = xx - yy + cx
			k = k + 1
		end
		gpu.check(out:get(py * w + px) == k, "point (%d, %d): %d steps, not %d", px, py, out:get(py * w + px), k)
	end
end
