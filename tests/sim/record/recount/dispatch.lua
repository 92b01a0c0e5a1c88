-- Calls through a table, in one warp and a part of one.
local n, length = 40, 3
local program = gpu.buffer("u32", n * length, function(i) return i * 2654435761 % 4294967296 // 256 end)
gpu.launch { kernel = "dispatch", grid = 1, block = n, args = { program, length, gpu.buffer("u32", n) } }
