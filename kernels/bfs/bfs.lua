-- A random graph with few edges per node, and some nodes with many.
local n = 1500
local seed = 17
local function random(k)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % k
end
local first, edge = { 0 }, {}
for v = 0, n - 1 do
	local degree = v == 0 and 8 or random(20) == 0 and 24 or random(4)
	for _ = 1, degree do edge[#edge + 1] = random(n) end
	first[v + 2] = #edge
end
local fb, eb = gpu.buffer("s32", n + 1, first), gpu.buffer("s32", #edge, edge)
local level, more = gpu.buffer("s32", n, -1), gpu.buffer("s32", 1)
level:set(0, 0)

local now = 0
repeat
	more:set(0, 0)
	gpu.launch { kernel = "bfs", grid = (n + 127) // 128, block = 128, args = { fb, eb, level, now, n, more } }
	now = now + 1
until more:get(0) == 0 or now > n

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
	gpu.check(level:get(v) == (expected[v] or -1), ("node %d: level %d, not %d"):format(v, level:get(v), expected[v] or -1))
end
