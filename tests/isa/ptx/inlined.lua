local data = gpu.buffer("f32", 65)
for t = 0, 64 do data:set(t, t % 4) end
gpu.launch { kernel = "inlined", grid = 1, block = 64, args = { data } }
