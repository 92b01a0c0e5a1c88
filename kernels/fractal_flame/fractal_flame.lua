-- gpu.args: threads of a block (default 32), points (default 96), pictures (default 2), steps of each
-- (default 6), 1: each thread draws its own maps, 0: a block's threads the same (default 1).
gpu.sizes(function(size) return 64, size.threads, 1 end)
local block, points, pictures = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 96), gpu.argument(3, 2)
local steps, own = gpu.argument(4, 6), gpu.argument(5, 1, { from = 0, to = 1 })
local w, h = 24, 16
local random = gpu.random(173)
local f = gpu.f32 -- rounded to single precision

local maps = { { 0.5, 0, 0.25, 0, 0.5, 0.5, 0, 400 }, { 0.6, -0.4, 0.3, 0.4, 0.6, -0.2, 1, 700 }, { -0.5, 0.3, 0.1, 0.2, 0.7, 0.4, 2, 1024 } }
local words = {}
for _, m in ipairs(maps) do
	for k = 1, 6 do m[k] = f(m[k]) end
	for word in string.pack("<ffffffi4i4", table.unpack(m)):gmatch("....") do words[#words + 1] = string.unpack("<I4", word) end
end
local buffer = gpu.buffer("u32", #words, words)
local x, y, state = gpu.buffer("f32", points), gpu.buffer("f32", points), gpu.buffer("u32", points)
local count, pixel = gpu.buffer("u32", w * h), gpu.buffer("u8", w * h)
local grid, sum = (points + block - 1) // block, 0

local function draw(s)
	s = (s ~ s << 13) & 0xffffffff
	s = s ~ s >> 17
	s = (s ~ s << 5) & 0xffffffff
	return s, s >> 8
end
local function bend(m, u, v)
	if m[7] == 1 then
		local r2 = f(f(f(u * u) + f(v * v)) + 0.0625)
		return f(u / r2), f(v / r2)
	elseif m[7] == 2 then
		local r = f(f(math.sqrt(f(f(u * u) + f(v * v)))) + 0.0625)
		return f(f(f(u - v) * f(u + v)) / r), f(f(2 * u * v) / r)
	end
	return u, v
end

for picture = 1, pictures do
	local chosen, salt = {}, random(32768)
	gpu.launch { kernel = "begin", grid = grid, block = block, args = { x, y, state, count, salt, points, w * h } }
	for step = 1, steps do
		chosen[step] = random(1024)
		gpu.launch { kernel = "iterate", grid = grid, block = block, args = { buffer, x, y, state, chosen[step], own, points } }
		if step > 2 then -- the first steps lead to the fractal
			gpu.launch { kernel = "accumulate", grid = grid, block = block, args = { x, y, count, w, h, points } }
		end
	end
	gpu.launch { kernel = "picture", grid = (w * h + block - 1) // block, block = block, args = { count, pixel, w * h } }

	-- Reference: point by point.
	local want = {}
	for k = 0, w * h - 1 do want[k] = 0 end
	for i = 0, points - 1 do
		local s, r = (i + 1) * 2654435761 & 0xffffffff ~ salt, nil
		for _ = 1, 4 do s = draw(s) end
		s, r = draw(s)
		local px = r % 2048 / 1024 - 1
		s, r = draw(s)
		local py = r % 2048 / 1024 - 1
		for step = 1, steps do
			local drawn, k = chosen[step] + 37 * (i // block), 1
			if own ~= 0 then s, drawn = draw(s) end
			while maps[k][8] <= drawn % 1024 do k = k + 1 end
			local m = maps[k]
			px, py = bend(m, f(f(f(m[1] * px) + f(m[2] * py)) + m[3]), f(f(f(m[4] * px) + f(m[5] * py)) + m[6]))
			local u, v = f(f(px + 2) * f(0.25 * w)), f(f(py + 2) * f(0.25 * h))
			if step > 2 and u >= 0 and u < w and v >= 0 and v < h then
				local at = math.floor(v) * w + math.floor(u)
				want[at] = want[at] + 1
			end
		end
		gpu.check(x:get(i) == px and y:get(i) == py, "picture %d: point %d is at (%.9g, %.9g), not (%.9g, %.9g)", picture, i, x:get(i), y:get(i), px, py)
	end
	for k = 0, w * h - 1 do
		local bits = 0
		while want[k] >> bits > 0 do bits = bits + 1 end
		gpu.check(count:get(k) == want[k], "picture %d: pixel %d counts %d, not %d", picture, k, count:get(k), want[k])
		gpu.check(pixel:get(k) == math.min(24 * bits, 255), "picture %d: pixel %d is %d", picture, k, pixel:get(k))
		sum = sum + want[k]
	end
end
gpu.check(sum > 0 or steps < 3, "no point is in the picture")
