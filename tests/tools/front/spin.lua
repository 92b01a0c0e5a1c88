gpu.launch { kernel = "loop", grid = 1, block = 32, args = { gpu.buffer("u32", 32), 2 ^ 31 } }
