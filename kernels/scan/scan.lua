-- 16 blocks of 256 elements; the 16 sums are scanned by one small block.
local block, blocks = 128, 16
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
