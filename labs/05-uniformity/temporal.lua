-- One warp of four threads.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local out = gpu.buffer("u32", 4)
gpu.launch { kernel = "temporal", grid = 1, block = 4, args = { out } }
for tid = 0, 3 do
	local want = (tid + 1) // 2 + ((tid + 1) % 2 == 1 and 100 or 0)
	gpu.check(out:get(tid) == want, "thread %d: %d, not %d", tid, out:get(tid), want)
end
