-- gpu.args: threads of a block (default 32), queens (default 8, at most 16), rows that the host fills
-- (default 2; the more, the more threads).
gpu.sizes(function(size)
	local n = size.threads < 10000 and 10 or size.threads < 1000000 and 12 or 13
	return 64, n, size.threads < 10000 and 4 or 6
end)
local block, n = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 8, { to = 16 })
local filled = gpu.argument(3, math.min(2, n - 1), { from = 0, to = n - 1 })
local known = { 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512 } -- OEIS A000170

local all, masks, rows = (1 << n) - 1, {}, {} -- what the kernel gets; the columns of the queens
local function fill(row, columns, left, right, chosen)
	if row == filled then
		table.move({ columns, left, right }, 1, 3, #masks + 1, masks)
		rows[#rows + 1] = table.move(chosen, 1, filled, 1, {})
		return
	end
	for c = 0, n - 1 do
		local queen = 1 << c
		if (columns | left | right) & queen == 0 then
			chosen[row + 1] = c
			fill(row + 1, columns | queen, (left | queen) << 1 & all, (right | queen) >> 1, chosen)
		end
	end
end
fill(0, 0, 0, 0, {})
local beginnings, rest = #rows, n - filled
local ways = gpu.buffer("u32", beginnings, 0xffffffff)
gpu.launch { kernel = "queens_masks", grid = (beginnings + block - 1) // block, block = block, shared = 8 * block * (rest + 1),
	args = { gpu.buffer("u32", #masks, masks), beginnings, n, rest, ways } }

-- Reference: without masks, queen by queen; of many beginnings the sum alone.
local function count(col, row)
	if row > n then return 1 end
	local sum = 0
	for c = 0, n - 1 do
		local ok = true
		for r = 1, row - 1 do
			local d = col[r] - c
			if d == 0 or d == row - r or d == r - row then ok = false end
		end
		if ok then
			col[row] = c
			sum = sum + count(col, row + 1)
		end
	end
	return sum
end
local total = 0
for k = 1, beginnings do
	local want = n <= 8 and count(rows[k], filled + 1)
	gpu.check(not want or ways:get(k - 1) == want, "beginning %d: %d ways, not %s", k - 1, ways:get(k - 1), want)
	total = total + ways:get(k - 1)
end
gpu.check(total == known[n], "%d queens: %d ways, not %d", n, total, known[n])
