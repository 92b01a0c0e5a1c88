-- gpu.args: blocks of 256 elements (default 16), whose sums are scanned by one small block.
gpu.sizes { arguments = function(size)
	local blocks = 2
	while blocks < 2048 and 2 * blocks * 128 <= size.threads do blocks = 2 * blocks end
	return blocks
end, reason = "one block scans the sums of all others, which are 2048 at most" }
local block, blocks = 128, gpu.argument(1, 16, { power_of_two = true, from = 2, to = 2048 })
local n = 2 * block * blocks
local input = gpu.buffer("s32", n, function(i) return (i * 7919 + 13) % 201 - 100 end)
local out, sums, offsets = gpu.buffer("s32", n), gpu.buffer("s32", blocks), gpu.buffer("s32", blocks)

gpu.launch { kernel = "scan_blocks", grid = blocks, block = block, shared = 8 * block, args = { input, out, sums } }
gpu.launch { kernel = "scan_blocks", grid = 1, block = blocks // 2, shared = 4 * blocks, args = { sums, offsets, 0 } }
gpu.launch { kernel = "scan_add", grid = blocks, block = block, args = { out, offsets } }

local s = 0
for i = 0, n - 1 do
	gpu.check(out:get(i) == s, "element %d is %d, not %d", i, out:get(i), s)
	s = s + input:get(i)
end
