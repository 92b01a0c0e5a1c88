-- One warp of four threads.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local given, out = gpu.buffer("u32", 128, function(i) return i end), gpu.buffer("u32", 4)
gpu.launch { kernel = "loads", grid = 1, block = 4, args = { given, out } }
for tid = 0, 3 do
	local want = tid % 2 == 1 and tid * 32 + 3 or tid * 32 + 16 + 5
	gpu.check(out:get(tid) == want, "thread %d: %d, not %d", tid, out:get(tid), want)
end
