-- Lua's doubles follow the kernel operation by operation: the comparison is exact.
-- gpu.args: bodies (default 128).
gpu.sizes { arguments = function(size) return 64 * math.max(math.min(size.threads // 128, 80), 2) end,
	reason = "every body meets every other one: work grows with the square of their number" }
local n, dt = gpu.argument(1, 128, { multiple_of = 64 }), 0.001
local pos = gpu.buffer("f64", 4 * n, function(i) return (i * 7919 % 1009) / 1009 + (i % 4 == 3 and 0.5 or -0.5) end)
local vel = gpu.buffer("f64", 3 * n, function(i) return (i * 31 % 17 - 8) / 64 end)
local p, v = {}, {}
for i = 0, 4 * n - 1 do p[i] = pos:get(i) end
for i = 0, 3 * n - 1 do v[i] = vel:get(i) end

gpu.launch { kernel = "nbody", grid = n // 64, block = 64, args = { pos, vel, n, dt } }

for i = 0, n - 1 do
	local x, y, z, ax, ay, az = p[4 * i], p[4 * i + 1], p[4 * i + 2], 0.0, 0.0, 0.0
	for j = 0, n - 1 do
		local dx, dy, dz = p[4 * j] - x, p[4 * j + 1] - y, p[4 * j + 2] - z
		local r2 = dx * dx + dy * dy + dz * dz + 0.01
		local f = p[4 * j + 3] / (r2 * math.sqrt(r2))
		ax, ay, az = ax + f * dx, ay + f * dy, az + f * dz
	end
	gpu.check(vel:get(3 * i) == v[3 * i] + ax * dt and vel:get(3 * i + 1) == v[3 * i + 1] + ay * dt
		and vel:get(3 * i + 2) == v[3 * i + 2] + az * dt, "velocity of body %d", i)
end
