-- gpu.args: threads of a block, at least 16 (default 32), keys (default 500).
gpu.sizes { arguments = function(size) return 64, size.threads end,
	reason = "each merge has half as many threads as the one before, the last one thread a bucket" }
local block, n = gpu.argument(1, 32, { from = 16, to = 1024 }), gpu.argument(2, 500)
local blocks = (n + block - 1) // block
local BUCKETS <const>, NONE <const> = 16, 0xffffffff
local random = gpu.random(167)

local key = gpu.buffer("u32", n, function() return random(1000) * random(1000) * 16 + random(16) end) -- small ones are more
local sorted = key:table()
local sample = {}
for i = 1, 20 * BUCKETS do sample[i] = sorted[random(n) + 1] end
table.sort(sample)
local pivot = gpu.buffer("u32", BUCKETS, function(b) return b == BUCKETS - 1 and NONE or sample[20 * (b + 1)] end)
table.sort(sorted)

local function words(count, init) return gpu.buffer("u32", count, init) end
local place, count, size = words(n), words(blocks * BUCKETS), words(BUCKETS)
gpu.launch { kernel = "find_buckets", grid = blocks, block = block, shared = 4 * block, args = { key, n, pivot, place, count } }
gpu.launch { kernel = "bucket_offsets", grid = 1, block = BUCKETS, args = { count, blocks, size } }
local start, first, most = { 0 }, { 0 }, 0
for b = 0, BUCKETS - 1 do -- buckets begin at multiples of four
	start[b + 2] = start[b + 1] + (size:get(b) + 3) // 4 * 4
	first[b + 2] = first[b + 1] + size:get(b)
	most = math.max(most, start[b + 2] - start[b + 1])
end
gpu.check(first[BUCKETS + 1] == n, "buckets have %d keys", first[BUCKETS + 1])
local all = start[BUCKETS + 1]
local starts, firsts = words(BUCKETS + 1, start), words(BUCKETS + 1, first)
local from, to = words(all, NONE), words(all, NONE)
gpu.launch { kernel = "to_buckets", grid = blocks, block = block, args = { key, n, place, count, starts, from } }
gpu.launch { kernel = "sort_fours", grid = (all // 4 + block - 1) // block, block = block, args = { from, to, all // 4 } }
from, to = to, from
local width = 8
while width < 2 * most do
	local threads = (most + width - 1) // width
	gpu.launch { kernel = "merge_runs", grid = { (threads + block - 1) // block, BUCKETS }, block = block, args = { from, to, starts, width } }
	from, to, width = to, from, 2 * width
end
local out = words(n)
gpu.launch { kernel = "close_up", grid = { (most + block - 1) // block, BUCKETS }, block = block, args = { from, out, starts, firsts } }
for i, want in ipairs(sorted) do gpu.check(out:get(i - 1) == want, "key %d: %d, not %d", i - 1, out:get(i - 1), want) end
