-- gpu.args[1] = k: turns of the loop, by 2^k lanes (default 5, which fills a warp of 32).
gpu.sizes { reason = "one warp, whose lanes are as many as k turns tell apart" }
local k = gpu.argument(1, 5, { from = 0, to = 6 })
local n = 1 << k
local sum = gpu.buffer("u32", n)

local s = gpu.launch { kernel = "continue_loop", grid = 1, block = n, args = { sum, k } }

-- Reference: a lane works in the turns in which it does not continue.
for t = 0, n - 1 do gpu.check(sum:get(t) == ~t & n - 1, "lane %d worked in turns %x", t, sum:get(t)) end

local fetches = 0
for _, b in ipairs(s.blocks or {}) do fetches = fetches + (b.fetches or 0) end
print(("continue_loop k %d fetches %d"):format(k, fetches))
