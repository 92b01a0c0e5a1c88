-- gpu.args: inputs, a multiple of 8 (default 64), rounds of learning (default 2).
local SIDE <const> = 8
gpu.sizes(function(size) return size.threads // SIDE ^ 2 * SIDE end)
local n, rounds = gpu.argument(1, 64, { multiple_of = SIDE }), gpu.argument(2, 2)
local random = gpu.random(139)
local f = gpu.f32 -- rounded to single precision

local pitch = SIDE + 1
local input = gpu.buffer("f32", n + 1, function(i) return i == 0 and 1 or random(256) / 256 end)
local weights = gpu.buffer("f32", (n + 1) * pitch, function() return (random(2001) - 1000) / 1000 end)
local changes, delta = gpu.buffer("f32", (n + 1) * pitch), gpu.buffer("f32", SIDE + 1)
local partial = gpu.buffer("f32", n)
local x, now, change = input:table(), weights:table(), changes:table()
local RATE <const>, blocks = f(0.3), n // SIDE

for round = 1, rounds do
	gpu.launch { kernel = "forward", grid = blocks, block = { SIDE, SIDE }, args = { input, weights, partial } }
	for j = 1, SIDE do
		local sum = now[j + 1]
		for b = 0, blocks - 1 do
			local column = {}
			for i = 1, SIDE do column[i] = f(now[(b * SIDE + i) * pitch + j + 1] * x[b * SIDE + i + 1]) end
			while #column > 1 do
				local half = {}
				for i = 1, #column, 2 do half[#half + 1] = f(column[i] + column[i + 1]) end
				column = half
			end
			local got = partial:get(b * SIDE + j - 1)
			gpu.check(got == column[1], "round %d: sum %d of block %d is %.9g, not %.9g", round, j, b, got, column[1])
			sum = sum + column[1]
		end
		local out = 1 / (1 + math.exp(-sum))
		delta:set(j, f(out * (1 - out) * (j % 2 - out))) -- odd outputs shall be 1
	end

	local d = delta:table()
	gpu.launch { kernel = "adjust", grid = blocks, block = { SIDE, SIDE }, args = { delta, input, weights, changes } }
	for i = 0, n do
		for j = 1, SIDE do
			local k = i * pitch + j + 1
			local step = f(RATE * d[j + 1])
			change[k] = f((i == 0 and step or f(step * x[i + 1])) + f(RATE * change[k]))
			now[k] = f(now[k] + change[k])
		end
	end
	for k = 1, (n + 1) * pitch do
		gpu.check(weights:get(k - 1) == now[k], "round %d: weight %d is %.9g, not %.9g", round, k - 1, weights:get(k - 1), now[k])
		gpu.check(changes:get(k - 1) == change[k], "round %d: change %d is %.9g, not %.9g", round, k - 1, changes:get(k - 1), change[k])
	end
end
