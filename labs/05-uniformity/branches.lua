-- Two blocks of two warps of four threads. Argument: n (8).
gpu.sizes { reason = "two blocks of two warps of four threads, which can be followed by hand" }
local n = gpu.argument(1, 8, { from = 0, to = 1000 })
local given, out = gpu.buffer("u32", 2, { 0, 1 }), gpu.buffer("u32", 16)
gpu.launch { kernel = "branches", grid = 2, block = 8, args = { given, out, n } }
for i = 0, 15 do
	local block, tid = i // 8, i % 8
	local want = (n > 2 and 1 or 0) + (block == 0 and 10 or 0) + (tid < 4 and 100 or 0) + (block == 1 and 1000 or 0)
	for _ = tid, n - 1, 4 do want = want + 10000 end
	gpu.check(out:get(i) == want, "thread %d: %d, not %d", i, out:get(i), want)
end
