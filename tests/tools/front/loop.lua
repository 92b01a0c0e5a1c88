local rounds = tonumber(gpu.args[1] or 1)
local out = gpu.buffer("u32", 64)
local first = gpu.launch { kernel = "loop", grid = 1, block = 32, args = { out, rounds } }
gpu.launch { kernel = "loop", grid = 1, block = 64, args = { out, rounds } }
for i = 0, 63 do gpu.check(out:get(i) == i * (rounds + i % 8), "thread " .. i) end
gpu.check(gpu.args[2] ~= "fail", "asked to fail")
print("cycles", first.cycles)
