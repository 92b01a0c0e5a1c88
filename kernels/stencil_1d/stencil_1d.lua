-- gpu.args: threads of a block (default 64), elements (default 1000), elements of a thread (default 6),
-- "strided" or "contiguous" (default: one after the other).
gpu.sizes(function(size) return 128, 4 * size.threads, 4 end)
local block, n, each = gpu.argument(1, 64, { to = 1024 }), gpu.argument(2, 1000), gpu.argument(3, 6)
local only = gpu.argument(4, nil, { one_of = { "strided", "contiguous" } })
local f = gpu.f32 -- rounded to single precision

local input = gpu.buffer("f32", n + 2, function(i) return f((i * 7919 % 1000) / 7) end)
local v = input:table()
local blocks = (n + block * each - 1) // (block * each)
for _, kernel in ipairs { "strided", "contiguous" } do
	if not only or only == kernel then
		local out = gpu.buffer("f32", n + 2)
		gpu.launch { kernel = kernel, grid = blocks, block = block, args = { input, out, n, each } }
		for i = 1, n do
			local want = f(f(f(0.25 * v[i]) + f(0.5 * v[i + 1])) + f(0.25 * v[i + 2]))
			gpu.check(out:get(i) == want, "%s: element %d is %.9g, not %.9g", kernel, i, out:get(i), want)
		end
		gpu.check(out:get(0) == 0 and out:get(n + 1) == 0, kernel .. ": an element beyond the ends was written")
	end
end
