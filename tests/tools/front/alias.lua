local both = gpu.buffer("u32", 2)
gpu.launch{ kernel = "k", grid = 1, block = 1, args = { both, both } }
