gpu.sizes { reason = "one lock, for which more threads would wait longer" }
local blocks, block, rounds = 2, 48, 3
local lock, counter = gpu.buffer("u32", 1), gpu.buffer("u32", 2)

gpu.launch { kernel = "spin_lock", grid = blocks, block = block, args = { lock, counter, rounds } }

local n = blocks * block * rounds
gpu.check(counter:get(0) == n, "%d critical sections, not %d", counter:get(0), n)
gpu.check(counter:get(1) == n * (n - 1) // 2, "the sum of the counts shows a lost update")
gpu.check(lock:get(0) == 0, "the lock is still taken")
