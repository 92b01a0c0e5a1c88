-- gpu.args[1] = k, 1 to 32: how many ways the lanes of the warp take (default 8); gpu.args[2]:
-- multiplications in each (default 16). Prints how long lane 0 waited between its clock readings and, where
-- the ways have labels of their own (k_way.ir), how many lanes went through one together.
gpu.sizes { reason = "one warp, whose lane 0 reads the clock before and behind its way" }
local k, rounds = gpu.argument(1, 8, { to = 32 }), gpu.argument(2, 16)
local out = gpu.buffer("u32", 32)
local timer = gpu.buffer("s64", 32)
gpu.compare(timer, { how = "ignore" })

local s = gpu.launch { kernel = "k_way", grid = 1, block = 32, args = { out, timer, k, rounds } }

for lane = 0, 31 do
	local x = lane
	for _ = 1, 2 * rounds do x = 3 * x + lane % k & 0xffffffff end
	gpu.check(out:get(lane) == x, "lane %d has %d, not %d", lane, out:get(lane), x)
end

local fetches, lanes = 0, 0
for _, b in ipairs(s.blocks or {}) do
	if b.label:find("^W%d") and b.fetches then
		fetches = fetches + b.fetches
		lanes = lanes + b.threads
	end
end
local together = fetches > 0 and (" lanes %g"):format(lanes / fetches) or ""
print(("k_way k %d rounds %d cycles %d%s"):format(k, rounds, timer:get(0), together))
