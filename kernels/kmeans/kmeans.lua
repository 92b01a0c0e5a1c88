-- gpu.args: points (default 2000), centres, at most 16 (default 10), "all" centres are compared, or those of
-- a "tree" (default: one after the other).
gpu.sizes(function(size) return size.threads end)
local n, k, only = gpu.argument(1, 2000), gpu.argument(2, 10, { to = 16 }), gpu.argument(3, nil, { one_of = { "all", "tree" } })
local px = gpu.buffer("s32", n, function(i) return i * 7919 % 1000 + i % k * 90 end)
local py = gpu.buffer("s32", n, function(i) return i * 104729 % 700 + i % 3 * 250 end)
local cx = gpu.buffer("s32", k, function(i) return 100 * i + 37 end)
local cy = gpu.buffer("s32", k, function(i) return i * 331 % 900 end)
local nearest, sx, sy, size = gpu.buffer("s32", n), gpu.buffer("s32", k), gpu.buffer("s32", k), gpu.buffer("s32", k)
local x, y = {}, {}
for c = 0, k - 1 do x[c], y[c] = cx:get(c), cy:get(c) end

-- A tree of the centres, split at medians by x and y in turn.
local upright, left, right = {}, {}, {}
local function build(list, depth)
	if #list == 0 then return -1 end
	table.sort(list, function(a, b)
		local p, q = depth % 2 == 0 and x[a] or y[a], depth % 2 == 0 and x[b] or y[b]
		return p < q or p == q and a < b
	end)
	local half = #list // 2 + 1
	local c = list[half]
	upright[c + 1] = depth % 2
	left[c + 1] = build(table.move(list, 1, half - 1, 1, {}), depth + 1)
	right[c + 1] = build(table.move(list, half + 1, #list, 1, {}), depth + 1)
	return c
end
local all = {}
for c = 0, k - 1 do all[c + 1] = c end
local root = build(all, 0)
local function ints(t) return gpu.buffer("s32", k, t) end
local by_tree, least = gpu.buffer("s32", n, -1), gpu.buffer("s32", n, 0x7fffffff)
if only ~= "all" then
	gpu.launch { kernel = "kmeans_tree", grid = (n + 127) // 128, block = 128,
		args = { px, py, n, cx, cy, ints(upright), ints(left), ints(right), root, least, by_tree } }
end
if only ~= "tree" then
	gpu.launch { kernel = "kmeans_assign", grid = (n + 127) // 128, block = 128, args = { px, py, n, cx, cy, k, nearest, sx, sy, size } }
	gpu.launch { kernel = "kmeans_move", grid = 1, block = 32, args = { cx, cy, sx, sy, size, k } }
end

local tx, ty, tn = {}, {}, {}
for c = 0, k - 1 do tx[c], ty[c], tn[c] = 0, 0, 0 end
for i = 0, n - 1 do
	local best, d_best = 0, math.maxinteger
	for c = 0, k - 1 do
		local d = (px:get(i) - x[c]) ^ 2 + (py:get(i) - y[c]) ^ 2
		if d < d_best then best, d_best = c, d end
	end
	gpu.check(only == "tree" or nearest:get(i) == best, "point %d: centre %d, not %d", i, nearest:get(i), best)
	gpu.check(only == "all" or by_tree:get(i) == best and least:get(i) == d_best, "point %d: centre %d of the tree, not %d", i, by_tree:get(i), best)
	tx[best], ty[best], tn[best] = tx[best] + px:get(i), ty[best] + py:get(i), tn[best] + 1
end
for c = 0, only == "tree" and -1 or k - 1 do
	gpu.check(size:get(c) == tn[c], "centre %d has %d points, not %d", c, size:get(c), tn[c])
	if tn[c] > 0 then
		gpu.check(cx:get(c) == tx[c] // tn[c] and cy:get(c) == ty[c] // tn[c], "centre %d is at the wrong place", c)
	end
end
