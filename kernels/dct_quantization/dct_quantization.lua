-- gpu.args: threads of a block's side (default 8), coefficients of the plane's side (default 32).
gpu.sizes(function(wanted) return 8, wanted.threads ^ 0.5 // 8 * 8 end)
local side, size = gpu.argument(1, 8, { to = 32 }), gpu.argument(2, 32)
local random = gpu.random(79)
local step = gpu.buffer("s16", 64, function(k) return 1 + (k % 8 + k // 8 + 1) * (6 + random(5)) end) -- larger for high frequencies
local plane = gpu.buffer("s16", size * size, function() return random(4096) - 2048 end)
local before, tiles = plane:table(), (size + side - 1) // side

gpu.launch { kernel = "dct_quantization", grid = { tiles, tiles }, block = { side, side }, args = { plane, step, size, size } }

for k = 0, size * size - 1 do -- of all multiples the nearest
	local x, y, c = k % size, k // size, before[k + 1]
	local s = step:get(y % 8 * 8 + x % 8)
	local low = c // s * s
	local want = c - low < low + s - c and low or c - low > low + s - c and low + s or c < 0 and low or low + s
	gpu.check(plane:get(k) == want, "(%d, %d): %d becomes %d, not %d", x, y, c, plane:get(k), want)
end
