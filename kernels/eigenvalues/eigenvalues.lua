-- gpu.args: threads of a block, 16 to 128 (default 32), rows of the matrix (default 42), steps before
-- intervals are dealt out (default 5), times that all of it is done, as the sample does to measure (default
-- 1).
gpu.sizes { reason = "a thread for each interval that one block of at most 128 threads has found" }
local block, n, steps = gpu.argument(1, 32, { from = 16, to = 128 }), gpu.argument(2, 42), gpu.argument(3, 5)
local times = gpu.argument(4, 1)
local f = gpu.f32 -- rounded to single precision

-- In turn, a matrix of Wilkinson, most of whose eigenvalues come in pairs that are very close, and rows that
-- stay apart; weak links in between.
local diagonal, squares, off = {}, { 0 }, { 0 }
for i = 1, n do
	local j = (i - 1) % 21 - 10
	diagonal[i] = (i - 1) // 21 % 2 == 0 and math.abs(j) or f(1.3 * j)
end
for i = 2, n do
	off[i] = (i - 1) % 21 == 0 and 1 / 64 or 1
	squares[i] = off[i] * off[i]
end
local left, right = math.huge, -math.huge -- the circles of Gershgorin
for i = 1, n do
	local radius = off[i] + (off[i + 1] or 0)
	left, right = math.min(left, diagonal[i] - radius), math.max(right, diagonal[i] + radius)
end
left, right = f(left - 0.25), f(right + 0.25)
local PRECISION <const> = f(1e-6)

local function floats(m) return gpu.buffer("f32", m) end
local function ints(m) return gpu.buffer("s32", m) end
local d, s = gpu.buffer("f32", n, diagonal), gpu.buffer("f32", n, squares)
local one_left, one_right, one_below = floats(block), floats(block), ints(block)
local more_left, more_right, more_below, more_above = floats(block), floats(block), ints(block), ints(block)
local count, eigenvalue = ints(2), nil
for _ = 1, times do
	eigenvalue = gpu.buffer("f32", n, 1000)
	gpu.launch { kernel = "bisect", grid = 1, block = block,
		args = { d, s, n, left, right, PRECISION, steps, one_left, one_right, one_below, more_left, more_right, more_below, more_above, count } }
	local ones, more = count:get(0), count:get(1)
	gpu.check(ones > 0 and more > 0 or steps ~= 5 or n < 42, "one of the two lists is empty")
	if ones > 0 then
		gpu.launch { kernel = "one_interval", grid = (ones + block - 1) // block, block = block,
			args = { d, s, n, one_left, one_right, one_below, ones, PRECISION, eigenvalue } }
	end
	if more > 0 then
		local first, held = { 0 }, 0 -- a block gets as many as it has threads for the eigenvalues
		for i = 0, more - 1 do
			local these = more_above:get(i) - more_below:get(i)
			assert(these <= block, "an interval has more eigenvalues than a block has threads: more steps")
			if held + these > block then first[#first + 1], held = i, 0 end
			held = held + these
		end
		first[#first + 1] = more
		gpu.launch { kernel = "several_intervals", grid = #first - 1, block = block,
			args = { d, s, n, more_left, more_right, more_below, more_above, gpu.buffer("s32", #first, first), PRECISION, eigenvalue } }
	end
end

-- Reference: the bisection of each eigenvalue by itself, in single precision; and what counts in double
-- precision say about the result.
local counts = {}
local function below(x, round)
	local delta, smaller = 1, 0
	for i = 1, n do
		delta = round(round(diagonal[i] - x) - round(squares[i] / delta))
		if delta < 0 then smaller = smaller + 1 end
	end
	return smaller
end
local function below_single(x)
	counts[x] = counts[x] or below(x, f)
	return counts[x]
end
local function middle(l, r)
	if (l < 0) == (r < 0) then return f(l + f(f(r - l) * 0.5)) end
	return f(f(l + r) * 0.5)
end
local function bisect(k)
	local l, r, low, high = left, right, 0, n
	while f(r - l) > f(PRECISION * math.max(math.abs(l), math.abs(r), f(0.001))) do
		local x = middle(l, r)
		local mid = math.min(math.max(below_single(x), low), high)
		if k < mid then r, high = x, mid else l, low = x, mid end
	end
	return middle(l, r)
end
local function exact(x) return x end
local TOLERANCE <const> = 2e-5
for k = 0, n - 1, math.max(n // 256, 1) do
	local x, want = eigenvalue:get(k), bisect(k)
	gpu.check(x == want, "eigenvalue %d: %.9g, not %.9g", k, x, want)
	gpu.check(below(x - TOLERANCE, exact) <= k and below(x + TOLERANCE, exact) > k, "eigenvalue %d is not %.9g", k, x)
end
