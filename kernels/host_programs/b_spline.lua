-- gpu.args: steps (default 24, for which the program makes 96 launches).
local CELL <const>, RATE <const> = 4, 0.5
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local steps = gpu.argument(1, 24)
local w, h = 16, 12
local columns, rows, n = w // CELL + 3, h // CELL + 3, w * h
local points = columns * rows
local function blob(x, y, cx, cy) return math.exp(-((x - cx) ^ 2 + (y - cy) ^ 2) / (w * h / 8)) end
local function image(dx, dy)
	local t = {}
	for i = 0, n - 1 do
		local x, y = i % w, i // w
		t[i + 1] = blob(x, y, w / 2 + dx, h / 2 + dy) + 0.5 * blob(x, y, w / 4 + dx, h / 3)
	end
	return t
end
local F, M = image(0, 0), image(1.5, -0.75)

function sizes() return steps end

function begin(fixed, moving)
	for i = 1, n do
		fixed:set(i - 1, F[i])
		moving:set(i - 1, M[i])
	end
end

local function spline(t)
	local s = 1 - t
	return { [0] = s ^ 3 / 6, (3 * t ^ 3 - 6 * t ^ 2 + 4) / 6, (3 * s ^ 3 - 6 * s ^ 2 + 4) / 6, t ^ 3 / 6 }
end

-- In double precision.
function registered(x, y)
	local px, py, basis, first, sum = {}, {}, {}, nil, nil
	for k = 0, CELL - 1 do basis[k] = spline(k / CELL) end
	for p = 1, points do px[p], py[p] = 0, 0 end
	for _ = 1, steps do
		local sx, sy = {}, {}
		for p = 1, points do sx[p], sy[p] = 0, 0 end
		sum = 0
		for i = 0, n - 1 do
			local u, v, near = i % w, i // w, {}
			for b = 0, 3 do
				for a = 0, 3 do
					local p, both = (i // w // CELL + b) * columns + i % w // CELL + a + 1, basis[i // w % CELL][b] * basis[i % w % CELL][a]
					u, v, near[p] = u + both * px[p], v + both * py[p], both
				end
			end
			if u >= 1 and u < w - 2 and v >= 1 and v < h - 2 then
				local at, fx, fy = math.floor(v) * w + math.floor(u) + 1, u % 1, v % 1
				local d = (1 - fy) * ((1 - fx) * M[at] + fx * M[at + 1]) + fy * ((1 - fx) * M[at + w] + fx * M[at + w + 1]) - F[i + 1]
				sum = sum + d * d
				for p, both in pairs(near) do
					sx[p] = sx[p] + both * d * (M[at + 1] - M[at - 1]) / 2
					sy[p] = sy[p] + both * d * (M[at + w] - M[at - w]) / 2
				end
			end
		end
		first = first or sum
		for p = 1, points do px[p], py[p] = px[p] - RATE * sx[p], py[p] - RATE * sy[p] end
	end
	gpu.check(steps < 2 or sum < first, "the images do not come closer")
	for p = 1, points do
		gpu.check(math.abs(x:get(p - 1) - px[p]) < 1e-4 and math.abs(y:get(p - 1) - py[p]) < 1e-4,
			("control point %d is at (%g, %g), not (%g, %g)"):format(p - 1, x:get(p - 1), y:get(p - 1), px[p], py[p]))
	end
end
