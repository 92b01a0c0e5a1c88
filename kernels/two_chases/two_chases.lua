-- Two chains of indices, one for even threads and one for odd ones; both go through all of `next`.
-- gpu.args: blocks (default 2).
gpu.sizes(function(size) return size.threads // 64 end)
local n, blocks, threads, steps = 4096, gpu.argument(1, 2), 64, 16
local following = function(i) return (1229 * i + 613) % n end
local next = gpu.buffer("u32", n, following)
local out = gpu.buffer("u32", blocks * threads)

gpu.launch { kernel = "two_chases", grid = blocks, block = threads, args = { next, out, steps } }

for t = 0, blocks * threads - 1 do
	local i, x = 29 * t % n, 0
	for _ = 1, steps do
		i = following(i)
		if t % 2 == 1 then x = (3 * x + i) % 2 ^ 32 else x = x ~ i end
		x = x // 1
	end
	gpu.check(out:get(t) == x, "thread %d: %d, not %d", t, out:get(t), x)
end
