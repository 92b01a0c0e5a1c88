-- One warp of four threads. Arguments: which kernel, longer or shorter (longer); which ways the lanes take,
-- apart or together (apart): as the four lanes of lab 3, or all of them as its lane 0.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local kernel = gpu.argument(1, "longer", { one_of = { "longer", "shorter" } })
local apart = gpu.argument(2, "apart", { one_of = { "apart", "together" } }) == "apart"
local a = apart and { 1, 1, 0, 0 } or { 1, 1, 1, 1 }
local b = { 0, 0, 1, 0 }
local c = apart and { 1, 0, 0, 0 } or { 1, 1, 1, 1 }
local out = gpu.buffer("u32", 4)
gpu.launch { kernel = kernel, grid = 1, block = 4,
	args = { gpu.buffer("u32", 4, a), gpu.buffer("u32", 4, b), gpu.buffer("u32", 4, c), out } }
for t = 0, 3 do
	local x, mixed = t, (a[t + 1] ~= 0 or b[t + 1] ~= 0) and c[t + 1] ~= 0
	for _ = 1, kernel == "longer" and 6 or 1 do
		x = (mixed and (x ~ x >> 3) * 5 or (x << 2 | 1) + x * x) & 0xffffffff
	end
	gpu.check(out:get(t) == x, "thread %d: %d, not %d", t, out:get(t), x)
end
