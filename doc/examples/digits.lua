-- 128 threads; what each has to add up stands here once more.
local out = gpu.buffer("u32", 128)
gpu.launch { kernel = "digits", grid = 2, block = 64, args = { out } }
for t = 0, 127 do
	local x, sum = (t * 2654435761 & 0xffffffff) >> t % 32, 0
	while x ~= 0 do
		local digit = x % 16
		sum, x = sum + (digit >= 8 and digit + 100 or digit ~ 1), x // 16
	end
	gpu.check(out:get(t) == sum, "thread %d: %d, not %d", t, out:get(t), sum)
end
