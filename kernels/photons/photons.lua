-- gpu.args: photons (default 48), edge of the medium in voxels (default 6), seed, threads of a block (default
-- 32), blocks of photons_loop, whose threads take one photon after the other (default: for half of the
-- photons), "nest" or "loop" (default: one after the other). Four layers, and a ball of the fifth medium.
gpu.sizes(function(size) return size.threads // 16, 16, 7, 64 end)
local photons, edge, seed = gpu.argument(1, 48), gpu.argument(2, 6), gpu.argument(3, 7, { from = 0 })
local block = gpu.argument(4, 32, { to = 1024 })
local MEDIA = { -- absorb, scatter, g, index
	{ 0.1, 0.6, 0.9, 1.4 }, { 0.2, 0.9, 0.8, 1.4 }, { 0.15, 0.7, 0.9, 1.4 }, { 0.1, 1.2, 0.8, 1.4 }, { 0.4, 0.5, 0, 1.4 },
}

local pack = string.pack
local f = gpu.f32 -- rounded to single precision

local kind = {}
for z = 0, edge - 1 do
	for y = 0, edge - 1 do
		for x = 0, edge - 1 do
			local r = (2 * x + 1 - edge) ^ 2 + (2 * y + 1 - edge) ^ 2 + (2 * z + 1 - edge) ^ 2
			kind[#kind + 1] = 9 * r < edge * edge and 5 or 4 * z // edge + 1
		end
	end
end
local words, logarithm = { 0, 0, 0, 0 }, {}
for _, m in ipairs(MEDIA) do table.move(m, 1, 4, #words + 1, words) end
for i = 0, 1023 do logarithm[i + 1] = -math.log((i + 0.5) / 1024) end
local media, logs = gpu.buffer("f32", #words, words), gpu.buffer("f32", 1024, logarithm)
-- Reference: the same flight with a list for each vector, every operation rounded.
local function fixed(x) return math.tointeger(x > 0 and x // 1 or -(-x // 1)) end
local want, out = {}, { 0, 0, 0 }
for v = 1, #kind do want[v] = 0 end

local function generator(photon)
	local a, b, c, d = seed + photon * 2654435769 & 0xffffffff, nil, 521288629, photon + 88675123
	b = a ~ 362436069
	local function draw()
		local t = (a ~ a << 11) & 0xffffffff
		a, b, c = b, c, d
		d = d ~ d >> 19 ~ t ~ t >> 8
		return d >> 8
	end
	for _ = 1, 8 do draw() end
	return draw
end

local function fresnel(cosine, index)
	local sine2 = f(f(1 - f(cosine * cosine)) * f(index * index))
	if sine2 >= 1 then return 1 end
	local beyond = f(math.sqrt(f(1 - sine2)))
	local s = f(f(f(index * cosine) - beyond) / f(f(index * cosine) + beyond))
	local p = f(f(f(index * beyond) - cosine) / f(f(index * beyond) + cosine))
	return f(0.5 * f(f(s * s) + f(p * p)))
end

local function scatter(u, g, draw, uniform)
	local v, c = uniform(), nil
	if g == 0 then
		c = f(f(2 * v) - 1)
	else
		local t = f(f(1 - f(g * g)) / f(f(1 - g) + f(f(2 * g) * v)))
		c = f(f(f(1 + f(g * g)) - f(t * t)) / f(2 * g))
	end
	local s = f(math.sqrt(math.max(f(1 - f(c * c)), 0)))
	local px, py, r2
	repeat
		px, py = f(f(2 * uniform()) - 1), f(f(2 * uniform()) - 1)
		r2 = f(f(px * px) + f(py * py))
	until r2 <= 1 and r2 >= f(1e-6)
	local r = f(math.sqrt(r2))
	px, py = f(px / r), f(py / r)
	local x, y, z = u[1], u[2], u[3]
	if math.abs(z) > f(0.99999) then
		x, y, z = f(s * px), f(s * py), z > 0 and c or -c
	else
		local q = f(math.sqrt(f(1 - f(z * z))))
		local vx = f(f(f(s * f(f(f(x * z) * px) - f(y * py))) / q) + f(x * c))
		local vy = f(f(f(s * f(f(f(y * z) * px) + f(x * py))) / q) + f(y * c))
		x, y, z = vx, vy, f(f(z * c) - f(f(s * px) * q))
	end
	local length = f(math.sqrt(f(f(f(x * x) + f(y * y)) + f(z * z))))
	u[1], u[2], u[3] = f(x / length), f(y / length), f(z / length)
end

local function fly(photon)
	local draw = generator(photon)
	local function uniform() return (draw() + 1) / 16777216 end
	local p, u, at, weight, paths = { edge / 2, edge / 2, 0 }, { 0, 0, 1 }, { edge // 2, edge // 2, 0 }, 1, { 0, 0, 0, 0, 0 }
	local function voxel(i)
		for k = 1, 3 do
			if i[k] < 0 or i[k] >= edge then return nil end
		end
		return (i[3] * edge + i[2]) * edge + i[1] + 1
	end
	while true do
		local free = f(logarithm[(draw() >> 14) + 1])
		while true do
			local here = voxel(at)
			local medium = MEDIA[kind[here]]
			local absorb, scatters = f(medium[1]), f(medium[2])
			local d, axis = {}, 1
			for k = 1, 3 do
				d[k] = u[k] > 0 and f(f(at[k] + 1 - p[k]) / u[k]) or u[k] < 0 and f(f(at[k] - p[k]) / u[k]) or 1e9
			end
			if not (d[1] <= d[2] and d[1] <= d[3]) then axis = d[2] <= d[3] and 2 or 3 end
			local step = math.max(math.min(d[1], d[2], d[3]), 0)
			local scattered = free < f(step * scatters)
			if scattered then step = f(free / scatters) end
			local lost = math.min(f(weight * f(absorb * step)), weight)
			weight = f(weight - lost)
			want[here] = want[here] + fixed(f(lost * 1048576))
			paths[kind[here]] = f(paths[kind[here]] + step)
			for k = 1, 3 do p[k] = f(p[k] + f(u[k] * step)) end
			if scattered then break end
			free = f(free - f(step * scatters))
			p[axis] = u[axis] > 0 and at[axis] + 1 or at[axis]
			local next = { at[1], at[2], at[3] }
			next[axis] = at[axis] + (u[axis] > 0 and 1 or -1)
			if voxel(next) then
				at = next
			elseif uniform() > fresnel(math.abs(u[axis]), f(medium[4])) then
				local top = next[3] < 0
				out[top and 1 or 2] = out[top and 1 or 2] + fixed(f(weight * 1048576))
				return top and paths or {}
			else
				u[axis] = -u[axis]
			end
		end
		if weight < f(0.05) then
			if draw() & 7 ~= 0 then
				out[3] = out[3] + fixed(f(weight * 1048576))
				return {}
			end
			out[3] = out[3] - fixed(f(f(weight * 7) * 1048576))
			weight = weight * 8
		end
		scatter(u, f(MEDIA[kind[voxel(at)]][3]), draw, uniform)
	end
end

-- Every photon, but of many only some; then sums are checked by themselves.
local every = math.max(photons // 256, 1)
local paths = {}
for photon = 0, photons - 1, every do paths[photon] = fly(photon) end

local kinds = gpu.buffer("u8", #kind, kind)
local blocks, only = gpu.argument(5), gpu.argument(6, nil, { one_of = { "nest", "loop" } })
for _, kernel in ipairs(only and { "photons_" .. only } or { "photons_nest", "photons_loop" }) do
	local left, escaped, path = gpu.buffer("u32", #kind), gpu.buffer("s32", 3), gpu.buffer("f32", 5 * photons)
	local threads = kernel == "photons_loop" and (photons + 1) // 2 or photons
	gpu.launch { kernel = kernel, grid = kernel == "photons_loop" and blocks or (threads + block - 1) // block, block = block,
		args = { pack("<i8i4i4i4xxxxi8i8I4I4i8i8i8", kinds:address(), edge, edge, edge, media:address(), logs:address(), photons, seed,
			left:address(), escaped:address(), path:address()) } }
	for photon, want in pairs(paths) do
		for k = 1, 5 do
			local got, path = path:get(5 * photon + k - 1), want[k] or 0
			gpu.check(got == path, "%s: photon %d: path %.9g in medium %d, not %.9g", kernel, photon, got, k, path)
		end
	end
	local total = 0
	for v = 1, #kind do
		local got = left:get(v - 1)
		gpu.check(every > 1 or got == want[v], "%s: voxel %d: %d, not %d", kernel, v - 1, got, want[v])
		total = total + got
	end
	for k = 1, 3 do
		local got = escaped:get(k - 1)
		gpu.check(every > 1 or got == out[k], "%s: escaped %d: %d, not %d", kernel, k - 1, got, out[k])
		total = total + got
	end
	-- Of many photons counters of 32 bits wrap around: then the sum is right but for multiples of 2^32.
	local off = (total - (photons << 20) + 0x80000000) % 0x100000000 - 0x80000000
	gpu.check(math.abs(off) < (photons << 20) // 1000, "%s: weights add up to %g", kernel, total / 1048576)
end
