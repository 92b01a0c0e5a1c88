-- gpu.args: threads of a block (default 32), queries (default 32), points (default 250), neighbours of each
-- query (default 4), points of a leaf at most (default 6).
gpu.sizes(function(size) return 128, size.threads // 2, 64, 2, 8 end)
local block, n, count = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 32), gpu.argument(3, 250)
local k, leaf = gpu.argument(4, math.min(4, count), { to = count }), gpu.argument(5, 6)
local random = gpu.random(101)

-- Points in clusters, queries anywhere.
local points = {}
for i = 1, count do
	local c = random(8)
	points[i] = { 100 * c + random(150), 700 * c % 800 + random(150), 300 * c % 800 + random(150) }
end
local queries = {}
for i = 1, 3 * n do queries[i] = random(1000) end

-- The tree, split at medians; `sorted` is the points in the order of its leaves.
local axis, split, low, high, sorted = {}, {}, {}, {}, {}
local function build(list, depth)
	local id = #axis + 1
	if #list <= leaf then
		axis[id], split[id], low[id] = 3, 0, #sorted // 3
		for _, p in ipairs(list) do table.move(p, 1, 3, #sorted + 1, sorted) end
		high[id] = #sorted // 3
		return id - 1
	end
	local a = depth % 3 + 1
	table.sort(list, function(p, q)
		for i = 0, 2 do
			local c = (a + i - 1) % 3 + 1
			if p[c] ~= q[c] then return p[c] < q[c] end
		end
		return false
	end)
	local half = #list // 2
	axis[id], split[id], low[id], high[id] = a - 1, list[half + 1][a], 0, 0
	low[id] = build(table.move(list, 1, half, 1, {}), depth + 1)
	high[id] = build(table.move(list, half + 1, #list, 1, {}), depth + 1)
	return id - 1
end
build(points, 0)

local FAR <const> = 0x7fffffff
local function ints(t) return gpu.buffer("s32", #t, t) end
local distance, found = gpu.buffer("s32", k * n, FAR), gpu.buffer("s32", k * n, -1)
gpu.launch { kernel = "nearest_neighbours", grid = (n + block - 1) // block, block = block,
	args = { ints(axis), ints(split), ints(low), ints(high), ints(sorted), ints(queries), distance, found, n, k } }

-- Reference: all distances of a query, sorted; of many queries only some.
local function between(q, p)
	local sum = 0
	for c = 1, 3 do sum = sum + (sorted[3 * p + c] - queries[3 * q + c]) ^ 2 end
	return sum
end
for q = 0, n - 1, math.max(n // 256, 1) do
	local all = {}
	for p = 0, count - 1 do all[p + 1] = between(q, p) end
	table.sort(all)
	local seen = {}
	for i = 0, k - 1 do
		local d, p = distance:get(i * n + q), found:get(i * n + q)
		gpu.check(d == all[i + 1], "query %d: neighbour %d is %d away, not %d", q, i, d, all[i + 1])
		gpu.check(p >= 0 and not seen[p] and between(q, p) == d, "query %d: neighbour %d is not point %d", q, i, p)
		seen[p] = true
	end
end
