-- gpu.args: cells in each direction x, y, z (default 20, 12, 6), steps, a launch each (default 2).
gpu.sizes(function(size)
	local side = size.threads ^ 0.5 // 8 * 8
	return side, side, 4
end)
local w, h, d = gpu.argument(1, 20), gpu.argument(2, 12), gpu.argument(3, 6)
local steps = gpu.argument(4, 2)
local R <const>, PADDING <const>, SIDE <const> = 2, 3, 8
local random = gpu.random(83)
local f = gpu.f32 -- rounded to single precision

local row, depth, pulse = w + 2 * R, d + 2 * R, d // 2
local size = row * (h + 2 * R)
local order, planes = {}, {}
for z = 0, depth - 1 do table.insert(order, random(z + 1) + 1, z) end
for place, z in ipairs(order) do planes[z + 1] = (place - 1) * size end
local weight = { 0.5, 0.0625, f(1 / 48) }
local a = gpu.buffer("f32", PADDING + size * depth, function() return random(1000) / 64 end)
-- Threads of tiles that reach beyond the volume read the source there.
local b, source = gpu.buffer("f32", PADDING + size * depth), gpu.buffer("f32", PADDING + size * depth + SIDE * row, function() return random(64) / 4 end)
local now, added = a:table(), source:table()
for i = 0, PADDING + size * depth - 1 do b:set(i, now[i + 1]) end -- the border is the same in both
local places, weights = gpu.buffer("s32", depth, planes), gpu.buffer("f32", R + 1, weight)

for _ = 1, steps do
	gpu.launch { kernel = "finite_differences", grid = { (w - 1) // SIDE + 1, (h - 1) // SIDE + 1 }, block = { SIDE, SIDE },
		args = { a, b, source, places, weights, PADDING, w, h, d, pulse } }
	a, b = b, a
end

-- Reference: cell by cell of the whole volume, step by step.
local function place(x, y, z) return planes[z + R + 1] + PADDING + (y + R) * row + x + R + 1 end
for _ = 1, steps do
	local next = table.move(now, 1, #now, 1, {})
	for z = 0, d - 1 do
		for y = 0, h - 1 do
			for x = 0, w - 1 do
				local value = f(weight[1] * now[place(x, y, z)])
				for i = 1, R do
					local around = f(now[place(x, y, z + i)] + now[place(x, y, z - i)])
					around = f(f(around + now[place(x, y - i, z)]) + now[place(x, y + i, z)])
					around = f(f(around + now[place(x - i, y, z)]) + now[place(x + i, y, z)])
					value = f(value + f(weight[i + 1] * around))
				end
				next[place(x, y, z)] = z == pulse and f(value + added[place(x, y, z)]) or value
			end
		end
	end
	now = next
end
for i = 1, #now do gpu.check(a:get(i - 1) == now[i], "word %d: %.9g, not %.9g", i - 1, a:get(i - 1), now[i]) end
