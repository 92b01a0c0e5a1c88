-- One block of four warps, with and without columns that conflict.
local n, turns = 128, 4
local out = gpu.buffer("u32", n)
for flip = 1, 0, -1 do gpu.launch { kernel = "sides", grid = 1, block = n, args = { out, flip } } end
gpu.launch { kernel = "rows", grid = 1, block = n, args = { gpu.buffer("u32", n * turns), out, turns } }
