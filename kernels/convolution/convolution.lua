-- gpu.args: elements (default 3000).
gpu.sizes(function(size) return size.threads end)
local n, r = gpu.argument(1, 3000), 4
local input = gpu.buffer("s16", n, function(i) return i * 7919 % 2001 - 1000 end)
local out = gpu.buffer("s32", n)
local weight = gpu.symbol("weight") -- nvcc declares it as bytes
for k = 0, 2 * r do
	local bytes = string.pack("<i4", (k - r) * (k - r) - 7)
	for b = 1, 4 do weight:set(4 * k + b - 1, bytes:byte(b)) end
end

gpu.launch { kernel = "convolution", grid = (n + 127) // 128, block = 128, args = { input, out, n } }

local outside = 0
for i = 0, n - 1 do
	local s = 0
	for k = -r, r do
		local j = i + k
		if j < 0 or j >= n then
			outside = outside + 1
			j = j < 0 and 0 or n - 1
		end
		s = s + (k * k - 7) * input:get(j)
	end
	gpu.check(out:get(i) == s, "element %d is %d, not %d", i, out:get(i), s)
end
gpu.check(gpu.symbol("clamped"):get(0) == outside, "the number of clamped reads is wrong")
