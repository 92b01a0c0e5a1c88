-- gpu.args: threads of a block, a power of 2 (default 32), particles (default 64), frames (default 2).
gpu.sizes { arguments = function(size) return 128, math.min(size.threads, 4096) end,
	reason = "one thread adds up the weights of all particles, and each looks through those sums" }
local block, n, frames = gpu.argument(1, 32, { power_of_two = true, to = 1024 }), gpu.argument(2, 64, { from = 2 }), gpu.argument(3, 2)
local w, h = 40, 32
local random = gpu.random(151)
local f = gpu.f32 -- rounded to single precision

local disc = {}
for y = -3, 3 do
	for x = -3, 3 do
		if x * x + y * y <= 10 then table.move({ x, y }, 1, 2, #disc + 1, disc) end
	end
end
local points = #disc // 2
local blocks = (n + block - 1) // block
local function floats(count, init) return gpu.buffer("f32", count, init) end
-- Most particles begin at the object, some at the image's border.
local fx, fy = floats(n, function(i) return i % 8 == 0 and 0 or 5 end), floats(n, function(i) return i % 16 == 0 and 0 or 12 end)
local px, py = floats(n), floats(n)
local state = gpu.buffer("u32", n, function(i) return (i + 1) * 2654435761 & 0xffffffff end)
local dots, limited = gpu.buffer("s32", #disc, disc), gpu.buffer("s32", points, function(k) return k % 5 == 0 and 1 or 0 end)
local index, weight, normal, below, share = gpu.buffer("s32", n * points), floats(n), floats(n), floats(n), floats(n)
local partial = floats(blocks + 1)
local s = state:table()

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
local function near(a, b) return math.abs(a - b) <= 2e-5 * math.abs(b) + 1e-30 end

for frame = 1, frames do
	-- A light disc that moves by (1, 0) from (5, 12) on a dark ground with noise.
	local image = {}
	for k = 0, w * h - 1 do
		local d = (k % w - 5 - frame) ^ 2 + (k // w - 12) ^ 2
		image[k + 1] = d <= 10 and 200 + random(50) or 80 + random(50)
	end
	local offset = random(1024) / 1024
	local old_x, old_y = fx:table(), fy:table()
	local pixels = gpu.buffer("u8", w * h, image)
	gpu.launch { kernel = "likelihoods", grid = blocks, block = block, shared = 4 * block,
		args = { pixels, w, h, dots, limited, points, fx, fy, px, py, state, index, weight, partial, n } }
	gpu.launch { kernel = "sum_blocks", grid = blocks, block = block, args = { partial, blocks } }
	gpu.launch { kernel = "normalise", grid = blocks, block = block, args = { weight, partial, blocks, normal, below, share, offset, n } }
	gpu.launch { kernel = "find_index", grid = blocks, block = block, args = { below, share, px, py, fx, fy, n } }

	local function check(ok, i, what) gpu.check(ok, "frame %d: particle %d: %s", frame, i - 1, what) end
	local got, all, sums = weight:table(), 0, 0
	for i = 1, n do
		local x, y = old_x[i] + 1 + jitter(i) + jitter(i), old_y[i] + jitter(i) + jitter(i)
		check(px:get(i - 1) == x and py:get(i - 1) == y, i, "it is elsewhere")
		local like = 0
		for k = 1, points do
			local at = (round(y) + disc[2 * k]) * w + round(x) + disc[2 * k - 1]
			if k % 5 == 1 and (x < 0 or y < 0 or x > w - 1 or y > h - 1) then at = 0 end
			local c = image[math.min(math.max(at, 0), w * h - 1) + 1]
			like = like + ((c - 100) ^ 2 - (c - 228) ^ 2) / 512
		end
		check(near(got[i], math.exp(like / points)), i, ("its weight is %g, not %g"):format(got[i], math.exp(like / points)))
		all = all + got[i]
	end
	local sum = partial:get(blocks)
	gpu.check(near(sum, all), "frame %d: weights add up to %g, not %g", frame, sum, all)
	local limits = {}
	for i = 1, n do -- from here on exactly what follows from the weights and their sum
		local part = f(got[i] / sum)
		sums = f(part + sums)
		limits[i] = sums
		check(normal:get(i - 1) == part and below:get(i - 1) == sums, i, ("its part is %.9g, up to it %.9g"):format(normal:get(i - 1), below:get(i - 1)))
	end
	local from = 1
	for i = 1, n do
		local u = f(f(i - 1 + offset) / n)
		while from < n and limits[from] < u do from = from + 1 end
		check(share:get(i - 1) == u, i, ("its share is %.9g, not %.9g"):format(share:get(i - 1), u))
		check(fx:get(i - 1) == px:get(from - 1) and fy:get(i - 1) == py:get(from - 1), i, ("it does not come from %d"):format(from - 1))
	end
end

local mx, my = 0, 0
for i = 0, n - 1 do mx, my = mx + fx:get(i) / n, my + fy:get(i) / n end
gpu.check(math.abs(mx - 5 - frames) < 2 and math.abs(my - 12) < 2, "the particles are at (%g, %g)", mx, my)
