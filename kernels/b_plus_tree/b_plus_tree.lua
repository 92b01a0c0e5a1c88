-- gpu.args: children of a node, which is the block size (default 16), keys of a tree (default 900), queries
-- (default 24).
gpu.sizes(function(size) return 64, size.threads // 8, size.threads // 64 end)
local order, n, queries = gpu.argument(1, 16, { from = 2, to = 1024 }), gpu.argument(2, 900), gpu.argument(3, 24)
local MOST <const>, TREES <const> = 0x7fffffff, 2
local random = gpu.random(97)

-- Two trees, each from its leaves up: keys in ascending order with gaps, records in any order. Leaves are not
-- quite full.
local nodes, key, record, root, base, height = {}, {}, {}, {}, {}, 0
for tree = 1, TREES do
	key[tree], base[tree], height = {}, #nodes, 0
	local function node(keys, children)
		nodes[#nodes + 1] = { keys = keys, children = children }
		return { low = keys[1], id = #nodes - 1 - base[tree] }
	end
	local level = {}
	for i = 1, n, order - 1 do
		local keys, children = {}, {}
		for k = i, math.min(i + order - 2, n) do
			key[tree][k], record[#record + 1] = (key[tree][k - 1] or 0) + 2 + random(9), random(10000)
			keys[#keys + 1], children[#children + 1] = key[tree][k], #record - 1
		end
		level[#level + 1] = node(keys, children)
	end
	while #level > 1 do
		local above = {}
		for i = 1, #level, order do
			local keys, children = {}, {}
			for k = i, math.min(i + order - 1, #level) do keys[#keys + 1], children[#children + 1] = level[k].low, level[k].id end
			above[#above + 1] = node(keys, children)
		end
		level, height = above, height + 1
	end
	root[tree] = #nodes - 1
end
local keys, children = gpu.buffer("s32", #nodes * (order + 1), MOST), gpu.buffer("s32", #nodes * order)
for id, v in ipairs(nodes) do
	for k, x in ipairs(v.keys) do
		keys:set((id - 1) * (order + 1) + k - 1, x)
		children:set((id - 1) * order + k - 1, v.children[k])
	end
end
local records = gpu.buffer("s32", #record, record)
local function per_query(f) return gpu.buffer("s32", queries, type(f) == "function" and function(q) return f(q % TREES + 1, q) end or f) end
local function roots() return per_query(function(tree) return root[tree] end) end
local trees = per_query(function(tree) return base[tree] end)

-- One in three queries is for a key that is not there.
local place = {}
for q = 0, queries - 1 do place[q] = random(n) + 1 end
local wanted = per_query(function(tree, q) return key[tree][place[q]] + (q % 3 == 2 and 1 or 0) end)
local answer = per_query(-1)
gpu.launch { kernel = "find", grid = queries, block = order,
	args = { keys, children, records, trees, wanted, roots(), roots(), answer, height, #nodes } }
for q = 0, queries - 1 do
	local want = q % 3 == 2 and -1 or record[q % TREES * n + place[q]]
	gpu.check(answer:get(q) == want, "key %d: %d, not %d", wanted:get(q), answer:get(q), want)
end

local to, start, length = {}, per_query(-1), per_query(-1)
for q = 0, queries - 1 do
	local other = random(n) + 1
	place[q], to[q] = math.min(place[q], other), math.max(place[q], other)
end
gpu.launch { kernel = "find_range", grid = queries, block = order,
	args = { keys, children, trees, per_query(function(tree, q) return key[tree][place[q]] end), per_query(function(tree, q) return key[tree][to[q]] end),
		roots(), roots(), roots(), roots(), start, length, height, #nodes } }
for q = 0, queries - 1 do
	local first, count = q % TREES * n + place[q] - 1, to[q] - place[q] + 1
	gpu.check(start:get(q) == first and length:get(q) == count, "query %d: %d records from %d, not %d from %d", q, length:get(q), start:get(q),
		count, first)
end
