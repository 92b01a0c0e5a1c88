-- gpu.args: threads of a block (default 64), blocks (default 4), data (default 6000), bins (default 512), per
-- cent of data that fall into the range of bins that is counted in shared memory (default 70).
local RANGE <const>, FULL <const> = 128, 255
-- More than 256 blocks, which add up to 255 each to a counter of 16 bits, could make it overflow.
gpu.sizes { arguments = function(size)
	local blocks = math.max(math.min(size.threads // 256, 256), 1)
	return 256, blocks, 1024 * blocks
end, reason = "counters of 16 bits have room for what 256 blocks count" }
local block, blocks, n = gpu.argument(1, 64, { to = 1024 }), gpu.argument(2, 4, { to = 256 }), gpu.argument(3, 6000)
local bins, near = gpu.argument(4, 512, { from = 2 * RANGE, multiple_of = 2 }), gpu.argument(5, 70, { from = 0, to = 100 })
local random = gpu.random(89)

-- Most data lie around the middle, some anywhere; a few bins, some of them outside, get more than they can
-- hold.
local from = (bins - RANGE) // 4 * 2
local data = gpu.buffer("u32", n, function()
	local r = random(RANGE)
	if random(100) < near then return from + r * r // RANGE end
	return random(3) > 0 and random(2) or random(bins)
end)
local expected, outside = {}, {}
for i = 1, bins do expected[i], outside[i] = 0, 0 end
for _, bin in ipairs(data:table()) do
	expected[bin + 1] = expected[bin + 1] + 1
	if bin < from or bin >= from + RANGE then outside[bin + 1] = outside[bin + 1] + 1 end
end

local counters, beyond, histogram = gpu.buffer("u32", bins // 2), gpu.buffer("u32", bins // 2), gpu.buffer("u8", bins)
gpu.launch { kernel = "count", grid = blocks, block = block, args = { data, n, counters, beyond, from } }
gpu.launch { kernel = "finish", grid = (bins // 2 + block - 1) // block, block = block, args = { counters, histogram, bins // 2 } }

local full = 0
for i = 0, bins - 1 do
	local want = math.min(expected[i + 1], FULL)
	if want == FULL then full = full + 1 end
	gpu.check(histogram:get(i) == want, "bin %d has %d, not %d", i, histogram:get(i), want)
	if i % 2 == 0 then -- two counters in a word: the lower one carries into the upper one
		local word = outside[i + 1] + (outside[i + 2] << 16) & 0xffffffff
		gpu.check(beyond:get(i // 2) == word, "bins %d and %d: %x from outside of the range, not %x", i, i + 1, beyond:get(i // 2), word)
	end
end
gpu.check(full > 0 or n < 6000, "no bin is full: the data are too few to test anything")
