-- Eight lanes of a warp.
local n = 8 * 24
gpu.launch { kernel = "quicksort", grid = 1, block = 8, args = { gpu.buffer("s32", n, function(i) return i * 2654435761 % 1009 end) } }
