-- gpu.args: threads of a block (default 32), places in space (default 96), samples in frequency space
-- (default 75).
gpu.sizes(function(size) return 128, size.threads, 20 end)
local block, n, samples = gpu.argument(1, 32, { to = 1024 }), gpu.argument(2, 96), gpu.argument(3, 75)
local CHUNK <const> = 64
local random = gpu.random(107)
local function floats(count, scale)
	return gpu.buffer("f32", count, function() return (random(2001) - 1000) / 1000 * scale end)
end

local kx, ky, kz, real, imaginary = floats(samples, 40), floats(samples, 40), floats(samples, 40), floats(samples, 1), floats(samples, 1)
for _, k in ipairs { 1, 4, CHUNK } do -- angles that take the long way, in each of the three places
	if k < samples then kx:set(k, 30000 + k) end
end
local magnitude = gpu.buffer("f32", samples)
gpu.launch { kernel = "magnitudes", grid = (samples + block - 1) // block, block = block, args = { real, imaginary, magnitude, samples } }

local x, y, z, qr, qi = floats(n, 4), floats(n, 4), floats(n, 4), gpu.buffer("f32", n), gpu.buffer("f32", n)
local chunk = gpu.symbol("sample")
for first = 0, samples - 1, CHUNK do
	local count = math.min(CHUNK, samples - first)
	for k = 0, count - 1 do
		local bytes = string.pack("<ffff", kx:get(first + k), ky:get(first + k), kz:get(first + k), magnitude:get(first + k))
		for b = 1, 16 do chunk:set(16 * k + b - 1, bytes:byte(b)) end
	end
	gpu.launch { kernel = "add_chunk", grid = (n + block - 1) // block, block = block, args = { count, x, y, z, qr, qi, n } }
end

-- Reference in double precision, with the angle rounded as the kernel does: large ones mean little otherwise.
local f = gpu.f32
local all = 0
for k = 0, samples - 1 do
	local want = real:get(k) ^ 2 + imaginary:get(k) ^ 2
	gpu.check(math.abs(magnitude:get(k) - want) < 1e-6, "magnitude %d is %g, not %g", k, magnitude:get(k), want)
	all = all + want
end
local sx, sy, sz, sm = kx:table(), ky:table(), kz:table(), magnitude:table()
for i = 0, n - 1, math.max(n // 128, 1) do
	local px, py, pz, re, im = x:get(i), y:get(i), z:get(i), 0, 0
	for k = 1, samples do
		local angle = f(f(2 * math.pi) * f(f(f(sx[k] * px) + f(sy[k] * py)) + f(sz[k] * pz)))
		re, im = re + sm[k] * math.cos(angle), im + sm[k] * math.sin(angle)
	end
	gpu.check(math.abs(qr:get(i) - re) < 1e-6 * all and math.abs(qi:get(i) - im) < 1e-6 * all,
		("place %d: %.7g + %.7gi, not %.7g + %.7gi"):format(i, qr:get(i), qi:get(i), re, im))
end
