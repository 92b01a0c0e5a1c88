-- gpu.args: threads (default 512).
gpu.sizes(function(size) return size.threads end)
local n, length = gpu.argument(1, 512, { multiple_of = 128 }), 6
local program = gpu.buffer("u32", n * length, function(i) return i * 2654435761 % 4294967296 // 256 end)
local out = gpu.buffer("u32", n)

gpu.launch { kernel = "dispatch", grid = n // 128, block = 128, args = { program, length, out } }

local word = 0xffffffff
local op = {
	[0] = function(a, b) return a + b & word end,
	function(a, b) return a * b & word | 1 end,
	function(a, b) return (a << (b & 31) | a >> (32 - (b & 31)) % 32) & word end,
	function(a, b)
		for _ = 1, b & 3 do a = (a ~ a >> 3) + b & word end
		return a
	end,
}
for i = 0, n - 1 do
	local v = i
	for k = 0, length - 1 do
		local p = program:get(i * length + k)
		v = op[p & 3](v, p >> 2)
	end
	gpu.check(out:get(i) == v, "thread %d: %x, not %x", i, out:get(i), v)
end
