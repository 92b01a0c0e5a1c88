-- gpu.args: threads of a block (default 64), pixels in each direction (default 24, 20), points of a circle
-- (default 12).
gpu.sizes(function(size)
	local side = size.threads ^ 0.5 // 1
	return 64, side, side
end)
local block, w, h, points = gpu.argument(1, 64, { to = 1024 }), gpu.argument(2, 24), gpu.argument(3, 20), gpu.argument(4, 12)
local CIRCLES <const>, SIZE <const> = 2, 5
local random = gpu.random(137)
local f = gpu.f32 -- rounded to single precision

-- A frame with two cells whose rims are light, and noise; its gradients, times 16.
local frame = {}
for i = 0, w * h - 1 do
	local value = random(16)
	for c = 1, 2 do
		local r = math.sqrt((i % w - c * w / 3) ^ 2 + (i // w - h / 2) ^ 2)
		if r < 4 then value = value + 30 * r end
	end
	frame[i] = value
end
local function at(x, y) return frame[math.min(math.max(y, 0), h - 1) * w + math.min(math.max(x, 0), w - 1)] end
local gx = gpu.buffer("f32", w * h, function(i) return at(i % w + 1, i // w) - at(i % w - 1, i // w) end)
local gy = gpu.buffer("f32", w * h, function(i) return at(i % w, i // w + 1) - at(i % w, i // w - 1) end)
local sine = gpu.buffer("f32", points, function(p) return math.sin(2 * math.pi * p / points) end)
local cosine = gpu.buffer("f32", points, function(p) return math.cos(2 * math.pi * p / points) end)
local function round(x) return math.floor(x + 0.5) end
local dx = gpu.buffer("s32", CIRCLES * points, function(i) return round((2 + i // points) * math.cos(2 * math.pi * (i % points) / points)) end)
local dy = gpu.buffer("s32", CIRCLES * points, function(i) return round((2 + i // points) * math.sin(2 * math.pi * (i % points) / points)) end)
local form = gpu.buffer("s32", SIZE * SIZE, function(i)
	return (i % SIZE - SIZE // 2) ^ 2 + (i // SIZE - SIZE // 2) ^ 2 <= 5 and 1 or 0
end)
local score, dilated, border = gpu.buffer("f32", w * h), gpu.buffer("f32", w * h), CIRCLES + 1
local grid = (w * h + block - 1) // block
gpu.launch { kernel = "on_circles", grid = grid, block = block, args = { gx, gy, sine, cosine, dx, dy, score, w, h, border, CIRCLES, points } }
gpu.launch { kernel = "dilate", grid = grid, block = block, args = { score, form, dilated, w, h, SIZE } }

local function tables(...)
	local t = {}
	for i, buffer in ipairs { ... } do t[i] = buffer:table() end
	return table.unpack(t)
end
local tx, ty, ts, tc, tdx, tdy, tform, got, wide = tables(gx, gy, sine, cosine, dx, dy, form, score, dilated)
for y = 0, h - 1, h > 64 and 5 or 1 do
	for x = 0, w - 1 do
		local best = 0
		if x >= border and x < w - border and y >= border and y < h - border then
			for k = 0, CIRCLES - 1 do
				local sum, mean, squares = 0, 0, 0
				for p = 1, points do
					local a = (y + tdy[k * points + p]) * w + x + tdx[k * points + p] + 1
					local g = f(f(tx[a] * tc[p]) + f(ty[a] * ts[p]))
					local off = f(g - mean)
					sum, mean = f(sum + g), f(mean + f(off / p))
					squares = f(squares + f(off * f(g - mean)))
				end
				mean = f(sum / points)
				local alike = f(f(mean * mean) / f(squares / (points - 1)))
				if alike > best then best = alike end
			end
		end
		local i = y * w + x + 1
		gpu.check(got[i] == best, "pixel (%d, %d): %.9g, not %.9g", x, y, got[i], best)
		best = 0
		for k = 0, SIZE * SIZE - 1 do
			local u, v = x + k % SIZE - SIZE // 2, y + k // SIZE - SIZE // 2
			if tform[k + 1] ~= 0 and u >= 0 and u < w and v >= 0 and v < h then best = math.max(best, got[v * w + u + 1]) end
		end
		gpu.check(wide[i] == best, "dilated pixel (%d, %d): %.9g, not %.9g", x, y, wide[i], best)
	end
end
