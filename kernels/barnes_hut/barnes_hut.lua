-- gpu.args: threads of a block (default 32), bodies (default 64), how small a node looks that is not opened,
-- its side by its distance (default 0.7).
gpu.sizes { arguments = function(size) return 64, math.max(size.threads // 8, 256), 1 end,
	reason = "an eighth of the threads: walks are long, and longer the more bodies there are" }
local block, n, theta = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 64), gpu.argument(3, 0.7, { real = true, from = 0, to = 1 })
local random = gpu.random(113)
local f = gpu.f32 -- rounded to single precision

-- Bodies: two clusters in a cube of side 2. Nodes 0 to n - 1 are the bodies, the others come as the tree is
-- built.
local place, mass, body, child = { {}, {}, {} }, {}, {}, {}
for i = 1, n do
	for c = 1, 3 do place[c][i] = f((random(2) * 2 - 1) * 0.4 * (c == 1 and 1 or 0.3) + (random(1000) * random(1000) / 1e6 - 0.25) * 0.7) end
	mass[i], body[i] = f((1 + random(7)) / n), i - 1
end
local function build(list, centre, half)
	if #list == 1 then return list[1] end
	local octants, id = {}, #mass
	for _, i in ipairs(list) do
		local o = 1
		for c = 1, 3 do o = o + (place[c][i + 1] >= centre[c] and 1 << c - 1 or 0) end
		octants[o] = octants[o] or {}
		table.insert(octants[o], i)
	end
	mass[id + 1], body[id + 1] = 0, -1
	local first = #child
	for k = 1, 8 do child[first + k] = -1 end
	local sum = { 0, 0, 0, 0 }
	for k = 1, 8 do
		if octants[k] then
			local c = {}
			for a = 1, 3 do c[a] = centre[a] + (k - 1 >> a - 1 & 1 == 1 and half / 2 or -half / 2) end
			assert(half > 1e-6, "two bodies are at one place")
			local down = build(octants[k], c, half / 2)
			child[first + k] = down
			for a = 1, 3 do sum[a] = sum[a] + place[a][down + 1] * mass[down + 1] end
			sum[4] = sum[4] + mass[down + 1]
		end
	end
	mass[id + 1] = f(sum[4])
	for a = 1, 3 do place[a][id + 1] = f(sum[a] / sum[4]) end
	return id
end
local all = {}
for i = 1, n do all[i] = i - 1 end
-- Ids of nodes are given before those of their children, whose rows in `child` therefore stand in the order
-- of ids.
local root, opening = build(all, { 0, 0, 0 }, 1), f((2 / theta) ^ 2)

local function floats(t) return gpu.buffer("f32", #t, t) end
local acceleration = { gpu.buffer("f32", n), gpu.buffer("f32", n), gpu.buffer("f32", n) }
gpu.launch { kernel = "barnes_hut", grid = (n + block - 1) // block, block = block,
	args = { floats(place[1]), floats(place[2]), floats(place[3]), floats(mass), gpu.buffer("s32", #body, body), gpu.buffer("s32", math.max(#child, 1), child),
		acceleration[1], acceleration[2], acceleration[3], n, root, opening } }

-- Reference: the same walk by recursion, rounded alike; of many bodies only some. And the sum over all bodies
-- is not far from it.
local px, py, pz = table.unpack(place)
for i = 1, n, math.max(n // 256, 1) do
	local s, direct, size = { 0, 0, 0 }, { 0, 0, 0 }, 0
	local function walk(node, far)
		local dx, dy, dz = f(px[node] - px[i]), f(py[node] - py[i]), f(pz[node] - pz[i])
		local r2 = f(f(f(dx * dx) + f(dy * dy)) + f(dz * dz))
		if body[node] >= 0 or r2 >= far then
			if body[node] ~= i - 1 then
				local r = f(math.sqrt(f(r2 + f(0.0025))))
				local scale = f(mass[node] / f(f(r * r) * r))
				s[1], s[2], s[3] = f(s[1] + f(dx * scale)), f(s[2] + f(dy * scale)), f(s[3] + f(dz * scale))
			end
		else
			for k = 8, 1, -1 do -- the last one pushed comes first
				local down = child[8 * (node - 1 - n) + k]
				if down >= 0 then walk(down + 1, f(far * 0.25)) end
			end
		end
	end
	walk(root + 1, opening)
	for j = 1, n do
		local d = { px[j] - px[i], py[j] - py[i], pz[j] - pz[i] }
		local r = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2 + 0.0025)
		for c = 1, 3 do direct[c] = direct[c] + d[c] * mass[j] / r ^ 3 end
		size = size + mass[j] / r ^ 2
	end
	for c = 1, 3 do
		local got = acceleration[c]:get(i - 1)
		gpu.check(got == s[c], "body %d: acceleration %d is %.9g, not %.9g", i - 1, c, got, s[c])
		gpu.check(math.abs(got - direct[c]) < 0.05 * size, "body %d: acceleration %d is %g, far from %g", i - 1, c, got, direct[c])
	end
end
