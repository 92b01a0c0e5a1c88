-- One warp of four threads for each kernel of cases.ir, or for the one that the argument names. What each
-- lane has to compute stands here once more.
gpu.sizes { reason = "one warp of four threads for each kernel, which can be followed by hand" }
local kernels = { "plain", "empty", "stored", "two", "turns", "constants", "guards", "ways", "together" }
local wanted = gpu.argument(1, "all", { one_of = { "all", table.unpack(kernels) } })

local want = {
	plain = function(lane) return lane * 3 + 7 end,
	empty = function(lane) return lane & 1 end,
	stored = function(lane) return 1000 + 2 * lane + (lane < 2 and 5 or 0) end,
	two = function(lane)
		local x = (lane + 1) ^ 2 // 1 | 0
		return x < 9 and x + 100 or x
	end,
	turns = function(lane)
		local x = 1
		for _ = 0, lane do x = x * 3 + lane end
		return x
	end,
	constants = function(lane) return lane * (lane & 1 == 1 and 3 or 5) + 7 end,
	guards = function(lane)
		local x, odd = lane & 1, lane & 1 == 1
		if odd == (lane < 2) then x = x + 5 end
		if odd then return x < 5 and x + 50 or x end
		return x > 5 and x + 50 or x
	end,
	ways = function(lane) return (lane + 10) * 2 end,
}

for _, name in ipairs(kernels) do
	if wanted == "all" or wanted == name then
		local out = gpu.buffer("u32", 4, function(i) return 1000 + i end)
		gpu.launch { kernel = name, grid = 1, block = 4, args = { out } }
		for lane = 0, 3 do
			if want[name] then
				local right = want[name](lane)
				gpu.check(out:get(lane) == right, "%s, lane %d: %d, not %d", name, lane, out:get(lane), right)
			end
		end
	end
end
