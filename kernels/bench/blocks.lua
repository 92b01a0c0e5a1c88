-- gpu.args: blocks of 32 threads (default 8192).
gpu.sizes(function(size) return size.warps end)
local blocks = gpu.argument(1, 8192)
local input, out = gpu.buffer("u32", 32 * blocks, function(i) return i end), gpu.buffer("u32", 32 * blocks)
gpu.launch { kernel = "blocks", grid = blocks, block = 32, args = { input, out } }
for i = 0, 32 * blocks - 1, 333 do gpu.check(out:get(i) == 3 * i + i // 32, "thread %d has a wrong result", i) end
