-- gpu.args: threads of a block (default 32), pixels in each direction (default 70, 5), "strided" or
-- "contiguous" (default: one after the other), of how many turns one is mixed (default 3).
gpu.sizes(function(size) return 64, 128, size.threads // 64 end)
local block, w, h = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 70), gpu.argument(3, 5)
local only, rare = gpu.argument(4, nil, { one_of = { "strided", "contiguous" } }), gpu.argument(5, 3)
local R <const> = 2
local random = gpu.random(103)

local pitch, turns = w + 2 * R, (w + block - 1) // block
local image = gpu.buffer("u8", pitch * (h + 2 * R), function(i)
	return (i % pitch // 16 + i // pitch // 4) % 2 * 120 + random(60) -- a chessboard with noise
end)
local detail = gpu.buffer("u8", pitch * (h + 2 * R), function() return random(256) end)
local marked = gpu.buffer("s32", turns, function() return random(rare) == 0 and 1 or 0 end)
local p, m, mixed = image:table(), detail:table(), marked:table()
local near, like = {}, {}
for i = -R, R do near[i] = math.floor(16 * math.exp(-i * i / 4)) end
for i = 0, 255 do like[i] = math.floor(256 * math.exp(-i * i / 1800)) end
local function fill(name, t, first, count) -- nvcc declares tables as bytes
	local symbol = gpu.symbol(name)
	for i = 0, count - 1 do
		local bytes = string.pack("<i4", t[first + i])
		for b = 1, 4 do symbol:set(4 * i + b - 1, bytes:byte(b)) end
	end
end
fill("near", near, -R, 2 * R + 1)
fill("like", like, 0, 256)

for _, pattern in ipairs { "strided", "contiguous" } do
	if not only or only == pattern then
		local out = gpu.buffer("u8", pitch * (h + 2 * R))
		gpu.launch { kernel = "bilateral_" .. pattern, grid = h, block = block, args = { image, detail, marked, out, w } }
		for i = 0, pitch * (h + 2 * R) - 1 do
			local x, y, want = i % pitch - R, i // pitch - R, 0
			if x >= 0 and x < w and y >= 0 and y < h then
				local sum, all = 0, 0
				for dy = -R, R do
					for dx = -R, R do
						local pixel = p[i + 1 + dy * pitch + dx]
						local factor = near[dy] * near[dx] * like[math.abs(pixel - p[i + 1])]
						sum, all = sum + factor * pixel, all + factor
					end
				end
				want = sum // all
				local turn = pattern == "strided" and x // block or x % turns
				if mixed[turn + 1] ~= 0 then want = (want + m[i + 1]) // 2 end
			end
			gpu.check(out:get(i) == want, "%s: pixel (%d, %d) is %d, not %d", pattern, x, y, out:get(i), want)
		end
	end
end
