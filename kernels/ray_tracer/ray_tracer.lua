-- gpu.args: width of the picture (default 16; it is half as high), spheres (default 5), mirrors in a row
-- (default 3).
gpu.sizes(function(size) return 16 * math.ceil(math.sqrt(2 * size.threads) / 16) end)
local w, spheres, depth = gpu.argument(1, 16, { from = 2 }), gpu.argument(2, 5), gpu.argument(3, 3)
local h = w // 2
local FAR <const> = 1e6
local random = gpu.random(43)
local sqrt, floor = math.sqrt, math.floor
local f = gpu.f32 -- rounded to single precision

local words = {}
for k = 0, spheres - 1 do
	local r = (4 + random(8)) / 8
	table.move({ (random(64) - 32) / 8, r, random(64) / 8, r, random(4) / 4, (4 + random(5)) / 8 }, 1, 6, 6 * k + 1, words)
end
local LIGHT <const> = { -4, 8, -3 }
local out = gpu.buffer("f32", w * h, -1)
gpu.launch { kernel = "ray_tracer", grid = { (w + 7) // 8, (h + 7) // 8 }, block = { 8, 8 },
	args = { gpu.buffer("f32", #words, words), spheres, LIGHT[1], LIGHT[2], LIGHT[3], w, h, depth, out } }

-- Reference: recursion instead of the loop.
local function dot(a, b) return f(f(f(a[1] * b[1]) + f(a[2] * b[2])) + f(a[3] * b[3])) end
local function less(a, b) return { f(a[1] - b[1]), f(a[2] - b[2]), f(a[3] - b[3]) } end
local function over(a, s) return { f(a[1] / s), f(a[2] / s), f(a[3] / s) } end

local function meet(k, o, d)
	local c = { words[6 * k + 1], words[6 * k + 2], words[6 * k + 3] }
	local r, v = words[6 * k + 4], less(c, o)
	local b = dot(v, d)
	if b < 0 then return FAR end
	local q = f(f(r * r) - f(dot(v, v) - f(b * b)))
	if q < 0 then return FAR end
	local t = f(b - f(sqrt(q)))
	return t > f(0.001) and t or FAR
end

local function lit(p, l, distance)
	for k = 0, spheres - 1 do
		if meet(k, p, l) < distance then return false end
	end
	return true
end

local function ray(o, d, part, level, seen)
	local t, which = FAR, nil
	for k = 0, spheres - 1 do
		local s = meet(k, o, d)
		if s < t then t, which = s, k end
	end
	local plane = d[2] < f(-0.001) and f(-o[2] / d[2]) or FAR
	if plane < t then t, which = plane, spheres end
	if not which then return f(seen + f(part * f(0.25 + f(0.5 * math.max(d[2], 0))))) end
	local p, n, mirror, shade = {}, { 0, 1, 0 }, nil, nil
	for k = 1, 3 do p[k] = f(o[k] + f(t * d[k])) end
	if which == spheres then
		if f(f(p[1] * p[1]) + f(p[3] * p[3])) > 400 then return f(seen + f(part * 0.125)) end
		local odd = (floor(p[1]) + floor(p[3])) & 1 == 1
		shade, mirror = odd and 0.75 or 0.25, odd and 0.25 or 0
	else
		local at = 6 * which
		n = over(less(p, { words[at + 1], words[at + 2], words[at + 3] }), words[at + 4])
		mirror, shade = words[at + 5], words[at + 6]
	end
	local l = less(LIGHT, p)
	local distance = f(sqrt(dot(l, l)))
	l = over(l, distance)
	local cosine, light = dot(n, l), 0.125
	if cosine > 0 and lit(p, l, distance) then light = f(light + cosine) end
	seen = f(seen + f(f(f(part * f(1 - mirror)) * shade) * light))
	part = f(part * mirror)
	if part < f(0.02) or level == depth then return seen end
	local twice = f(2 * dot(d, n))
	return ray(p, less(d, { f(twice * n[1]), f(twice * n[2]), f(twice * n[3]) }), part, level + 1, seen)
end

local pixels = w <= 64 and 1 or w <= 1024 and 7 or 61 -- of large pictures every seventh, or fewer
for k = 0, w * h - 1, pixels do
	local d = { f((2 * (k % w) + 1 - w) / w), f((h - 2 * (k // w) - 1) / w), 1 }
	local want = ray({ 0, 1, -4 }, over(d, f(sqrt(dot(d, d)))), 1, 0, 0)
	gpu.check(out:get(k) == want, "pixel (%d, %d): %.9g, not %.9g", k % w, k // w, out:get(k), want)
end
