-- gpu.args: threads (default 8192).
gpu.sizes(function(size) return math.max(size.threads, 1280) end)
local n, rounds = gpu.argument(1, 8192, { from = 1280, multiple_of = 256 }), 200
local out = gpu.buffer("u32", n)
gpu.launch { kernel = "arithmetic", grid = n // 256, block = 256, args = { out, rounds } }
-- One thread, followed exactly: the float converges to 6 after a few dozen halvings.
local i = 1234
local x, y = i * 2654435761 & 0xffffffff, i
for k = 0, rounds - 1 do
	x = x * 1664525 + 1013904223 & 0xffffffff
	y = (y ~ x >> 7) + (x & k) & 0xffffffff
end
gpu.check(out:get(i) == x ~ y ~ string.unpack("<I4", string.pack("<f", 6.0)), "thread 1234 has a wrong result")
