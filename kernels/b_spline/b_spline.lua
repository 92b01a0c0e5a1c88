-- gpu.args: threads of a block (default 64), pixels in each direction, multiples of 4 (default 16, 12), steps
-- (default 2).
local CELL <const> = 4
gpu.sizes(function(size)
	local side = (size.threads ^ 0.5 / CELL // 1 | 0) * CELL
	return 64, side, side
end)
local block, w, h = gpu.argument(1, 64, { to = 1024 }), gpu.argument(2, 16, { multiple_of = CELL }), gpu.argument(3, 12, { multiple_of = CELL })
local steps = gpu.argument(4, 2)
local RATE <const> = 0.5
local function blob(x, y, cx, cy) return math.exp(-((x - cx) ^ 2 + (y - cy) ^ 2) / (w * h / 8)) end
local function image(dx, dy)
	return gpu.buffer("f32", w * h, function(i)
		local x, y = i % w, i // w
		return blob(x, y, w / 2 + dx, h / 2 + dy) + 0.5 * blob(x, y, w / 4 + dx, h / 3)
	end)
end
local fixed, moving = image(0, 0), image(1.5, -0.75)
local columns, rows = w // CELL + 3, h // CELL + 3
local points, n = columns * rows, w * h
local function floats(count) return gpu.buffer("f32", count) end
local px, py, sx, sy = floats(points), floats(points), floats(points), floats(points)
local mx, my, bx, by, difference = floats(n), floats(n), floats(n), floats(n), floats(n)

local F, M = fixed:table(), moving:table()
local function near(a, b) return math.abs(a - b) < 2e-6 end
local function spline(t)
	local s = 1 - t
	return { [0] = s ^ 3 / 6, (3 * t ^ 3 - 6 * t ^ 2 + 4) / 6, (3 * s ^ 3 - 6 * s ^ 2 + 4) / 6, t ^ 3 / 6 }
end
local basis = {}
for k = 0, CELL - 1 do basis[k] = spline(k / CELL) end

local first, last
for step = 1, steps do
	local old_x, old_y = px:table(), py:table()
	local pixels, controls = (n + block - 1) // block, (points + block - 1) // block
	gpu.launch { kernel = "interpolate", grid = pixels, block = block, args = { px, py, mx, my, w, h } }
	gpu.launch { kernel = "compare", grid = pixels, block = block, args = { fixed, moving, mx, my, bx, by, difference, w, h } }
	gpu.launch { kernel = "add_blame", grid = controls, block = block, args = { bx, by, sx, sy, w, h } }
	gpu.launch { kernel = "move_points", grid = controls, block = block, args = { px, py, sx, sy, RATE, points } }

	-- Each launch against a reference in double precision that goes on from what the one before has left.
	local function check(ok, what, k) gpu.check(ok, "step %d: %s %d is wrong", step, what, k) end
	local move_x, move_y, blame_x, blame_y, off = mx:table(), my:table(), bx:table(), by:table(), difference:table()
	local slope_x, slope_y, sum = {}, {}, 0
	for p = 1, points do slope_x[p], slope_y[p] = 0, 0 end
	for i = 0, n - 1 do
		local x, y, u, v = i % w, i // w, 0, 0
		for b = 0, 3 do
			for a = 0, 3 do
				local p, both = (y // CELL + b) * columns + x // CELL + a + 1, basis[y % CELL][b] * basis[x % CELL][a]
				u, v = u + both * old_x[p], v + both * old_y[p]
				slope_x[p], slope_y[p] = slope_x[p] + both * blame_x[i + 1], slope_y[p] + both * blame_y[i + 1]
			end
		end
		check(near(move_x[i + 1], u) and near(move_y[i + 1], v), "the displacement of pixel", i)
		u, v = gpu.f32(x + move_x[i + 1]), gpu.f32(y + move_y[i + 1])
		local want, wx, wy = 0, 0, 0
		if u >= 1 and u < w - 2 and v >= 1 and v < h - 2 then
			local at, fx, fy = math.floor(v) * w + math.floor(u) + 1, u % 1, v % 1
			local value = (1 - fy) * ((1 - fx) * M[at] + fx * M[at + 1]) + fy * ((1 - fx) * M[at + w] + fx * M[at + w + 1])
			want = value - F[i + 1]
			wx, wy = want * (M[at + 1] - M[at - 1]) / 2, want * (M[at + w] - M[at - w]) / 2
		end
		check(near(off[i + 1], want ^ 2) and near(blame_x[i + 1], wx) and near(blame_y[i + 1], wy), "the comparison of pixel", i)
		sum = sum + off[i + 1]
	end
	for p = 1, points do
		check(near(sx:get(p - 1), slope_x[p]) and near(sy:get(p - 1), slope_y[p]), "the slope of point", p - 1)
		check(near(px:get(p - 1), old_x[p] - RATE * sx:get(p - 1)) and near(py:get(p - 1), old_y[p] - RATE * sy:get(p - 1)), "the place of point", p - 1)
	end
	first, last = first or sum, sum
end
gpu.check(steps < 2 or last < first, "the images do not come closer: %g after %g", last, first)
