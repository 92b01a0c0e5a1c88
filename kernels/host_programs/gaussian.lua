gpu.sizes { reason = "its sizes are constants of main, by which fusion of kernels knows the grids" }
local n = 16
local random = gpu.random(157)
local f = gpu.f32 -- rounded to single precision
local row, right = {}, {}

function begin(a, b)
	for k = 0, n * n - 1 do row[k + 1] = f((k // n == k % n and 2 * n or 0) + random(1000) / 500 - 1) a:set(k, row[k + 1]) end
	for k = 0, n - 1 do right[k + 1] = f(random(1000) / 100) b:set(k, right[k + 1]) end
end

function eliminated(a, b)
	for k = 0, n - 2 do
		for i = k + 1, n - 1 do
			local m = f(row[n * i + k + 1] / row[n * k + k + 1])
			for j = k, n - 1 do row[n * i + j + 1] = f(row[n * i + j + 1] - f(m * row[n * k + j + 1])) end
			right[i + 1] = f(right[i + 1] - f(m * right[k + 1]))
		end
	end
	for k = 0, n * n - 1 do gpu.check(a:get(k) == row[k + 1], "coefficient %d: %.9g, not %.9g", k, a:get(k), row[k + 1]) end
	for k = 0, n - 1 do gpu.check(b:get(k) == right[k + 1], "right side %d: %.9g, not %.9g", k, b:get(k), right[k + 1]) end
end
