-- gpu.args: points in each direction (default 64, 48).
gpu.sizes(function(size)
	local w = 16 * math.max(math.floor(math.sqrt(size.threads)) // 16, 1)
	return w, size.threads // w // 16 * 16
end)
local w, h, steps = gpu.argument(1, 64, { multiple_of = 16 }), gpu.argument(2, 48, { multiple_of = 16 }), 3
local f32 = gpu.f32
local a = gpu.buffer("f32", w * h, function(i) return f32((i * 7919 % 1000) / 7) end)
local b = gpu.buffer("f32", w * h)
local t = {}
for i = 0, w * h - 1 do t[i] = a:get(i) end

for _ = 1, steps do
	gpu.launch { kernel = "stencil", grid = { w // 16, h // 16 }, block = { 16, 16 }, args = { a, b, w, h } }
	a, b = b, a
	local u = {}
	for y = 0, h - 1 do
		for x = 0, w - 1 do
			local i = y * w + x
			if x == 0 or y == 0 or x == w - 1 or y == h - 1 then
				u[i] = t[i]
			else
				u[i] = f32(0.25 * f32(f32(f32(t[i - 1] + t[i + 1]) + t[i - w]) + t[i + w]))
			end
		end
	end
	t = u
end

for i = 0, w * h - 1 do gpu.check(a:get(i) == t[i], "point (%d, %d) is %g, not %g", i % w, i // w, a:get(i), t[i]) end
