-- gpu.args: bodies, a multiple of 64 (default 128), runs (default 3), steps of each (default 5: 93 launches).
gpu.sizes { reason = "one block adds up the tree and sorts the bodies" }
local n, runs, steps = gpu.argument(1, 128, { multiple_of = 64 }), gpu.argument(2, 3), gpu.argument(3, 5)
local random = gpu.random(113)
local px, py = {}, {}
for i = 1, n do -- two clusters
	px[i] = (random(2) * 2 - 1) * 0.5 + random(1024) * random(1024) / (1 << 21)
	py[i] = random(1024) * random(1024) / (1 << 21)
end

function sizes() return n, runs, steps end

function begin(x, y)
	for i = 1, n do
		x:set(i - 1, px[i])
		y:set(i - 1, py[i])
	end
end

-- All pairs, in double precision.
function moved(x, y)
	local vx, vy, far, ax, ay = {}, {}, 0, {}, {}
	for i = 1, n do vx[i], vy[i] = 0, 0 end
	local first = table.move(px, 1, n, 1, {})
	for _ = 1, steps do
		for i = 1, n do
			local sx, sy = 0, 0
			for j = 1, n do
				local dx, dy = px[j] - px[i], py[j] - py[i]
				local scale = 1 / n / (dx * dx + dy * dy + 0.01) ^ 1.5
				sx, sy = sx + dx * scale, sy + dy * scale
			end
			ax[i], ay[i] = sx, sy
		end
		for i = 1, n do
			vx[i], vy[i] = vx[i] + 0.05 * ax[i], vy[i] + 0.05 * ay[i]
			px[i], py[i] = px[i] + 0.05 * vx[i], py[i] + 0.05 * vy[i]
			far = math.max(far, math.abs(px[i] - first[i]))
		end
	end
	for i = 1, n do
		local off = math.max(math.abs(x:get(i - 1) - px[i]), math.abs(y:get(i - 1) - py[i]))
		gpu.check(off < 0.01 * far, "body %d is %g from where it should be; bodies moved by %g", i - 1, off, far)
	end
end
