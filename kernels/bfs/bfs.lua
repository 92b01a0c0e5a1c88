-- gpu.args: nodes (default 1500), which form: "levels", "masks" (default: one after the other).
-- A random graph with few edges per node, and some nodes with many.
gpu.sizes(function(size) return size.threads end)
local n, only = gpu.argument(1, 1500), gpu.argument(2, nil, { one_of = { "levels", "masks" } })
local random = gpu.random(17)
local first, edge = { 0 }, {}
for v = 0, n - 1 do
	local degree = v == 0 and 8 or random(20) == 0 and 24 or random(4)
	for _ = 1, degree do edge[#edge + 1] = random(n) end
	first[v + 2] = #edge
end
local fb, eb = gpu.buffer("s32", n + 1, first), gpu.buffer("s32", #edge, edge)
local level, more = gpu.buffer("s32", n, -1), gpu.buffer("s32", 1)
level:set(0, 0)

local now, grid = 0, (n + 127) // 128
if only ~= "masks" then
	repeat
		more:set(0, 0)
		gpu.launch { kernel = "bfs", grid = grid, block = 128, args = { fb, eb, level, now, n, more } }
		now = now + 1
	until more:get(0) == 0 or now > n
end

local cost, next_cost = gpu.buffer("s32", n, -1), gpu.buffer("s32", n, -1)
if only ~= "levels" then
	local degree = gpu.buffer("s32", n, function(v) return first[v + 2] - first[v + 1] end)
	local frontier, reached, visited = gpu.buffer("u8", n), gpu.buffer("u8", n), gpu.buffer("u8", n)
	frontier:set(0, 1)
	visited:set(0, 1)
	cost:set(0, 0)
	local levels = 0
	repeat
		more:set(0, 0)
		gpu.launch { kernel = "bfs_expand", grid = grid, block = 128, args = { fb, degree, eb, frontier, reached, visited, cost, next_cost, n } }
		gpu.launch { kernel = "bfs_update", grid = grid, block = 128, args = { frontier, reached, visited, cost, next_cost, more, n } }
		levels = levels + 1
	until more:get(0) == 0 or levels > n
	for v = 0, n - 1 do gpu.check(frontier:get(v) == 0 and reached:get(v) == 0, "node %d is still marked", v) end
end

local expected, queue, at = { [0] = 0 }, { 0 }, 1
while queue[at] do
	local v = queue[at]
	at = at + 1
	for e = first[v + 1] + 1, first[v + 2] do
		local u = edge[e]
		if not expected[u] then
			expected[u] = expected[v] + 1
			queue[#queue + 1] = u
		end
	end
end
gpu.check(#queue > n // 2, "the graph is too sparse to test anything")
for v = 0, n - 1 do
	local want, got, masks = expected[v] or -1, level:get(v), cost:get(v)
	gpu.check(only == "masks" or got == want, "node %d: level %d, not %d", v, got, want)
	gpu.check(only == "levels" or masks == want, "node %d: cost %d, not %d", v, masks, want)
end
