-- gpu.args: threads (default 4096).
gpu.sizes(function(size) return size.threads end)
local n, steps, rates = gpu.argument(1, 4096, { multiple_of = 128 }), 10, 80
local out = gpu.buffer("u32", n)
gpu.launch { kernel = "local", grid = n // 128, block = 128, args = { out, steps } }
for i = 0, n - 1, 321 do
	local random, rate = i * 2654435761 + 12345 & 0xffffffff, {}
	for k = 0, rates - 1 do rate[k] = 3277 + k * 16 end
	for step = 0, steps - 1 do
		local drift = 0
		random = random * 1664525 + 1013904223 & 0xffffffff
		local shock = random >> 20
		for k = step, rates - 1 do
			drift = drift + (rate[k] >> 7)
			rate[k] = rate[k] + ((rate[k] >> 4) * (drift + shock) >> 16)
		end
	end
	local value, discount = 0, 65536
	for k = steps, rates - 1 do
		discount = discount - ((discount >> 8) * (rate[k] >> 8) >> 4)
		value = value + discount
	end
	gpu.check(out:get(i) == value, "thread %d has a wrong result", i)
end
