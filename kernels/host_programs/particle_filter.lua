-- gpu.args: frames (default 6; the thesis has 99, in 396 launches).
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local n, frames = 64, gpu.argument(1, 6)
local w, h = frames + 12, 24
local random = gpu.random(151)
local f = gpu.f32 -- rounded to single precision

local dots = {}
for y = -3, 3 do
	for x = -3, 3 do
		if x * x + y * y <= 10 then table.move({ x, y }, 1, 2, #dots + 1, dots) end
	end
end
local points = #dots // 2
-- A light disc that moves by (1, 0) from (5, 12) on a dark ground with noise.
local image, share, fx, fy, s = {}, {}, {}, {}, {}
for frame = 1, frames do
	image[frame] = {}
	for k = 0, w * h - 1 do
		local d = (k % w - 5 - frame) ^ 2 + (k // w - 12) ^ 2
		image[frame][k + 1] = d <= 10 and 200 + random(50) or 80 + random(50)
	end
	share[frame] = random(1024) / 1024
end
for i = 1, n do -- most particles begin at the object, some at the image's border
	fx[i], fy[i] = (i - 1) % 8 == 0 and 0 or 5, (i - 1) % 16 == 0 and 0 or 12
	s[i] = i * 2654435761 & 0xffffffff
end

function sizes() return frames, w, h, points end

function begin(film, offset, disc, limited, x, y, state)
	for frame = 1, frames do
		for k = 1, w * h do film:set((frame - 1) * w * h + k - 1, image[frame][k]) end
		offset:set(frame - 1, share[frame])
	end
	for k = 1, #dots do disc:set(k - 1, dots[k]) end
	for k = 0, points - 1 do limited:set(k, k % 5 == 0 and 1 or 0) end
	for i = 1, n do
		x:set(i - 1, fx[i])
		y:set(i - 1, fy[i])
		state:set(i - 1, s[i])
	end
end

local function jitter(i)
	local v = s[i]
	v = (v ~ v << 13) & 0xffffffff
	v = v ~ v >> 17
	v = (v ~ v << 5) & 0xffffffff
	s[i] = v
	return (v % 9 - 4) / 4
end
local function round(x) -- to the nearest integer, halves to the even one
	local r = math.floor(x + 0.5)
	return r - x == 0.5 and r % 2 == 1 and r - 1 or r
end

local function step(frame)
	local px, py, weight, sum = {}, {}, {}, 0
	for i = 1, n do
		px[i], py[i] = fx[i] + 1 + jitter(i) + jitter(i), fy[i] + jitter(i) + jitter(i)
		local like = 0
		for k = 1, points do
			local at = (round(py[i]) + dots[2 * k]) * w + round(px[i]) + dots[2 * k - 1]
			if k % 5 == 1 and (px[i] < 0 or py[i] < 0 or px[i] > w - 1 or py[i] > h - 1) then at = 0 end
			local c = image[frame][math.min(math.max(at, 0), w * h - 1) + 1]
			like = like + ((c - 100) ^ 2 - (c - 228) ^ 2) / 512
		end
		weight[i] = f(math.exp(like / points))
		sum = f(sum + weight[i])
	end
	local limits, below, from = {}, 0, 1
	for i = 1, n do
		below = f(f(weight[i] / sum) + below)
		limits[i] = below
	end
	for i = 1, n do
		local u = f(f(i - 1 + share[frame]) / n)
		while from < n and limits[from] < u do from = from + 1 end
		fx[i], fy[i] = px[from], py[from]
	end
end

function followed(x, y)
	for frame = 1, frames do step(frame) end
	for i = 1, n do
		gpu.check(x:get(i - 1) == fx[i] and y:get(i - 1) == fy[i],
			("particle %d is at (%g, %g), not (%g, %g)"):format(i - 1, x:get(i - 1), y:get(i - 1), fx[i], fy[i]))
	end
end
