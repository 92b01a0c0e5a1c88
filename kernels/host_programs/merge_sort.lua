-- gpu.args: how often sorted runs are doubled, from 16 keys on (default 5; the thesis' 49 launches are 12).
local doublings = gpu.argument(1, 5, { to = 16 })
local n, seed, keys = 16 << doublings, 71, {}
for i = 1, n do
	seed = (seed * 1103515245 + 12345) % 2147483648
	keys[i] = seed // 65536 % n -- some are equal
end

function sizes() return doublings end

function begin(key) for i = 1, n do key:set(i - 1, keys[i]) end end

function sorted(key)
	table.sort(keys)
	for i = 1, n do gpu.check(key:get(i - 1) == keys[i], "key %d: %d, not %d", i - 1, key:get(i - 1), keys[i]) end
end
