-- gpu.args: bases of a strand (default 24; the thesis' 75774 launches are 3 strands of 8424, s * (3 * n -
-- 14)), strands (default 3).
gpu.sizes { reason = "a diagonal at a time: at the most as many threads as a strand has bases" }
local n, strands = gpu.argument(1, 24, { from = 10, to = 10000 }), gpu.argument(2, 3)
local NONE <const>, SHORTEST <const>, LOOP <const> = 1000000, 3, 6
local random = gpu.random(179)

-- In each half of a strand the second part answers the first one, with errors: there are two pieces to fold.
local strings = {}
for s = 0, strands - 1 do
	local base, half = {}, n // 2
	for i = 1, n do
		local k = (i - 1) % half + 1
		base[i] = k > half // 2 and random(8) > 0 and 3 - base[i - k + half + 1 - k] or random(4)
	end
	strings[s] = base
end

function sizes() return n, strands end

function strand(base, number)
	for i = 1, n do base:set(i - 1, strings[number][i]) end
end

-- By recursion, each piece once; bases are letters here.
local LETTER <const> = { [0] = "A", "C", "G", "U" }
local BOND <const> = { AU = 20, UA = 20, CG = 30, GC = 30, GU = 10, UG = 10 }
local function energy(base)
	local closed, open = {}, {}
	local function least_closed(i, j)
		local key = i * n + j
		if closed[key] then return closed[key] end
		local b, best = j - i > SHORTEST and BOND[LETTER[base[i + 1]] .. LETTER[base[j + 1]]], NONE
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
		closed[key] = best
		return best
	end
	local function least_open(i, j)
		local key = i * n + j
		if j - i <= SHORTEST then return 0 end
		if open[key] then return open[key] end
		local best = math.min(least_open(i + 1, j), least_open(i, j - 1), least_closed(i, j))
		for k = i, j - 1 do best = math.min(best, least_open(i, k) + least_open(k + 1, j)) end
		open[key] = best
		return best
	end
	return least_open(0, n - 1)
end

function folded(result)
	local least = 0
	for s = 0, strands - 1 do
		local want = energy(strings[s])
		gpu.check(result:get(s) == want, "strand %d: %d, not %d", s, result:get(s), want)
		least = math.min(least, want)
	end
	gpu.check(n < 24 or least < -20, "nothing folds")
end
