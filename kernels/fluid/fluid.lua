-- gpu.args: threads of a block (default 32), cells of the mesh in each direction (default 8), steps (default
-- 1).
gpu.sizes(function(size) return 64, size.threads ^ 0.5 // 1 end)
local block, side, steps = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 8), gpu.argument(3, 1)
local FACES <const>, GAMMA <const>, WALL <const>, FAR <const>, VARIABLES <const> = 4, 1.4, -1, -2, 5
local n = side * side
local random = gpu.random(127)
local pack, unpack = string.pack, string.unpack
local f = gpu.f32 -- rounded to single precision

-- The cells of a grid with moved corners, in any order and in a plane that leans; walls above and below, the
-- flow far away on the left and the right.
local cell, corner = {}, {}
local drawn, free, step = {}, {}, 1
for i = 0, n - 1 do drawn[i] = random(i + 1) end
while 2 * step <= n do step = 2 * step end
for k = 1, n do free[k] = k & -k end -- a tree of sums, by Fenwick: how many places are free
for i = n - 1, 0, -1 do -- in front of as many of the cells before it as were drawn: that place of those still free
	local at, skip, width = 0, drawn[i], step
	while width > 0 do
		if at + width <= n and free[at + width] <= skip then
			at = at + width
			skip = skip - free[at]
		end
		width = width // 2
	end
	cell[at + 1] = i
	local k = at + 1
	while k <= n do
		free[k] = free[k] - 1
		k = k + (k & -k)
	end
end
for k = 0, (side + 1) ^ 2 // 1 - 1 do
	local x, y = k % (side + 1), k // (side + 1)
	local inside = x > 0 and x < side and y > 0 and y < side
	corner[k] = { x + (inside and random(17) / 32 - 0.25 or 0), y + (inside and random(17) / 32 - 0.25 or 0) }
end
local neighbour, normal, area = {}, {}, {}
local function number(x, y) return cell[y * side + x + 1] end
for y = 0, side - 1 do
	for x = 0, side - 1 do
		local i, k = number(x, y), y * (side + 1) + x
		local around, twice = { corner[k], corner[k + 1], corner[k + side + 2], corner[k + side + 1] }, 0
		local behind = { y > 0 and number(x, y - 1) or WALL, x < side - 1 and number(x + 1, y) or FAR, y < side - 1 and number(x, y + 1) or WALL,
			x > 0 and number(x - 1, y) or FAR }
		for j = 1, FACES do
			local a, b = around[j], around[j % FACES + 1]
			twice = twice + a[1] * b[2] - b[1] * a[2]
			neighbour[i + (j - 1) * n + 1] = behind[j]
			for c, s in ipairs { b[2] - a[2], 0.8 * (a[1] - b[1]), 0.6 * (a[1] - b[1]) } do normal[i + (3 * j + c - 4) * n + 1] = f(s) end
		end
		area[i + 1] = f(twice / 2)
	end
end

-- The flow far away goes to the right at 1.2 times the speed of sound; inside it is disturbed.
local far_away = { 1.4, f(1.4 * 1.2), 0, 0, f(1 / (GAMMA - 1) + 0.5 * 1.4 * 1.2 ^ 2) }
local symbol = gpu.symbol("far_away")
for v, x in ipairs(far_away) do
	local bytes = pack("<f", x)
	for b = 1, 4 do symbol:set(4 * (v - 1) + b - 1, bytes:byte(b)) end
end
local state = {}
for i = 1, n do
	local disturbed = 1 + (random(21) - 10) / 100
	for v = 1, VARIABLES do state[i + (v - 1) * n] = f(far_away[v] * disturbed + (v > 1 and v < 5 and (random(21) - 10) / 100 or 0)) end
end

local function floats(count, init) return gpu.buffer("f32", count, init) end
local v, old, flux, length, areas = floats(VARIABLES * n, state), floats(VARIABLES * n), floats(VARIABLES * n), floats(n), floats(n, area)
local neighbours, normals = gpu.buffer("s32", FACES * n, neighbour), floats(3 * FACES * n, normal)
local grid = (n + block - 1) // block
for _ = 1, steps do
	for k, x in ipairs(v:table()) do old:set(k - 1, x) end
	gpu.launch { kernel = "step_length", grid = grid, block = block, args = { v, areas, length, n } }
	for part = 3, 1, -1 do
		gpu.launch { kernel = "compute_flux", grid = grid, block = block, args = { neighbours, normals, v, flux, n } }
		gpu.launch { kernel = "advance", grid = grid, block = block, args = { part, old, v, length, flux, n } }
	end
end

-- Reference in double precision, face by face with vectors. A cell's state: density, momentum, energy,
-- velocity, pressure, speed of sound.
local function cell_state(d, mx, my, mz, e)
	local s = { d, mx, my, mz, e, u = { mx / d, my / d, mz / d } }
	s.speed2 = s.u[1] ^ 2 + s.u[2] ^ 2 + s.u[3] ^ 2
	s.pressure = (GAMMA - 1) * (e - 0.5 * d * s.speed2)
	s.sound = math.sqrt(GAMMA * s.pressure / d)
	return s
end
local outside = cell_state(table.unpack(far_away))
local function through(s, x, y, z) -- what flows through a face with that normal
	local speed, p = s.u[1] * x + s.u[2] * y + s.u[3] * z, s.pressure
	return { s[1] * speed, s[2] * speed + p * x, s[3] * speed + p * y, s[4] * speed + p * z, (s[5] + p) * speed }
end
local now, before, scale = state, nil, 0
local function at(t, i) return cell_state(t[i], t[i + n], t[i + 2 * n], t[i + 3 * n], t[i + 4 * n]) end
for _ = 1, steps do
	before = now
	local lengths = {}
	for i = 1, n do
		local s = at(before, i)
		lengths[i] = 0.5 / (math.sqrt(area[i]) * (math.sqrt(s.speed2) + s.sound))
	end
	for part = 3, 1, -1 do
		local next = {}
		for i = 1, n do
			local here, sum = at(now, i), { 0, 0, 0, 0, 0 }
			for j = 0, FACES - 1 do
				local b, x, y, z = neighbour[i + j * n], normal[i + 3 * j * n], normal[i + (3 * j + 1) * n], normal[i + (3 * j + 2) * n]
				if b == WALL then
					sum[2], sum[3], sum[4] = sum[2] + here.pressure * x, sum[3] + here.pressure * y, sum[4] + here.pressure * z
				else
					local there = b == FAR and outside or at(now, b + 1)
					local p, q = through(here, x, y, z), through(there, x, y, z)
					local even = b == FAR and 0 or 0.1 * math.sqrt(x * x + y * y + z * z) *
						(math.sqrt(here.speed2) + math.sqrt(there.speed2) + here.sound + there.sound)
					for k = 1, VARIABLES do sum[k] = sum[k] + 0.5 * (p[k] + q[k]) + even * (here[k] - there[k]) end
				end
			end
			for k = 1, VARIABLES do next[i + (k - 1) * n] = before[i + (k - 1) * n] - lengths[i] / part * sum[k] end
		end
		now = next
	end
end
for i = 1, VARIABLES * n do scale = math.max(scale, math.abs(now[i] - state[i])) end
gpu.check(side < 4 or scale > 0.01, "nothing flows")
for i = 1, VARIABLES * n do
	local got = v:get(i - 1)
	gpu.check(math.abs(got - now[i]) < 3e-6 * steps, "variable %d of cell %d: %.9g, not %.9g", (i - 1) // n, (i - 1) % n, got, now[i])
end
