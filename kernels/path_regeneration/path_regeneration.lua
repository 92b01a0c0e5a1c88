-- gpu.args: threads of a block (default 32), paths at a time (default 32), pixels in each direction (default
-- 12, 8), samples of each (default 1), steps between two counts of the paths that are left (default 4).
gpu.sizes(function(size)
	local w = 8
	while w * w < size.threads do w = 2 * w end
	return 128, size.threads // 2, w, size.threads // w
end)
local block, n, w, h = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 32), gpu.argument(3, 12), gpu.argument(4, 8)
local pixels = w * h
local samples, between = pixels * gpu.argument(5, 1), gpu.argument(6, 4)
local f = gpu.f32 -- rounded to single precision

local SPHERES <const> = { -- x, y, z, square of the radius, what it sends back, its light
	{ 0, 0, 2, 1, 0.75, 0 }, { -1.5, 0.5, 1, 0.5, 0.5, 0 }, { 1.25, -0.5, 0.5, 0.375, 0.875, 0 }, { 0.5, 1.5, 1, 0.25, 0, 2 }, { 0, -21, 2, 400, 0.625, 0 },
}
local MOST <const> = 4
local words = {}
for _, s in ipairs(SPHERES) do table.move(s, 1, 6, #words + 1, words) end
local spheres, light, active = gpu.buffer("f32", #words, words), gpu.buffer("u32", pixels), gpu.buffer("u32", 1)
local paths = gpu.buffer("u32", 12 * n, function(k) return k % 12 == 9 and (k // 12 - n) & 0xffffffff or 0 end)

local grid, step = (n + block - 1) // block, 0
local function launch(kernel, ...) gpu.launch { kernel = kernel, grid = grid, block = block, args = { ... } } end
launch("regenerate", paths, n, samples, w, h)
repeat
	launch("extend", paths, n, spheres, #SPHERES)
	launch("shade", paths, n, spheres, light, pixels)
	launch("regenerate", paths, n, samples, w, h)
	step = step + 1
	if step % between == 0 then
		active:set(0, 0)
		launch("count_paths", paths, n, active)
	end
until step % between == 0 and active:get(0) == 0

-- Reference: sample by sample.
local function dot(a, b) return f(f(f(a[1] * b[1]) + f(a[2] * b[2])) + f(a[3] * b[3])) end
local function unit(d)
	local length = f(math.sqrt(dot(d, d)))
	return { f(d[1] / length), f(d[2] / length), f(d[3] / length) }
end
local function nearest(p, d)
	local near, hit = 1e9, nil
	for _, s in ipairs(SPHERES) do
		local to = { f(s[1] - p[1]), f(s[2] - p[2]), f(s[3] - p[3]) }
		local along = dot(to, d)
		local under = f(f(along * along) - f(dot(to, to) - s[4]))
		if under > 0 then
			local root = f(math.sqrt(under))
			local t = f(along - root)
			if t < f(0.001) then t = f(along + root) end
			if t >= f(0.001) and t < near then near, hit = t, s end
		end
	end
	return near, hit
end
local function trace(sample)
	local s, p = (sample + 1) * 2654435761 & 0xffffffff, { 0, 0, -4 }
	local function jitter()
		s = (s ~ s << 13) & 0xffffffff
		s = s ~ s >> 17
		s = (s ~ s << 5) & 0xffffffff
		return f(f((s >> 8) / 8388608) - 1)
	end
	for _ = 1, 4 do jitter() end
	local x = f(f(f(sample % w + f(0.5 * jitter())) / w) - 0.5)
	local y = f(f(f(sample // w % h + f(0.5 * jitter())) / h) - 0.5)
	local d, weight = unit { x, y, 1 }, 1
	for segment = 1, MOST do
		local t, hit = nearest(p, d)
		if not hit then return f(weight * f(0.75 + f(0.25 * d[2]))) end
		if hit[6] > 0 then return f(weight * hit[6]) end
		if segment == MOST then return 0 end
		local normal, r = {}, f(math.sqrt(hit[4]))
		for c = 1, 3 do
			p[c] = f(p[c] + f(t * d[c]))
			normal[c] = f(f(p[c] - hit[c]) / r)
		end
		local twice, turned = f(2 * dot(d, normal)), {}
		for c = 1, 3 do turned[c] = f(f(d[c] - f(twice * normal[c])) + f(0.25 * jitter())) end
		d, weight = unit(turned), f(weight * hit[5])
	end
end
local want, sum, every = {}, 0, math.max(pixels // 4096, 1) -- of many pixels only some
for k = 0, pixels - 1, every do
	want[k] = 0
	for sample = k, samples - 1, pixels do want[k] = want[k] + (f(trace(sample) * 65536) // 1 | 0) end
	sum = sum + want[k]
end
gpu.check(sum > 0, "the scene is dark")
for k = 0, pixels - 1, every do gpu.check(light:get(k) == want[k], "pixel %d: %d, not %d", k, light:get(k), want[k]) end
