-- gpu.args: keys (default 500), times that they are sorted (default 4), merges, of which enough must be asked
-- for (default 11: 68 launches).
gpu.sizes { arguments = function(size)
	local n = size.threads
	return n, 1, math.ceil(math.log(n / 4, 2))
end, reason = "each merge has half as many threads as the one before, the last one thread a bucket" }
local n, times = gpu.argument(1, 500, { from = 16 }), gpu.argument(2, 4)
local merges = gpu.argument(3, 11, { to = 24 })
local BUCKETS <const>, LEVELS <const>, NONE <const>, RANGE <const> = 16, 1024, 0xffffffff, 1 << 24
local random = gpu.random(167)
local keys = {}
for i = 1, n do keys[i] = random(1000) * random(1000) * 16 + random(16) end -- small ones are more

function sizes() return n, times, merges, RANGE // LEVELS end

function begin(key) for i = 1, n do key:set(i - 1, keys[i]) end end

-- Buckets of about as many keys each.
function limits(histogram, pivot)
	local sum, b = 0, 0
	for level = 0, LEVELS - 1 do
		sum = sum + histogram:get(level)
		while b < BUCKETS - 1 and sum * BUCKETS >= n * (b + 1) do
			pivot:set(b, (level + 1) * (RANGE // LEVELS) - 1)
			b = b + 1
		end
	end
	gpu.check(sum == n, "the histogram has %d keys", sum)
	for k = b, BUCKETS - 1 do pivot:set(k, NONE) end
end

function begins(size, start, first)
	local s, f, most = 0, 0, 0
	for b = 0, BUCKETS - 1 do
		start:set(b, s)
		first:set(b, f)
		local room = (size:get(b) + 3) // 4 * 4
		s, f, most = s + room, f + size:get(b), math.max(most, room)
	end
	start:set(BUCKETS, s)
	first:set(BUCKETS, f)
	gpu.check(f == n, "buckets have %d keys", f)
	gpu.check(4 << merges >= most, "too few merges")
	return most
end

function sorted(out)
	table.sort(keys)
	for i, want in ipairs(keys) do gpu.check(out:get(i - 1) == want, "key %d: %d, not %d", i - 1, out:get(i - 1), want) end
end
