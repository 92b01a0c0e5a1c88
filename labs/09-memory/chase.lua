-- Arguments: warps of four threads (1), pointers that each thread follows (4).
gpu.sizes { reason = "a few warps of four threads, which can be followed by hand" }
local warps, steps = gpu.argument(1, 1, { from = 1, to = 16 }), gpu.argument(2, 4, { from = 1, to = 100 })
local n = 4 * warps
local following, out = gpu.buffer("u32", n, function(i) return (i + 4) % n end), gpu.buffer("u32", n)
gpu.launch { kernel = "chase", grid = 1, block = n, args = { following, out, steps } }
for i = 0, n - 1 do
	local want = (i + 4 * steps) % n
	gpu.check(out:get(i) == want, "thread %d ended at %d, not %d", i, out:get(i), want)
end
