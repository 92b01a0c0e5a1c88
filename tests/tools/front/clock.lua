local out = gpu.buffer("u32", 1)
gpu.launch{ kernel = "k", grid = 1, block = 1, args = { out } }
