-- Runs one kernel of forms.ptx: -- KERNEL
local name = gpu.args[1]
local out = gpu.buffer("u32", 1)
gpu.launch { kernel = name, grid = 1, block = 32, args = { out } }
local want = ({ plain = 7, second_names = 133 })[name]
gpu.check(out:get(0) == want, name .. " gave " .. out:get(0))
