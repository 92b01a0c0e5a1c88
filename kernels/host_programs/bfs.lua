-- gpu.args: nodes (default 2048), levels (default 12, for which the program makes 24 launches). A random
-- graph in layers, the first of which is one node: an edge leads to each other node from the layer before,
-- and more lead back.
gpu.sizes(function(size) return size.threads end)
local n = gpu.argument(1, 2048, { from = 12 })
local levels = gpu.argument(2, 12, { from = 2, to = n })
local random = gpu.random(17)
local function beginning(layer) return layer == 0 and 0 or 1 + (layer - 1) * (n - 1) // (levels - 1) end
local list, head, count, to = {}, {}, {}, {}
for v = 0, n - 1 do list[v] = {} end
for layer = 0, levels - 1 do
	local from, size = beginning(layer), beginning(layer + 1) - beginning(layer)
	for u = beginning(layer + 1), layer < levels - 1 and beginning(layer + 2) - 1 or -1 do table.insert(list[from + random(size)], u) end
	for v = from, from + size - 1 do
		for _ = 1, random(4) do table.insert(list[v], random(from + size)) end
	end
end
for v = 0, n - 1 do
	head[v], count[v] = #to, #list[v]
	table.move(list[v], 1, #list[v], #to + 1, to)
end

function sizes() return n, #to end

function begin(first, degree, edge, cost)
	for v = 0, n - 1 do
		first:set(v, head[v])
		degree:set(v, count[v])
		cost:set(v, v == 0 and 0 or -1)
	end
	for e = 1, #to do edge:set(e - 1, to[e]) end
end

function searched(cost)
	local expected, queue, at = { [0] = 0 }, { 0 }, 1
	while queue[at] do
		local v = queue[at]
		at = at + 1
		for e = head[v] + 1, head[v] + count[v] do
			local u = to[e]
			if not expected[u] then
				expected[u] = expected[v] + 1
				queue[#queue + 1] = u
			end
		end
	end
	gpu.check(#queue == n and expected[n - 1] == levels - 1, "the graph has other layers")
	for v = 0, n - 1 do gpu.check(cost:get(v) == (expected[v] or -1), "node %d: cost %d, not %d", v, cost:get(v), expected[v] or -1) end
end
