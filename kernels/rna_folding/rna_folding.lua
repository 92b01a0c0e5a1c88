-- gpu.args: threads of a block (default 16), bases (default 28).
gpu.sizes { arguments = function(size) return 32, math.min(size.threads // 16, 200) end,
	reason = "pieces of one length are folded at a time, a thread for each: fewer than bases; work grows with the cube" }
local block, n = gpu.argument(1, 16, { to = 1024 }), gpu.argument(2, 28, { from = 4 })
local NONE <const>, SHORTEST <const>, LOOP <const> = 1000000, 3, 6
local random = gpu.random(179)

-- In each half of the strand the second part answers the first one, with errors: there are two pieces to
-- fold.
local base = {}
for i = 1, n do
	local half = n // 2
	local k = (i - 1) % half + 1
	base[i] = k > half // 2 and random(8) > 0 and 3 - base[i - k + half + 1 - k] or random(4)
end
local bases = gpu.buffer("u8", n, base)
local closed, open, split = gpu.buffer("s32", n * n, NONE), gpu.buffer("s32", n * n), gpu.buffer("s32", n)
for length = SHORTEST + 2, n do
	local grid, splits = (n - length) // block + 1, length >= 2 * (SHORTEST + 2) and 1 or 0
	gpu.launch { kernel = "close_pieces", grid = grid, block = block, args = { bases, closed, n, length } }
	if splits == 1 then gpu.launch { kernel = "split_pieces", grid = grid, block = block, args = { open, split, n, length } } end
	gpu.launch { kernel = "best_pieces", grid = grid, block = block, args = { closed, split, open, n, length, splits } }
end

-- Reference: by recursion, each piece once; bases are letters here.
local LETTER <const> = { [0] = "A", "C", "G", "U" }
local BOND <const> = { AU = 20, UA = 20, CG = 30, GC = 30, GU = 10, UG = 10 }
local function bond(i, j) return BOND[LETTER[base[i + 1]] .. LETTER[base[j + 1]]] end
local best_closed, best_open = {}, {}
local function least_closed(i, j)
	local key = i * n + j
	if best_closed[key] then return best_closed[key] end
	local b, best = j - i > SHORTEST and bond(i, j), NONE
	if b then
		best = 40 + 2 * (j - i - 1) - b
		for p = i + 1, math.min(i + 1 + LOOP, j) do
			for q = j - 1, math.max(p + 1, j - 1 - (LOOP - (p - i - 1))), -1 do
				local left, right = p - i - 1, j - 1 - q
				local inner = least_closed(p, q)
				local loop = left + right > 0 and 12 + 3 * (left + right) + math.abs(left - right) or 0
				if inner < NONE then best = math.min(best, inner - b + loop) end
			end
		end
	end
	best_closed[key] = best
	return best
end
local function least_open(i, j)
	local key = i * n + j
	if j - i <= SHORTEST then return 0 end
	if best_open[key] then return best_open[key] end
	local best = math.min(least_open(i + 1, j), least_open(i, j - 1), least_closed(i, j))
	for k = i, j - 1 do best = math.min(best, least_open(i, k) + least_open(k + 1, j)) end
	best_open[key] = best
	return best
end
for i = 0, n - 1 do
	for j = i + SHORTEST + 1, n - 1, n > 64 and 7 or 1 do
		local c, o = closed:get(i * n + j), open:get(i * n + j)
		gpu.check(c == least_closed(i, j), "bases %d to %d, which pair: %d, not %d", i, j, c, least_closed(i, j))
		gpu.check(o == least_open(i, j), "bases %d to %d: %d, not %d", i, j, o, least_open(i, j))
	end
end
gpu.check(n < 28 or open:get(n - 1) < -50, "nothing folds")
