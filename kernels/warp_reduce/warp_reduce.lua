-- gpu.args: numbers (default 1024).
gpu.sizes(function(size) return size.threads // 128 * 128 end)
local n = gpu.argument(1, 1024, { multiple_of = 128 })
local input = gpu.buffer("s32", n, function(i) return (i * 7919 + i // 32 * 31) % 1000 - (i // 32 % 3) * 300 + 1 end)
local sum, most, scan, turned = gpu.buffer("s32", n // 32), gpu.buffer("s32", n), gpu.buffer("s32", n), gpu.buffer("s32", n)
local vote = gpu.buffer("u32", n // 16)

gpu.launch { kernel = "warp_reduce", grid = n // 128, block = 128, warp_size = 32,
	args = { input, sum, most, scan, turned, vote } }

for w = 0, n // 32 - 1 do
	local s, m, odd, all, any = 0, math.mininteger, 0, 1, 0
	for l = 0, 31 do
		local v = input:get(32 * w + l)
		s, m = s + v, math.max(m, v)
		gpu.check(scan:get(32 * w + l) == s, "scan[%d]", 32 * w + l)
		gpu.check(turned:get(32 * w + l) == input:get(32 * w + (l * 7 + 3) % 32), "turned[%d]", 32 * w + l)
		odd = odd | (v & 1) << l
		if v <= 0 then all = 0 end
		if v > 900 then any = 2 end
	end
	gpu.check(sum:get(w) == s, "sum[%d] is %d, not %d", w, sum:get(w), s)
	for l = 0, 31 do gpu.check(most:get(32 * w + l) == m, "most[%d]", 32 * w + l) end
	gpu.check(vote:get(2 * w) == odd, "ballot of warp %d", w)
	gpu.check(vote:get(2 * w + 1) == all | any, "votes of warp %d", w)
end
