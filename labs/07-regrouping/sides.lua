-- One block of 16 threads. Arguments: flip (1), shift (0).
gpu.sizes { reason = "one block of 16 threads, which can be followed by hand" }
local flip = gpu.argument(1, 1, { from = 0, to = 1 })
local shift = gpu.argument(2, 0, { from = 0, to = 4 })
local out = gpu.buffer("u32", 16)
gpu.launch { kernel = "sides", grid = 1, block = 16, args = { out, flip, shift } }
for tid = 0, 15 do
	local x, factor = tid, (tid >> shift ~ (tid >> 2 & flip)) & 1 == 1 and 3 or 5
	for k = 1, 8 do x = (x * factor + k) & 0xffffffff end
	gpu.check(out:get(tid) == x, "thread %d: %d, not %d", tid, out:get(tid), x)
end
