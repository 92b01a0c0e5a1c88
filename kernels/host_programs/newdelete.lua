-- gpu.args: blocks that fill the container (default 4).
gpu.sizes(function(size) return size.threads // 64 end)
local blocks = gpu.argument(1, 4)

function sizes() return blocks end

function emptied(out, n)
	for i = 0, n - 1 do gpu.check(out:get(i) == 1, "element %d has been taken %d times", i, out:get(i)) end
end

function placed(out, n)
	for i = 0, n - 1 do gpu.check(out:get(i) == (n - 1) * n * (2 * n - 1) // 6, "thread %d: %d", i, out:get(i)) end
end

function vectors(out, pool, n)
	local words = 1
	for t = 0, n - 1 do
		local m = t % 4 + 1
		words = words + 2 * m
		gpu.check(out:get(t) == m * t + (m - 1) * m * (2 * m - 1) // 6, "thread %d: %d", t, out:get(t))
	end
	gpu.check(pool:get(0) == words, "the pool ends at %d, not %d", pool:get(0), words)
end
