local from, to = gpu.buffer("u32", 64, function(i) return i * i end), gpu.buffer("u32", 64)
gpu.launch { kernel = "adds", grid = 1, block = 64, args = { from, to, 50 } }
for t = 0, 63 do
	gpu.check(to:get(t) == (t < 50 and t * t + 5 or 0), "adds: thread " .. t .. " has " .. to:get(t))
end
local floats, words = gpu.buffer("f32", 4, { 1.5, 0, -2, 0.1 }), gpu.buffer("u32", 8)
gpu.launch { kernel = "widens", grid = 1, block = 1, args = { floats, words } }
local want = { 0x3fc00000, 0, 0xc0000000, 0, 0x3dcccccd, 0x3fc00000, 0x3dcccccd, 0 }
for k = 1, 8 do
	gpu.check(words:get(k - 1) == want[k], "widens: word %d is 0x%x, not 0x%x", k - 1, words:get(k - 1), want[k])
end
