-- gpu.args: particles (default 64), frames (default 2).
gpu.sizes { arguments = function(size) return math.min(size.threads, 5120) end,
	reason = "each new particle looks through the sums of all before it: work grows with the square of their number" }
local n, frames = gpu.argument(1, 64, { from = 2 }), gpu.argument(2, 2)
local w, h = 40, 32
local random = gpu.random(37)

local disc = {}
for y = -3, 3 do
	for x = -3, 3 do
		if x * x + y * y <= 10 then table.move({ x, y }, 1, 2, #disc + 1, disc) end
	end
end
local points = #disc // 2

-- The object: a light disc that moves by (1, 0) from (5, 12); everything else is dark, with black dots.
local function frame(k)
	local p = {}
	for y = 0, h - 1 do
		for x = 0, w - 1 do
			local d = (x - 5 - k) ^ 2 + (y - 12) ^ 2
			p[#p + 1] = d <= 10 and 180 + random(60) or random(40) == 0 and random(8) or 40 + random(50)
		end
	end
	return p
end

local px, py = gpu.buffer("s32", n, 5), gpu.buffer("s32", n, 12)
local nx, ny = gpu.buffer("s32", n), gpu.buffer("s32", n)
local state = gpu.buffer("u32", n, function(i) return (i + 1) * 2654435761 & 0xffffffff end)
local weight, sum = gpu.buffer("u32", n), gpu.buffer("u32", n)
local dots = gpu.buffer("s32", #disc, disc)
local x, y, s = px:table(), py:table(), state:table()

local function draw(i)
	local v = s[i]
	v = (v ~ v << 13) & 0xffffffff
	v = v ~ v >> 17
	v = (v ~ v << 5) & 0xffffffff
	s[i] = v
	return v
end

local function expected_weight(image, x, y)
	local outside, light = 0, 0
	for k = 1, points do
		local u, v = x + disc[2 * k - 1], y + disc[2 * k]
		local c = u >= 0 and u < w and v >= 0 and v < h and image[v * w + u + 1]
		if not c then
			outside = outside + 1
			if 4 * outside > points then return 0 end
		elseif c < 8 then
			return 0
		else
			light = light + c - 64
		end
	end
	return 1 + math.max(light, 0)
end

local blocks = (n + 63) // 64
for k = 1, frames do
	local image, offset = frame(k), random(32768)
	gpu.launch { kernel = "likelihood", grid = blocks, block = 64,
		args = { gpu.buffer("u8", w * h, image), w, h, px, py, state, dots, points, weight, n } }
	gpu.launch { kernel = "add_up", grid = 1, block = 64, shared = 256, args = { weight, sum, n } }
	gpu.launch { kernel = "resample", grid = blocks, block = 64, args = { sum, px, py, nx, ny, offset, n } }

	local all, sums = 0, {}
	for i = 1, n do
		local ax, bx, ay, by = draw(i) % 5, draw(i) % 5, draw(i) % 5, draw(i) % 5
		x[i], y[i] = x[i] + ax + bx - 3, y[i] + ay + by - 4
		local want = expected_weight(image, x[i], y[i])
		gpu.check(px:get(i - 1) == x[i] and py:get(i - 1) == y[i], "frame %d: particle %d is elsewhere", k, i - 1)
		gpu.check(weight:get(i - 1) == want, "frame %d: particle %d weighs %d, not %d", k, i - 1, weight:get(i - 1), want)
		all = all + want
		sums[i] = all
	end
	local from, rx, ry = 1, {}, {}
	for i = 0, n - 1 do
		local share = (i * 65536 + offset) * all // (n * 65536)
		while from < n and sums[from] <= share do from = from + 1 end
		rx[i + 1], ry[i + 1] = x[from], y[from]
		gpu.check(nx:get(i) == x[from] and ny:get(i) == y[from], "frame %d: new particle %d does not come from %d", k, i, from - 1)
	end
	x, y = rx, ry
	px, nx, py, ny = nx, px, ny, py
end

local mx, my = 0, 0
for i = 1, n do mx, my = mx + x[i] / n, my + y[i] / n end
gpu.check(math.abs(mx - 5 - frames) < 2 and math.abs(my - 12) < 2, "the particles are at (%g, %g)", mx, my)
