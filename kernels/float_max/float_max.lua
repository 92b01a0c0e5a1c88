-- gpu.args: numbers (default 5000), blocks (default 4).
gpu.sizes(function(size) return 4 * size.threads, size.threads // 128 end)
local n, blocks = gpu.argument(1, 5000), gpu.argument(2, 4)
local f32 = gpu.f32
local random = gpu.random(11)
local input = gpu.buffer("f32", n, function() return f32(random() / 65536 + 0.1) end)
local most, sum = gpu.buffer("u32", 1), gpu.buffer("f32", 1)
gpu.compare(sum, { how = "tolerance" })

gpu.launch { kernel = "float_max", grid = blocks, block = 128, args = { input, n, most, sum } }

local m, s = 0, 0
for i = 0, n - 1 do
	m = math.max(m, input:get(i))
	s = s + input:get(i)
end
local got = string.unpack("<f", string.pack("<I4", most:get(0)))
gpu.check(got == m, "largest is %g, not %g", got, m)
gpu.check(math.abs(sum:get(0) - s) <= 1e-4 * s, "sum is %g, not about %g", sum:get(0), s)
