-- gpu.args: threads of a block (default 32), pixels in each direction (default 75, 8), "strided" or
-- "contiguous" (default: one after the other), of how many turns one is dimmed (default 3).
gpu.sizes(function(size) return 128, 256, size.threads // 128 end)
local block, w, h = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 75), gpu.argument(3, 8)
local only, rare = gpu.argument(4, nil, { one_of = { "strided", "contiguous" } }), gpu.argument(5, 3)
local SCALE <const> = 0.375
local random = gpu.random(79)

local pitch, turns = w + 2, (w + block - 1) // block
local image = gpu.buffer("u8", pitch * (h + 2), function(i)
	local x, y = i % pitch - w // 2, i // pitch - h // 2
	return (x * x + 9 * y * y < w * w // 16 and 180 or 40) + random(40) -- a disc on a ground, with noise
end)
local mask = gpu.buffer("u8", pitch * (h + 2), function() return 100 + random(150) end)
local marked = gpu.buffer("s32", turns, function() return random(rare) == 0 and 1 or 0 end)
local p, m, dim = image:table(), mask:table(), marked:table()

for _, pattern in ipairs { "strided", "contiguous" } do
	if not only or only == pattern then
		local edges = gpu.buffer("u8", pitch * (h + 2))
		gpu.launch { kernel = "sobel_" .. pattern, grid = h, block = block, args = { image, mask, marked, edges, w, SCALE } }
		for i = 0, pitch * (h + 2) - 1 do
			local x, y, want = i % pitch - 1, i // pitch - 1, 0
			if x >= 0 and x < w and y >= 0 and y < h then
				local function at(dx, dy) return p[i + 1 + dy * pitch + dx] end
				local across = at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1)
				local down = at(-1, -1) - at(-1, 1) + 2 * (at(0, -1) - at(0, 1)) + at(1, -1) - at(1, 1)
				want = math.floor(SCALE * (math.abs(across) + math.abs(down)))
				local turn = pattern == "strided" and x // block or x % turns
				if dim[turn + 1] ~= 0 then want = want * m[i + 1] // 256 end
				want = math.min(want, 255)
			end
			gpu.check(edges:get(i) == want, "%s: pixel (%d, %d) is %d, not %d", pattern, x, y, edges:get(i), want)
		end
	end
end
