-- gpu.args: threads of a block, a power of 2 (default 32), places along the ray (default 150), times that all
-- of it is done, as the sample does to measure (default 1).
-- Each block looks at the maxima of all before it: of many places, blocks are larger, so that they are few.
gpu.sizes(function(size) return size.name == "XL" and 1024 or 256, size.threads end)
local block, n, times = gpu.argument(1, 32, { power_of_two = true, to = 1024 }), gpu.argument(2, 150), gpu.argument(3, 1)
local random = gpu.random(163)
local f = gpu.f32 -- rounded to single precision

-- Hills, and a ray from near a corner; more places than 150 stand closer together.
local eye, cells = { 1.5, 2.5, 40 }, math.min(n, 150)
local dx, dy = f(0.8 * cells / n), f(0.6 * cells / n)
local w, h = cells * 4 // 5 + 4, cells * 3 // 5 + 5
local height = gpu.buffer("f32", w * h, function(k)
	local x, y = k % w, k // w
	return f(20 + 15 * math.sin(x / 9) * math.cos(y / 7) + random(64) / 16 + (x + y) / 16)
end)
local blocks = (n + block - 1) // block
local function floats(count) return gpu.buffer("f32", count) end
local steep, maximum, steepest, visible = floats(n), floats(blocks), floats(n), gpu.buffer("u8", n)
for _ = 1, times do
	gpu.launch { kernel = "steepness", grid = blocks, block = block, args = { height, w, eye[1], eye[2], eye[3], dx, dy, steep, n } }
	gpu.launch { kernel = "block_maxima", grid = blocks, block = block, shared = 4 * block, args = { steep, maximum, n } }
	gpu.launch { kernel = "scan_maxima", grid = blocks, block = block, shared = 4 * block, args = { steep, maximum, steepest, n } }
	gpu.launch { kernel = "visibilities", grid = blocks, block = block, args = { steep, steepest, visible, n } }
end

local most, seen = -math.huge, 0
for i = 0, n - 1 do
	local x, y = f(eye[1] + f((i + 1) * dx)), f(eye[2] + f((i + 1) * dy))
	local ax, ay = f(x - eye[1]), f(y - eye[2])
	local want = f(f(height:get(math.floor(y) * w + math.floor(x)) - eye[3]) / f(math.sqrt(f(f(ax * ax) + f(ay * ay)))))
	most = math.max(most, want)
	gpu.check(steep:get(i) == want, "place %d is %.9g steep, not %.9g", i, steep:get(i), want)
	gpu.check(steepest:get(i) == most, "up to place %d: %.9g, not %.9g", i, steepest:get(i), most)
	gpu.check(visible:get(i) == (want == most and 1 or 0), "place %d: visible %d", i, visible:get(i))
	seen = seen + visible:get(i)
end
gpu.check(n ~= 150 or seen > 5 and seen < n - 5, "nearly all places are alike")
