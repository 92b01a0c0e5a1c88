local n, k = 2000, 10
local px = gpu.buffer("s32", n, function(i) return i * 7919 % 1000 + i % k * 90 end)
local py = gpu.buffer("s32", n, function(i) return i * 104729 % 700 + i % 3 * 250 end)
local cx = gpu.buffer("s32", k, function(i) return 100 * i + 37 end)
local cy = gpu.buffer("s32", k, function(i) return i * 331 % 900 end)
local nearest, sx, sy, size = gpu.buffer("s32", n), gpu.buffer("s32", k), gpu.buffer("s32", k), gpu.buffer("s32", k)
local x, y = {}, {}
for c = 0, k - 1 do x[c], y[c] = cx:get(c), cy:get(c) end

gpu.launch { kernel = "kmeans_assign", grid = (n + 127) // 128, block = 128, args = { px, py, n, cx, cy, k, nearest, sx, sy, size } }
gpu.launch { kernel = "kmeans_move", grid = 1, block = 32, args = { cx, cy, sx, sy, size, k } }

local tx, ty, tn = {}, {}, {}
for c = 0, k - 1 do tx[c], ty[c], tn[c] = 0, 0, 0 end
for i = 0, n - 1 do
	local best, least = 0, math.maxinteger
	for c = 0, k - 1 do
		local d = (px:get(i) - x[c]) ^ 2 + (py:get(i) - y[c]) ^ 2
		if d < least then best, least = c, d end
	end
	gpu.check(nearest:get(i) == best, ("point %d: centre %d, not %d"):format(i, nearest:get(i), best))
	tx[best], ty[best], tn[best] = tx[best] + px:get(i), ty[best] + py:get(i), tn[best] + 1
end
for c = 0, k - 1 do
	gpu.check(size:get(c) == tn[c], ("centre %d has %d points, not %d"):format(c, size:get(c), tn[c]))
	if tn[c] > 0 then
		gpu.check(cx:get(c) == tx[c] // tn[c] and cy:get(c) == ty[c] // tn[c], ("centre %d is at the wrong place"):format(c))
	end
end
