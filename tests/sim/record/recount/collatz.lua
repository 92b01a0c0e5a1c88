-- A warp and a part of one.
local n = 40
gpu.launch { kernel = "collatz", grid = 1, block = n, args = { 9, gpu.buffer("u32", n), gpu.buffer("u64", n) } }
