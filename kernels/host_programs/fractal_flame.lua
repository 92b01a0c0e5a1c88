-- gpu.args: pictures (default 4; the thesis' 1275 launches are 75), steps of each (default 14).
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local pictures, steps = gpu.argument(1, 4), gpu.argument(2, 14)
local points, w, h = 96, 24, 16
local pack, unpack = string.pack, string.unpack
local f = gpu.f32 -- rounded to single precision
local maps = { { 0.5, 0, 0.25, 0, 0.5, 0.5, 0, 400 }, { 0.6, -0.4, 0.3, 0.4, 0.6, -0.2, 1, 700 }, { -0.5, 0.3, 0.1, 0.2, 0.7, 0.4, 2, 1024 } }

function sizes() return pictures, steps end

function begin_maps(buffer)
	local at = 0
	for _, m in ipairs(maps) do
		for k = 1, 6 do m[k] = f(m[k]) end
		for word in pack("<ffffffi4i4", table.unpack(m)):gmatch("....") do
			buffer:set(at, (unpack("<I4", word)))
			at = at + 1
		end
	end
end

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

-- The last picture, point by point.
function shown(x, y, pixel)
	local salt, count, sum = 173, {}, 0
	for _ = 1, (pictures - 1) * steps do salt = (salt * 1664525 + 1013904223) & 0xffffffff end
	for k = 0, w * h - 1 do count[k] = 0 end
	for i = 0, points - 1 do
		local s, r = (i + 1) * 2654435761 & 0xffffffff ~ salt, nil
		for _ = 1, 4 do s = draw(s) end
		s, r = draw(s)
		local px = r % 2048 / 1024 - 1
		s, r = draw(s)
		local py = r % 2048 / 1024 - 1
		for _ = 1, steps do
			local drawn, k
			s, drawn = draw(s)
			k = 1
			while maps[k][8] <= drawn % 1024 do k = k + 1 end
			local m = maps[k]
			px, py = bend(m, f(f(f(m[1] * px) + f(m[2] * py)) + m[3]), f(f(f(m[4] * px) + f(m[5] * py)) + m[6]))
		end
		local u, v = f(f(px + 2) * f(0.25 * w)), f(f(py + 2) * f(0.25 * h))
		if u >= 0 and u < w and v >= 0 and v < h then
			local at = math.floor(v) * w + math.floor(u)
			count[at] = count[at] + 1
		end
		gpu.check(x:get(i) == px and y:get(i) == py, "point %d is at (%.9g, %.9g), not (%.9g, %.9g)", i, x:get(i), y:get(i), px, py)
	end
	for k = 0, w * h - 1 do
		local bits = 0
		while count[k] >> bits > 0 do bits = bits + 1 end
		gpu.check(pixel:get(k) == math.min(24 * bits, 255), "pixel %d is %d", k, pixel:get(k))
		sum = sum + count[k]
	end
	gpu.check(sum > 0, "no point is in the picture")
end
