-- A warp whose threads leave in five different turns by three different exits, half of those at X1 for X2.
gpu.sizes { reason = "one warp, of which the kernel shows how its lanes leave a loop" }
local n = 32
local trail = gpu.buffer("u64", n)
local leave = gpu.buffer("u32", n, function(t) return t % 15 end)
local flag = gpu.buffer("u32", n, function(t) return t // 15 % 2 end)

gpu.launch { kernel = "loop_exits", grid = 1, block = n, args = { trail, leave, flag } }

-- Reference: the blocks that each thread goes through, as octal digits after a leading 1.
for t = 0, n - 1 do
	local want = "1"
	local function block(k) want = want .. k end
	local turn, exit = leave:get(t) // 3, leave:get(t) % 3
	for i = 0, turn do
		block(1)
		if i < turn or exit >= 1 then block(2) end
		if i < turn or exit >= 2 then block(3) end
	end
	if exit >= 1 then block(4) end
	if exit == 0 or flag:get(t) ~= 0 then block(5) end
	block(6)
	gpu.check(("%o"):format(trail:get(t)) == want, ("thread %d went through %o, not %s"):format(t, trail:get(t), want))
end
