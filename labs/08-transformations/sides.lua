-- One warp of four threads. Arguments: which kernel, alike or unlike (alike); which sides the lanes take,
-- apart or together (apart): odd lanes one and even lanes the other, or all of them that of the odd ones.
gpu.sizes { reason = "one warp of four threads, which can be followed by hand" }
local kernel = gpu.argument(1, "alike", { one_of = { "alike", "unlike" } })
local apart = gpu.argument(2, "apart", { one_of = { "apart", "together" } }) == "apart"
local given = { 40, 11, 25, 7 }
local side = apart and { 0, 1, 0, 1 } or { 1, 1, 1, 1 }
local left, right = gpu.buffer("u32", 4), gpu.buffer("u32", 4)
gpu.launch { kernel = kernel, grid = 1, block = 4, args = { gpu.buffer("u32", 4, given), left, right, gpu.buffer("u32", 4, side) } }

local function u32(x) return x & 0xffffffff end
local function alike(t, first)
	local x
	if first then
		x = u32(given[t + 1] * 3 + 1)
		x = u32((x ~ x >> 7) * 11)
		return u32((x ~ x >> 3) + given[(x & 3) + 1])
	end
	x = u32(given[(t ~ 1) + 1] * 5 + 7)
	x = u32((x ~ x >> 9) * 13)
	return u32((x ~ x >> 5) + given[(x & 1) + 1])
end
-- All of these numbers are small enough for single precision to have them exactly.
local function unlike(t, first)
	local x = given[t + 1]
	if first then
		x = x * 0.5 + 1
		x = x * x - 3
		return math.floor(x * x + 0.25)
	end
	x = x ~ x >> 4
	x = u32(x << 3 | x & 5)
	return math.min(x ~ x >> 9 ~ u32(x << 2), 99)
end
for t = 0, 3 do
	local first = side[t + 1] ~= 0
	local idle, got = first and right or left, first and left:get(t) or right:get(t)
	gpu.check(idle:get(t) == 0, "thread %d has written for the side that it did not take", t)
	local want = (kernel == "alike" and alike or unlike)(t, first)
	gpu.check(got == want, "thread %d: %d, not %d", t, got, want)
end
