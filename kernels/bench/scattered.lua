-- gpu.args: threads (default 16384).
gpu.sizes(function(size) return size.threads end)
local n, steps = gpu.argument(1, 16384, { multiple_of = 256 }), 40
local nxt = gpu.buffer("u32", n, function(i) return (i * 5021 + 4423) % n end)
local out = gpu.buffer("u32", n)
gpu.launch { kernel = "scattered", grid = n // 256, block = 256, args = { nxt, out, steps } }
for i = 0, n - 1, 97 do
	local at = i
	for _ = 1, steps do at = (at * 5021 + 4423) % n end
	gpu.check(out:get(i) == at, "thread %d ended at %d, not %d", i, out:get(i), at)
end
