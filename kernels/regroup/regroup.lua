-- gpu.args: blocks (default 8).
gpu.sizes(function(size) return math.max(size.threads // 256, 1) end)
local blocks, threads, turns = gpu.argument(1, 8), 256, 16
local n = blocks * threads
local out = gpu.buffer("u32", n)

local function side(x, factor)
	for k = 0, 39 do x = (x * factor + 7 * k + 1) & 0xffffffff end
	return x
end

for flip = 1, 0, -1 do
	out:fill(0)
	gpu.launch { kernel = "sides", grid = blocks, block = threads, args = { out, flip } }
	for i = 0, n - 1 do
		local odd = (i ~ (i % threads // 32 & flip)) & 1
		local want = side(i + 1, odd == 1 and 3 or 5)
		gpu.check(out:get(i) == want, "flip %d: out[%d] = %d, not %d", flip, i, out:get(i), want)
	end
end

local matrix = gpu.buffer("u32", n * turns, function(i) return i * 2654435761 & 0xffff end)
gpu.launch { kernel = "rows", grid = blocks, block = threads, args = { matrix, out, turns } }
for i = 0, n - 1 do
	local want = (i ~ i % threads // 32) & 1 == 1 and 1 or 2
	for k = 0, turns - 1 do want = (want * 3 + matrix:get(k * n + i)) & 0xffffffff end
	gpu.check(out:get(i) == want, "rows: out[%d] = %d, not %d", i, out:get(i), want)
end
