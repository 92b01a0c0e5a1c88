gpu.sizes { reason = "the larger the tree, the longer the lane of its root works alone; fibonacci has one block" }
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "fibonacci", grid = 1, block = 64, args = { out } }
local fib = { [0] = 0, 1 }
for i = 2, 12 do fib[i] = fib[i - 1] + fib[i - 2] end
for i = 0, 63 do gpu.check(out:get(i) == fib[i % 12], "fib(%d) is %d", i % 12, out:get(i)) end

-- A search tree of pseudo-random keys, inserted in order.
local n = 256
local left, right, value = {}, {}, {}
for i = 0, n - 1 do
	left[i], right[i], value[i] = -1, -1, (i * 2654435761 + 99) % 4294967296 // 65536
	local at = 0
	while i > 0 do
		local side = value[i] < value[at] and left or right
		if side[at] < 0 then
			side[at] = i
			break
		end
		at = side[at]
	end
end
local function field(t) return gpu.buffer("s32", n, function(i) return t[i] end) end
local sums = gpu.buffer("s32", n)
gpu.launch { kernel = "tree_sum", grid = n // 64, block = 64, args = { field(left), field(right), field(value), sums } }
local function below(i)
	if i < 0 then return 0 end
	return below(left[i]) + value[i] + below(right[i])
end
for i = 0, n - 1 do
	gpu.check(sums:get(i) == below(i), "sum below node %d is %d, not %d", i, sums:get(i), below(i))
end
