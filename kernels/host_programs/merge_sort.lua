-- gpu.args: how often sorted runs are doubled, from 16 keys on (default 5; the thesis' 49 launches are 12).
gpu.sizes(function(size) return math.ceil(math.log(size.blocks / 2, 2)) end)
local doublings = gpu.argument(1, 5, { to = 16 })
local n, random, keys = 16 << doublings, gpu.random(71), {}
for i = 1, n do keys[i] = random(n) end -- some are equal

function sizes() return doublings end

function begin(key) for i = 1, n do key:set(i - 1, keys[i]) end end

function sorted(key)
	table.sort(keys)
	for i = 1, n do gpu.check(key:get(i - 1) == keys[i], "key %d: %d, not %d", i - 1, key:get(i - 1), keys[i]) end
end
