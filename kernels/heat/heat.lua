-- gpu.args: cells in each direction (default 20), steps of a launch, at most 7 (default 2), launches (default
-- 2).
gpu.sizes(function(size) return 12 * (size.threads / 256) ^ 0.5 // 1 end)
local n, steps, launches = gpu.argument(1, 20), gpu.argument(2, 2, { to = 7 }), gpu.argument(3, 2)
local random = gpu.random(31)
local f = gpu.f32 -- rounded to single precision

local a = gpu.buffer("f32", n * n, function() return 300 + random(64) / 4 end)
local b = gpu.buffer("f32", n * n)
local power = gpu.buffer("f32", n * n, function() return random(8) == 0 and random(100) / 16 or 0 end)
local solid = gpu.buffer("u8", n * n, function() return random(6) == 0 and 0 or 1 end)
local t, made, is_solid = a:table(), power:table(), solid:table()

local blocks = (n - 1) // (16 - 2 * steps) + 1
for _ = 1, launches do
	gpu.launch { kernel = "heat", grid = { blocks, blocks }, block = { 16, 16 }, args = { a, power, solid, b, n, n, steps } }
	a, b = b, a
end

-- Reference: the whole chip, step by step.
for _ = 1, steps * launches do
	local next = {}
	for y = 0, n - 1 do
		for x = 0, n - 1 do
			local k = y * n + x + 1
			local here, air = t[k], false
			local function at(dx, dy)
				if x + dx < 0 or x + dx >= n or y + dy < 0 or y + dy >= n then return here end
				air = air or is_solid[k + dy * n + dx] == 0
				return t[k + dy * n + dx]
			end
			if is_solid[k] == 1 then
				local vertical = f(f(at(0, -1) + at(0, 1)) - f(2 * here))
				local flow = f(f(0.125 * vertical) + f(0.25 * f(f(at(-1, 0) + at(1, 0)) - f(2 * here))))
				if air then flow = f(0.5 * flow) end
				next[k] = f(here + f(f(made[k] + flow) + f(0.0625 * f(80 - here))))
			else
				next[k] = here
			end
		end
	end
	t = next
end
for k = 1, n * n do gpu.check(a:get(k - 1) == t[k], "cell %d: %.9g, not %.9g", k - 1, a:get(k - 1), t[k]) end
