-- gpu.args: threads (default 8192).
gpu.sizes(function(size) return size.threads end)
local n, most = gpu.argument(1, 8192, { multiple_of = 256 }), 256
local out = gpu.buffer("u32", n)
gpu.launch { kernel = "divergent", grid = n // 256, block = 256, args = { out, most } }
for i = 0, n - 1, 511 do
	local x, sum = i * 2654435761 & 0xffffffff | 1, 0
	for k = 0, (x >> 8 & most - 1) - 1 do
		if x & 1 == 1 then
			x = x * 3 + 1 & 0xffffffff
			sum = sum + (x >> 3) & 0xffffffff
		else
			x = x >> 1
			if x & 4 ~= 0 then sum = sum ~ k end
		end
		if x == 0 then x = i + k end
	end
	gpu.check(out:get(i) == sum, "thread %d has a wrong result", i)
end
