-- gpu.args: threads (default 512).
gpu.sizes(function(size) return size.threads end)
local n, rounds, m = gpu.argument(1, 512, { multiple_of = 128 }), 20, 2147483629
local seed = gpu.buffer("u64", n, function(i) return (i + 1) * 0x2545f4914f6cdd1d end)
local exponent = gpu.buffer("u64", n, function(i) return (i * 2654435761 + 5) % (1 << (i % 32 + 1)) end)
local out, power, high = gpu.buffer("u64", n), gpu.buffer("u64", n), gpu.buffer("u64", n)

gpu.launch { kernel = "hash64", grid = n // 128, block = 128, args = { seed, out, rounds } }
gpu.launch { kernel = "modexp", grid = n // 128, block = 128, args = { seed, exponent, m, power, high } }

local function umod(a, b) -- unsigned remainder, b positive as a signed number
	if a >= 0 then return a % b end
	local q = (a >> 1) // b << 1
	local r = a - q * b
	return math.ult(r, b) and r or r - b
end
local function umulhi(a, b)
	local al, ah, bl, bh = a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32
	local low, m1, m2 = al * bl, ah * bl, al * bh
	local carry = ((low >> 32) + (m1 & 0xffffffff) + (m2 & 0xffffffff)) >> 32
	return ah * bh + (m1 >> 32) + (m2 >> 32) + carry
end
for i = 0, n - 1 do
	local x, h = seed:get(i), 0
	for _ = 1, rounds do
		x = x ~ x << 13
		x = x ~ x >> 7
		x = x ~ x << 17
		local z = x + 0x9e3779b97f4a7c15
		z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
		z = (z ~ z >> 27) * 0x94d049bb133111eb
		h = (h << 5 | h >> 59) + (z ~ z >> 31)
	end
	gpu.check(out:get(i) == h, "hash %d is %x, not %x", i, out:get(i), h)
	local b, e, r = umod(seed:get(i), m), exponent:get(i), 1
	while e ~= 0 do
		if e & 1 ~= 0 then r = r * b % m end
		b = b * b % m
		e = e >> 1
	end
	gpu.check(power:get(i) == r, "power %d is %d, not %d", i, power:get(i), r)
	gpu.check(high:get(i) == umulhi(seed:get(i), exponent:get(i) * 0x9e3779b97f4a7c15), "high half %d", i)
end
