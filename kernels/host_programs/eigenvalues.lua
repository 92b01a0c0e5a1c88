-- gpu.args: rows of the matrix, up to 64 (default 42), times that all is done (default 3; the thesis has 100,
-- in 300 launches).
gpu.sizes { reason = "a thread for each interval that one block of at most 64 threads has found" }
local n, times = gpu.argument(1, 42, { to = 64 }), gpu.argument(2, 3)
local f = gpu.f32 -- rounded to single precision

-- In turn, a matrix of Wilkinson, most of whose eigenvalues come in pairs that are very close, and rows that
-- stay apart; weak links in between.
local d, off = {}, { 0 }
for i = 1, n do
	local j = (i - 1) % 21 - 10
	d[i] = (i - 1) // 21 % 2 == 0 and math.abs(j) or f(1.3 * j)
end
for i = 2, n do off[i] = (i - 1) % 21 == 0 and 1 / 64 or 1 end
local left, right = math.huge, -math.huge -- the circles of Gershgorin
for i = 1, n do
	local radius = off[i] + (off[i + 1] or 0)
	left, right = math.min(left, d[i] - radius), math.max(right, d[i] + radius)
end
left, right = f(left - 0.25), f(right + 0.25)

function sizes() return n, left, right, f(1e-6), times end

function begin(diagonal, squares)
	for i = 1, n do
		diagonal:set(i - 1, d[i])
		squares:set(i - 1, off[i] * off[i])
	end
end

-- How many eigenvalues are below a number, in double precision, says whether each has been found.
function found(values)
	local function below(x)
		local delta, smaller = 1, 0
		for i = 1, n do
			delta = d[i] - x - off[i] * off[i] / delta
			if delta < 0 then smaller = smaller + 1 end
		end
		return smaller
	end
	for k = 0, n - 1 do
		local x = values:get(k)
		gpu.check(below(x - 2e-5) <= k and below(x + 2e-5) > k, "eigenvalue %d is not %.9g", k, x)
	end
end
