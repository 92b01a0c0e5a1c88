-- gpu.args: cells in each direction (default 20), steps of a launch, at most 5 (default 3), launches (default
-- 2), of how many steps of a launch the last is measured (default 2).
gpu.sizes(function(size) return 6 * (size.threads / 144) ^ 0.5 // 1 end)
local n, steps, launches, period = gpu.argument(1, 20), gpu.argument(2, 3, { to = 5 }), gpu.argument(3, 2), gpu.argument(4, 2)
local TILE <const> = 12
local random = gpu.random(149)
local f = gpu.f32 -- rounded to single precision

local a = gpu.buffer("f32", n * n, function() return 300 + random(64) / 4 end)
local b, measured = gpu.buffer("f32", n * n), gpu.buffer("f32", n * n, function() return 290 + random(90) / 4 end)
local power = gpu.buffer("f32", n * n, function() return random(8) == 0 and random(100) / 16 or 0 end)
local t, made, found = a:table(), power:table(), measured:table()
local blocks = (n - 1) // (TILE - 2 * steps) + 1
for _ = 1, launches do
	gpu.launch { kernel = "hot_spot", grid = { blocks, blocks }, block = { TILE, TILE }, args = { a, power, measured, b, n, n, steps, period } }
	a, b = b, a
end

-- Reference: the whole chip, step by step.
for step = 1, steps * launches do
	local next = {}
	for y = 0, n - 1 do
		for x = 0, n - 1 do
			local k = y * n + x + 1
			local here = t[k]
			local north, south = y > 0 and t[k - n] or here, y < n - 1 and t[k + n] or here
			local west, east = x > 0 and t[k - 1] or here, x < n - 1 and t[k + 1] or here
			local flow = f(made[k] + f(0.25 * f(f(south + north) - f(2 * here))))
			flow = f(f(flow + f(0.5 * f(f(east + west) - f(2 * here)))) + f(0.0625 * f(80 - here)))
			next[k] = f(here + f(0.5 * flow))
			if ((step - 1) % steps + 1) % period == 0 then next[k] = f(0.5 * f(next[k] + found[k])) end
		end
	end
	t = next
end
for k = 1, n * n do gpu.check(a:get(k - 1) == t[k], "cell %d: %.9g, not %.9g", k - 1, a:get(k - 1), t[k]) end
