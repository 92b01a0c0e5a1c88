-- gpu.args: sequences (default 1024).
gpu.sizes(function(size) return size.threads end)
local n, first = gpu.argument(1, 1024, { multiple_of = 128 }), 9000
local steps, peak = gpu.buffer("u32", n), gpu.buffer("u64", n)

gpu.launch { kernel = "collatz", grid = n // 128, block = 128, args = { first, steps, peak } }

for i = 0, n - 1 do
	local x, k = first + i, 0
	local top = x
	while x ~= 1 do
		if x % 2 == 1 then
			x = 3 * x + 1
			top = math.max(top, x)
		else
			x = x // 2
		end
		k = k + 1
	end
	gpu.check(steps:get(i) == k and peak:get(i) == top, "sequence from %d: %d steps, not %d", first + i, steps:get(i), k)
end
