-- The paper's arguments: how often all is repeated, the seed, the turns of loop A, the lanes k of 32 that
-- leave loop B after one turn, the steps of a turn of B; and two of ours: the most turns of B (10000 in the
-- paper) and the kernel, where its name says the steps. gsim ... flattening.ptx -- 1 1234 3000 31 2 is what
-- the paper's repository shows.
gpu.sizes { reason = "one warp, as the paper measures" }
local KERNEL = {
	flattening = {}, flattening_2 = { a = 4, b = 2 }, flattening_10_1 = { a = 20, b = 2 }, flattening_1_1 = { a = 4, b = 4 },
	flattening_1_10 = { a = 4, b = 40 }, flattening_1_100 = { a = 4, b = 400 },
}
local THREADS <const> = 32

local function step(s)
	local bit = (s ~ (s >> 2) ~ (s >> 3) ~ (s >> 5)) & 1
	return s >> 1 | bit << 15
end

local function steps(s, n)
	for _ = 1, n do s = step(s) end
	return s
end

-- How many of `turns` states, each b steps from the one before, are odd: by walking, and for many turns by
-- sums along the cycles of b steps, since steps permute the states.
local function walk(b)
	return function(s, turns)
		local odd = 0
		for _ = 1, turns do
			odd = odd + (s & 1)
			s = steps(s, b)
		end
		return odd
	end
end

local function cycles(b)
	local after, place, cycle = {}, {}, {}
	for s = 0, 65535 do
		if not place[s] then
			local c = { s }
			repeat
				place[c[#c]] = true
				local next = step(c[#c])
				c[#c + 1] = next
			until next == s
			c[#c] = nil
			for i, v in ipairs(c) do after[v] = c[(i - 1 + b) % #c + 1] end
		end
	end
	place = {}
	for s = 0, 65535 do
		if not place[s] then
			local c = { sum = { [0] = 0 } }
			local v = s
			repeat
				place[v], cycle[v] = #c, c
				c[#c + 1] = v
				c.sum[#c] = c.sum[#c - 1] + (v & 1)
				v = after[v]
			until v == s
		end
	end
	return function(s, turns)
		local c, from = cycle[s], place[s]
		local n = #c
		local function before(k) return k // n * c.sum[n] + c.sum[k % n] end
		return before(from + turns) - before(from)
	end
end

local function run(name, again, seed, outer, k, b, most)
	local kernel = KERNEL[name]
	assert((kernel.b or b) == b, ("%s makes %s steps, not %d"):format(name, kernel.b, b))
	local out, work = gpu.buffer("u32", THREADS), gpu.buffer("u32", THREADS)
	gpu.launch { kernel = name, grid = 1, block = THREADS, args = { out, work, seed, outer, k, most, again, b } }

	-- Reference; S: turns of B that a warp makes when loop A and B are one; original: as they are.
	local odd, want = (most > 100 and cycles or walk)(b), {}
	local common = steps(seed + 3457 & 0xffff, 100)
	local narrow = k == 0 and 0 or 0xffffffff >> (32 - k)
	local trips, flat, original = {}, 0, 0
	for lane = 0, THREADS - 1 do want[lane], trips[lane] = 0, 0 end
	for _ = 1, outer do
		common = step(common)
		local by, longest = common & 31, 0
		local leave = (narrow << by | narrow >> (32 - by)) & 0xffffffff
		for lane = 0, THREADS - 1 do
			local trip = leave >> lane & 1 == 1 and 1 or math.max(most, 1)
			want[lane] = want[lane] + odd(steps((common ~ (lane + 321)) & 0xffff, 3), trip)
			trips[lane], longest = trips[lane] + trip, math.max(longest, trip)
		end
		original = original + longest
	end
	local sum = 0
	for lane = 0, THREADS - 1 do
		gpu.check(out:get(lane) == again * want[lane], "%s: lane %d has %d, not %d", name, lane, out:get(lane), again * want[lane])
		local other = steps(lane + 1, again * outer * ((kernel.a or 4) - 4))
		gpu.check(work:get(lane) == other, "%s: lane %d's other work is %d, not %d", name, lane, work:get(lane), other)
		sum, flat = sum + out:get(lane), math.max(flat, trips[lane])
	end
	if gpu.args[1] then
		print(("%s k %d: sum %d, average %d, last lane %d; turns of B, original %d, flattened %d"):format(name, k, sum, sum // THREADS,
			out:get(THREADS - 1), again * original, again * flat))
	end
end

if not gpu.args[1] then
	for _, case in ipairs { { "flattening", 3 }, { "flattening_2", 2 }, { "flattening_10_1", 2 }, { "flattening_1_1", 4 },
		{ "flattening_1_10", 40 }, { "flattening_1_100", 400 } } do
		local few = case[2] > 10 -- the other registers go once round, so that what is fed back counts
		run(case[1], 1, 1234, few and 2 or 4, 14, case[2], few and 2 or 16)
	end
else
	local b, name = gpu.argument(5, 2), gpu.argument(7, nil, { one_of = { "flattening", "flattening_2", "flattening_10_1", "flattening_1_1",
		"flattening_1_10", "flattening_1_100" } })
	run(name or (b == 2 and "flattening_2" or "flattening"), gpu.argument(1), gpu.argument(2, 1234, { from = 0 }), gpu.argument(3, 3000),
		gpu.argument(4, 31, { from = 0, to = THREADS }), b, gpu.argument(6, 10000))
end
