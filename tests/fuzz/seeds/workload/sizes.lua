gpu.sizes { arguments = function(size)
	return size.threads // 64, size.name .. gpu.argument(1, 5), size.warps / 2, size.blocks, size.sms, nil
end, reason = "one block by its algorithm" }
local random, n = gpu.random(17), gpu.argument(1, 40, { multiple_of = 8 })
local out = gpu.buffer("u32", n, function(i) return random(7) + random(1 << 40) % 5 + random() // 65536 end)
gpu.launch { kernel = "loop", grid = 1, block = 32, args = { out, 5 } }
gpu.check(gpu.f32(0.1) ~= 0.1 and gpu.f32(1e300) == math.huge, "rounded")
