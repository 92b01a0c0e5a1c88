-- gpu.args: columns and rows (default 128, 96).
gpu.sizes(function(size)
	local w = 32 * math.max(math.floor(math.sqrt(4 * size.threads)) // 32, 1)
	return w, 4 * size.threads // w // 32 * 32
end)
local w, h = gpu.argument(1, 128, { multiple_of = 32 }), gpu.argument(2, 96, { multiple_of = 32 })
local input = gpu.buffer("u32", w * h, function(i) return i * 2654435761 % 4294967296 end)

for _, kernel in ipairs { "transpose_naive", "transpose_shared", "transpose_padded" } do
	local out = gpu.buffer("u32", w * h)
	gpu.launch { kernel = kernel, grid = { w // 32, h // 32 }, block = { 32, 8 }, args = { input, out, w, h } }
	for y = 0, h - 1 do
		for x = 0, w - 1 do
			gpu.check(out:get(x * h + y) == input:get(y * w + x), "%s: element (%d, %d)", kernel, x, y)
		end
	end
end
