-- gpu.args: steps in all (default 120; the thesis' 10026 launches are 2514), pictures (default 2; 30), steps
-- in which paths begin anew (default 52; 1092). Launches: four a step, but three in a picture's last one.
-- Samples of pictures with too few steps for them stay dark.
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local steps, pictures = gpu.argument(1, 120), gpu.argument(2, 2)
local renewals = gpu.argument(3, 52)
if pictures > steps or renewals > steps then error("argument 1 is too small: a picture has steps, and paths begin anew in steps") end
local n, w, h = 64, 16, 12
local pixels = w * h
local samples = pixels
local f = gpu.f32 -- rounded to single precision

local SPHERES <const> = { -- x, y, z, square of the radius, what it sends back, its light
	{ 0, 0, 2, 1, 0.75, 0 }, { -1.5, 0.5, 1, 0.5, 0.5, 0 }, { 1.25, -0.5, 0.5, 0.375, 0.875, 0 }, { 0.5, 1.5, 1, 0.25, 0, 2 }, { 0, -21, 2, 400, 0.625, 0 },
}
local MOST <const> = 4

function sizes() return pictures, steps, renewals end

function begin(fresh, spheres)
	for k = 0, 12 * n - 1 do fresh:set(k, k % 12 == 9 and (k // 12 - n) & 0xffffffff or 0) end
	for s = 1, #SPHERES do
		for k = 1, 6 do spheres:set(6 * s + k - 7, SPHERES[s][k]) end
	end
end

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
local function trace(sample) -- its light, and how many segments it has
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
		if not hit then return f(weight * f(0.75 + f(0.25 * d[2]))), segment end
		if hit[6] > 0 then return f(weight * hit[6]), segment end
		if segment == MOST then return 0, segment end
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

-- The last picture: each path's samples, step by step.
function lit(light, left)
	local want, sum, active, counted, due, sample, segments, traced = {}, 0, 0, 0, 0, {}, {}, {}
	for k = 0, pixels - 1 do
		want[k] = 0
		traced[k] = { trace(k) }
	end
	for i = 0, n - 1 do sample[i], segments[i] = i - n, 0 end
	local from = steps * (pictures - 1) // pictures
	for step = 0, steps - 1 do
		due = due + renewals
		if step == from then counted = 0 end
		if step >= from then
			for i = 0, n - 1 do
				if segments[i] == 1 then want[sample[i] % pixels] = want[sample[i] % pixels] + (f(traced[sample[i]][1] * 65536) // 1 | 0) end
				segments[i] = math.max(segments[i] - 1, 0)
			end
			active = 0
			for i = 0, n - 1 do
				if due >= steps and segments[i] == 0 and sample[i] < samples then
					sample[i] = sample[i] + n
					if sample[i] < samples then segments[i] = traced[sample[i]][2] end
				end
				if segments[i] > 0 then active = active + 1 end
			end
			counted = due < steps and active or 0
		end
		if due >= steps then due = due - steps end
	end
	for k = 0, pixels - 1 do
		gpu.check(light:get(k) == want[k], "pixel %d: %d, not %d", k, light:get(k), want[k])
		sum = sum + want[k]
	end
	gpu.check(sum > 0, "the scene is dark")
	gpu.check(left:get(0) == counted, "%d paths are left, not %d", left:get(0), counted)
end
