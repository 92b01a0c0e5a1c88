-- gpu.args: keys, in all (default 4096).
gpu.sizes(function(size) return size.threads // 128 * 128 end)
local n, keys, lanes = gpu.argument(1, 4096, { multiple_of = 128 }), 16, gpu.warp_size
local key = gpu.buffer("u32", n, function(i) return i // 32 % 5 == 0 and i // 160 % keys or (i * 2654435761 // 65536) % keys end)
local hist, agree = gpu.buffer("u32", keys), gpu.buffer("u32", n // lanes)

gpu.launch { kernel = "match_count", grid = n // 128, block = 128, args = { key, hist, agree } }

local expected = {}
for w = 0, n // lanes - 1 do
	local same = 1
	for l = 0, lanes - 1 do
		local k = key:get(lanes * w + l)
		expected[k] = (expected[k] or 0) + 1
		if k ~= key:get(lanes * w) then same = 0 end
	end
	gpu.check(agree:get(w) == same, "warp %d: match.all says %d", w, agree:get(w))
end
for k = 0, keys - 1 do
	gpu.check(hist:get(k) == (expected[k] or 0), "key %d: %d, not %d", k, hist:get(k), expected[k] or 0)
end
