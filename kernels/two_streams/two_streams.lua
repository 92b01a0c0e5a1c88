-- Two kernels in one stream, then each in a stream of its own: the one waits for memory while the other
-- computes. gpu.args: blocks of each (8), and bytes of shared memory that a block asks for (0): with as much
-- as an SM has, blocks of the second come only when those of the first end.
gpu.sizes(function(size) return 8 * size.sms end)
local blocks, shared, threads, steps, rounds = gpu.argument(1, 8), gpu.argument(2, 0, { from = 0 }), 64, 200, 800
local n = blocks * threads
local function following(i) return (i * 5021 + 4423) % n end
local next = gpu.buffer("u32", n, following)
local ends, sums = gpu.buffer("u32", n), gpu.buffer("u32", n)

local function both(one, other)
	ends:fill(0)
	sums:fill(0)
	local a = gpu.launch { kernel = "chase", grid = blocks, block = threads, shared = shared, args = { next, ends, steps }, stream = one }
	local b = gpu.launch { kernel = "mix", grid = blocks, block = threads, shared = shared, args = { sums, rounds }, stream = other }
	for t = 0, n - 1, 37 do
		local i, x = t, t
		for _ = 1, steps do i = following(i) end
		for _ = 1, rounds do x = x * 1664525 + 1013904223 & 0xffffffff end
		gpu.check(ends:get(t) == i and sums:get(t) == x, "thread %d has a wrong result", t)
	end
	return a.started and math.max(a.program_cycles, b.program_cycles) - a.called
end

local after, beside = both(1, 1), both(1, 2)
if after then print(("one after the other %d cycles, side by side %d"):format(after, beside)) end
