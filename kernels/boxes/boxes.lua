-- gpu.args: threads of a block (default 32), boxes in each direction (default 2), particles of a box, at most
-- 64 (default 20).
-- A box is a block, so boxes alone fill the machine. They have half the particles of the default: pairs, and with
-- them time, go with the square of particles, and such a run takes most of a minute on volta.lua as it is.
gpu.sizes(function(size) return 32, math.ceil(size.blocks ^ (1 / 3)), 10 end)
local block, side, particles = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 2), gpu.argument(3, 20, { to = 64 })
local A2 <const> = 0.5
local random = gpu.random(131)

local boxes = side ^ 3 // 1 | 0
local place, charge = {}, {}
for box = 0, boxes - 1 do
	for _ = 1, particles do
		local x, y, z = (box % side * 10 + random(10)) / 10, (box // side % side * 10 + random(10)) / 10, (box // side // side * 10 + random(10)) / 10
		table.move({ 0.5 * (x * x + y * y + z * z) + random(8) / 8, x, y, z }, 1, 4, #place + 1, place)
		charge[#charge + 1] = (1 + random(10)) / 10
	end
end
local counts, neighbour = {}, {}
for box = 0, boxes - 1 do
	local count = 0
	for k = 0, 26 do
		local x, y, z = box % side + k % 3 - 1, box // side % side + k // 3 % 3 - 1, box // side // side + k // 9 - 1
		if k ~= 13 and x >= 0 and x < side and y >= 0 and y < side and z >= 0 and z < side then
			count = count + 1
			neighbour[26 * box + count] = (z * side + y) * side + x
		end
	end
	for k = count + 1, 26 do neighbour[26 * box + k] = 0 end
	counts[box + 1] = count
end

local n = boxes * particles
local places, charges, force = gpu.buffer("f32", 4 * n, place), gpu.buffer("f32", n, charge), gpu.buffer("f32", 4 * n)
gpu.launch { kernel = "boxes", grid = boxes, block = block,
	args = { places, charges, gpu.buffer("s32", boxes, counts), gpu.buffer("s32", 26 * boxes, neighbour), force, particles, A2 } }

-- Reference in double precision; of many particles only some. The kernel rounds what stands in the exponential,
-- the difference of numbers as large as the square of a place.
local ROUNDED <const> = 1e-5 + A2 * 9 * side ^ 2 * 2 ^ -24
place, charge = places:table(), charges:table()
for i = 0, n - 1, math.max(n // 160, 1) do
	local box, want, size = i // particles, { 0, 0, 0, 0 }, 0
	local pv, px, py, pz = table.unpack(place, 4 * i + 1, 4 * i + 4)
	for k = 0, counts[box + 1] do
		local from = (k == 0 and box or neighbour[26 * box + k]) * particles
		for j = from, from + particles - 1 do
			local qv, qx, qy, qz = table.unpack(place, 4 * j + 1, 4 * j + 4)
			local v = math.exp(-A2 * (pv + qv - (px * qx + py * qy + pz * qz))) * charge[j + 1]
			want[1], want[2], want[3], want[4] = want[1] + v, want[2] + 2 * v * (px - qx), want[3] + 2 * v * (py - qy), want[4] + 2 * v * (pz - qz)
			size = size + v
		end
	end
	for c = 1, 4 do
		local got = force:get(4 * i + c - 1)
		gpu.check(math.abs(got - want[c]) < ROUNDED * size, "particle %d: %.8g, not %.8g", i, got, want[c])
	end
end
