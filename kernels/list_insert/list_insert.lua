-- gpu.args: nodes (default 1024), buckets (default 64).
gpu.sizes(function(size) return size.threads // 128 * 128, math.max(size.threads // 1024, 1) * 64 end)
local n, buckets = gpu.argument(1, 1024, { multiple_of = 128 }), gpu.argument(2, 64, { multiple_of = 64 })
local key = gpu.buffer("u32", n, function(i) return i * 40503 % 65536 end)
local nxt, head = gpu.buffer("s32", n, -2), gpu.buffer("s32", buckets, -1)
local length = gpu.buffer("u32", buckets)
gpu.compare(nxt, { how = "ignore" })
gpu.compare(head, { how = "ignore" })

gpu.launch { kernel = "list_insert", grid = n // 128, block = 128, args = { key, nxt, head, buckets } }
gpu.launch { kernel = "list_count", grid = buckets // 64, block = 64, args = { nxt, head, length } }

local seen, total = {}, 0
for b = 0, buckets - 1 do
	local i, len = head:get(b), 0
	while i >= 0 and len <= n do
		gpu.check(not seen[i], "node %d is in two places", i)
		gpu.check(key:get(i) * 2654435761 % 4294967296 % buckets == b, "node %d is in bucket %d", i, b)
		seen[i] = true
		len = len + 1
		i = nxt:get(i)
	end
	gpu.check(length:get(b) == len, "bucket %d: %d counted, not %d", b, length:get(b), len)
	total = total + len
end
gpu.check(total == n, "%d nodes are in the lists, not %d", total, n)
