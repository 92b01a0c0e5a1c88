-- gpu.args: blocks of 128 threads (default 64).
gpu.sizes(function(size) return math.max(size.threads // 128, 4) end)
local n, blocks, rounds = 128, gpu.argument(1, 64, { from = 4 }), 60
local out = gpu.buffer("u32", n * blocks)
gpu.launch { kernel = "barriers", grid = blocks, block = n, args = { out, rounds } }
local a = {}
for t = 0, n - 1 do a[t] = 3 * n + t end -- block 3
for k = 0, rounds - 1 do
	local b = {}
	for t = 0, n - 1 do b[t] = (a[(t + 1) % n] + a[(t * 5 + k) % n] & 0xffffffff) ~ a[t] >> 1 end
	a = b
end
for t = 0, n - 1 do gpu.check(out:get(3 * n + t) == a[t], "thread %d of block 3 has a wrong result", t) end
