gpu.sizes { reason = "a thread for each place of the first two queens, 64 of eight" }
local n = 8
local ways = gpu.buffer("u32", n * n)

gpu.launch { kernel = "queens", grid = 2, block = 32, args = { n, ways } }

local col, count = {}, {}
local function place(row)
	if row == n then
		local k = col[0] * n + col[1]
		count[k] = (count[k] or 0) + 1
		return
	end
	for c = 0, n - 1 do
		local ok = true
		for r = 0, row - 1 do
			local d = col[r] - c
			if d == 0 or d == row - r or d == r - row then ok = false end
		end
		if ok then
			col[row] = c
			place(row + 1)
		end
	end
end
place(0)
local total = 0
for k = 0, n * n - 1 do
	gpu.check(ways:get(k) == (count[k] or 0), "beginning %d: %d ways, not %d", k, ways:get(k), count[k] or 0)
	total = total + ways:get(k)
end
gpu.check(total == 92, "eight queens have 92 solutions")
