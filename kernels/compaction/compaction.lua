-- gpu.args: numbers (default 6000).
gpu.sizes(function(size) return size.threads end)
local n = gpu.argument(1, 6000)
local input = gpu.buffer("u32", n, function(i) return (i * 2654435761) % 65536 + (i // 500 % 4 == 3 and 1000000 or 0) end)
local out, count = gpu.buffer("u32", n), gpu.buffer("u32", 1)
gpu.compare(out, { how = "set" })

gpu.launch { kernel = "compaction", grid = (n + 127) // 128, block = 128, args = { input, n, out, count } }

local times, kept = {}, 0
for i = 0, n - 1 do
	local v = input:get(i)
	if v % 3 == 0 then
		times[v] = (times[v] or 0) + 1
		kept = kept + 1
	end
end
gpu.check(count:get(0) == kept, "%d kept, not %d", count:get(0), kept)
for i = 0, kept - 1 do
	local v = out:get(i)
	gpu.check((times[v] or 0) > 0, "out[%d] = %d does not belong there", i, v)
	times[v] = times[v] - 1
end
