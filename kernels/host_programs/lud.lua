-- gpu.args: tiles of 4 columns in a row (default 16, for which the program makes 46 launches).
gpu.sizes(function(size) return math.ceil(size.blocks ^ 0.5) end)
local side, tiles = 4, gpu.argument(1, 16, { from = 2, to = 1024 })
local n = side * tiles
local random, m = gpu.random(67), {}
for e = 1, n * n do
	local drawn = random(1024)
	m[e] = (e - 1) % (n + 1) == 0 and n or (drawn - 512) / 512 -- the diagonal outweighs its row
end

function sizes() return tiles end

function begin(a) for e = 1, n * n do a:set(e - 1, m[e]) end end

-- Elimination without tiles.
function decomposed(a)
	local f = gpu.f32 -- rounded to single precision
	for k = 0, n - 1 do
		for i = k + 1, n - 1 do
			local l = f(m[i * n + k + 1] / m[k * n + k + 1])
			m[i * n + k + 1] = l
			for j = k + 1, n - 1 do m[i * n + j + 1] = f(m[i * n + j + 1] - f(l * m[k * n + j + 1])) end
		end
	end
	for e = 0, n * n - 1 do
		gpu.check(a:get(e) == m[e + 1], "row %d, column %d: %.9g, not %.9g", e // n, e % n, a:get(e), m[e + 1])
	end
end
