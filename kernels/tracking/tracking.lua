-- gpu.args: points (default 4), frames (default 2).
gpu.sizes(function(size) return math.max(size.threads // 256, 4) end)
local points, frames = gpu.argument(1, 4), gpu.argument(2, 2)
local SIDE <const>, REACH <const> = 9, 3
local HALF <const> = SIDE // 2
local w, h = 40, 32
local random = gpu.random(41)

-- A texture that moves by (1, 1) and grows darker, with noise; every fifteenth place is masked, and point 1
-- cannot move at all.
local texture = {}
for k = 1, 64 * 64 do texture[k] = random(200) end
local function frame(k)
	local p = {}
	for y = 0, h - 1 do
		for x = 0, w - 1 do p[#p + 1] = texture[(y - k) % 64 * 64 + (x - k) % 64 + 1] + random(12) end
	end
	return p
end
local x, y, ox, oy, patch, wall = {}, {}, {}, {}, {}, {}
for k = 1, w * h do wall[k] = random(15) == 0 and 1 or 0 end
local first = frame(0)
for p = 1, points do
	x[p], y[p] = HALF + random(w - SIDE), HALF + random(h - SIDE)
	if p == 1 then
		for j = -REACH - frames, REACH do
			for i = -REACH - frames, REACH do wall[(y[1] + j) % h * w + (x[1] + i) % w + 1] = 1 end
		end
	end
	ox[p], oy[p], patch[p] = x[p], y[p], {}
	for j = -HALF, HALF do
		for i = -HALF, HALF do table.insert(patch[p], first[(y[p] + j) * w + x[p] + i + 1]) end
	end
end

local where, old, patches = {}, {}, {}
for p = 1, points do
	table.move({ x[p], y[p] }, 1, 2, #where + 1, where)
	table.move(patch[p], 1, #patch[p], #patches + 1, patches)
end
where, old = gpu.buffer("s32", 2 * points, where), gpu.buffer("s32", 2 * points, where)
patches = gpu.buffer("u8", #patches, patches)
local walls, score = gpu.buffer("u8", w * h, wall), gpu.buffer("s32", points)

-- Reference: the full sums of all displacements; of equal ones the first counts.
local function follow(p, image)
	local best, at
	for dy = -REACH, REACH do
		for dx = -REACH, REACH do
			local u, v = x[p] + dx, y[p] + dy
			if u >= HALF and v >= HALF and u < w - HALF and v < h - HALF and wall[v * w + u + 1] == 0
				and not (dx ~= 0 and math.abs(u - ox[p]) > REACH + 1) and not (dy ~= 0 and math.abs(v - oy[p]) > REACH + 1) then
				local sum, k = 0, 0
				for j = -HALF, HALF do
					for i = -HALF, HALF do
						k = k + 1
						sum = sum + (image[(v + j) * w + u + i + 1] - patch[p][k]) ^ 2
					end
				end
				if not best or sum < best then best, at = math.tointeger(sum), { u, v } end
			end
		end
	end
	if not best then return -1 end
	local k = 0
	for j = -HALF, HALF do
		for i = -HALF, HALF do
			k = k + 1
			patch[p][k] = (7 * patch[p][k] + image[(at[2] + j) * w + at[1] + i + 1]) // 8
		end
	end
	ox[p], oy[p] = x[p], y[p]
	x[p], y[p] = at[1], at[2]
	return best
end

for k = 1, frames do
	local image = frame(k)
	gpu.launch { kernel = "tracking", grid = points, block = (2 * REACH + 1) ^ 2 // 1,
		args = { gpu.buffer("u8", w * h, image), w, h, walls, where, old, patches, score } }
	for p = 1, points do
		local want = follow(p, image)
		gpu.check(score:get(p - 1) == want, "frame %d, point %d: difference %d, not %d", k, p, score:get(p - 1), want)
		gpu.check(where:get(2 * p - 2) == x[p] and where:get(2 * p - 1) == y[p], "frame %d: point %d is elsewhere", k, p)
		for i = 1, SIDE * SIDE do
			gpu.check(patches:get((p - 1) * SIDE * SIDE + i - 1) == patch[p][i], "frame %d, point %d: template differs", k, p)
		end
	end
end
gpu.check(score:get(0) == -1, "point 1 has moved")
