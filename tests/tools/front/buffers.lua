-- Every function of the host side once, for kernel loop and variable table; mutated by gsim-fuzz.
local b = gpu.buffer("f32", 8, function(i) return i / 2 end)
local out = gpu.buffer("u32", 32, { 1, 2, 3 })
gpu.compare(b, { how = "tolerance", tolerance = 1e-3 })
gpu.compare(out, { how = "set" })
b:set(3, -1.5)
b:fill(b:get(3) * 2)
out:save("raw.bin")
out:load("raw.bin")
local s = gpu.launch { kernel = gpu.kernels()[1], grid = { 2, 1 }, block = { 16, 2, 1 }, shared = 64, args = { out, 3 } }
for k, v in pairs(s.divergence) do gpu.check(v >= 0, k) end
gpu.check(#out == 32 and gpu.symbol("table"):get(3) == 4, "%d %s", s.thread_instructions, #gpu.args)
gpu.check(table.concat(gpu.symbol("table"):table(), ","):find("^1,2,%d") == 1, "table")
