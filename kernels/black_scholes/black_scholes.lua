-- gpu.args: options (default 1000).
gpu.sizes(function(size) return size.threads end)
local n, rate, volatility = gpu.argument(1, 1000), 0.02, 0.3
local function between(a, b, k) return function(i) return a + (b - a) * (i * k % 997) / 997 end end
local price, strike = gpu.buffer("f32", n, between(5, 30, 7919)), gpu.buffer("f32", n, between(1, 100, 131))
local years = gpu.buffer("f32", n, between(0.25, 10, 37))
local call, put = gpu.buffer("f32", n), gpu.buffer("f32", n)

gpu.launch { kernel = "black_scholes", grid = (n + 127) // 128, block = 128,
	args = { price, strike, years, call, put, rate, volatility, n } }

local function cnd(d)
	local k = 1 / (1 + 0.2316419 * math.abs(d))
	local w = 0.39894228 * math.exp(-0.5 * d * d) *
		(k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
	return d > 0 and 1 - w or w
end
for i = 0, n - 1 do
	local s, x, t = price:get(i), strike:get(i), years:get(i)
	local root = math.sqrt(t)
	local d1 = (math.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root)
	local d2, e = d1 - volatility * root, x * math.exp(-rate * t)
	local c, p = s * cnd(d1) - e * cnd(d2), e * (1 - cnd(d2)) - s * (1 - cnd(d1))
	gpu.check(math.abs(call:get(i) - c) < 2e-4, "call %d is %g, not %g", i, call:get(i), c)
	gpu.check(math.abs(put:get(i) - p) < 2e-4, "put %d is %g, not %g", i, put:get(i), p)
end
