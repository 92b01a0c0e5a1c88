-- gpu.args: places along the ray (default 150), times that all is done (default 5; the thesis has 100, in 403 launches).
local n, times = gpu.argument(1, 150), gpu.argument(2, 5)
local seed = 163
local function random(k)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % k
end
local pack, unpack = string.pack, string.unpack
local function f(x) return (unpack("<f", pack("<f", x))) end -- rounded to single precision

-- Hills, and a ray from near a corner; more places than 150 stand closer together.
local eye, cells = { 1.5, 2.5, 40 }, math.min(n, 150)
local dx, dy = f(0.8 * cells / n), f(0.6 * cells / n)
local w, h = cells * 4 // 5 + 4, cells * 3 // 5 + 5

function sizes() return n, w * h, w, dx, dy, times end

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
		gpu.check(visible:get(i) == (steep == most and 1 or 0), ("place %d: visible %d"):format(i, visible:get(i)))
		count = count + visible:get(i)
	end
	gpu.check(n ~= 150 or count > 5 and count < n - 5, "nearly all places are alike")
end
