-- gpu.args: times that all is done (default 5; the thesis has 100, in 403 launches).
gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local n, times = 150, gpu.argument(1, 5)
local random = gpu.random(163)
local f = gpu.f32 -- rounded to single precision

-- Hills, and a ray from near a corner.
local eye, dx, dy, w, h = { 1.5, 2.5, 40 }, f(0.8), f(0.6), 124, 95

function sizes() return dx, dy, times end

function begin(height)
	for k = 0, w * h - 1 do
		local x, y = k % w, k // w
		height:set(k, 20 + 15 * math.sin(x / 9) * math.cos(y / 7) + random(64) / 16 + (x + y) / 16)
	end
end

function seen(height, visible)
	local most, count = -math.huge, 0
	for i = 0, n - 1 do
		local x, y = f(eye[1] + f((i + 1) * dx)), f(eye[2] + f((i + 1) * dy))
		local ax, ay = f(x - eye[1]), f(y - eye[2])
		local steep = f(f(height:get(math.floor(y) * w + math.floor(x)) - eye[3]) / f(math.sqrt(f(f(ax * ax) + f(ay * ay)))))
		most = math.max(most, steep)
		gpu.check(visible:get(i) == (steep == most and 1 or 0), "place %d: visible %d", i, visible:get(i))
		count = count + visible:get(i)
	end
	gpu.check(count > 5 and count < n - 5, "nearly all places are alike")
end
