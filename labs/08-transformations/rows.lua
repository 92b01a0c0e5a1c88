-- One warp of four threads. Arguments: how long the rows are, turning, even or one (turning); how many rows
-- (4). turning: one lane has a row of 9 turns, the others rows of one, and it is another lane's turn in each
-- row; even: all rows have three turns; one: the rows of lane 0 have nine turns, all others one.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local kind = gpu.argument(1, "turning", { one_of = { "turning", "even", "one" } })
local rows = gpu.argument(2, 4, { from = 1, to = 100 })
local function length(row, t)
	if kind == "even" then return 3 end
	return t == (kind == "one" and 0 or row % 4) and 9 or 1
end
local turns, out = gpu.buffer("u32", 4 * rows, function(i) return length(i // 4, i % 4) end), gpu.buffer("u32", 4)
gpu.launch { kernel = "rows", grid = 1, block = 4, args = { turns, out, rows } }
for t = 0, 3 do
	local x = t
	for row = 0, rows - 1 do
		for left = length(row, t), 1, -1 do
			x = x * 3 + left & 0xffffffff
			x = x ~ x >> 7
			x = x * 5 + row & 0xffffffff
			x = x ~ x >> 9
		end
	end
	gpu.check(out:get(t) == x, "thread %d: %d, not %d", t, out:get(t), x)
end
