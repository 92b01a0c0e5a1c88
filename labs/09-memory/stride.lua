-- One warp of eight threads. Arguments: stride in words (1), space: global or shared (global).
gpu.sizes { reason = "one warp of eight threads, which can be followed by hand" }
local stride = gpu.argument(1, 1, { from = 0, to = 32 })
local space = gpu.argument(2, "global", { one_of = { "global", "shared" } })
local given, out = gpu.buffer("u32", 256, function(i) return i end), gpu.buffer("u32", 8)
gpu.launch { kernel = "stride", grid = 1, block = 8, args = { given, out, stride, space == "shared" and 1 or 0 } }
for tid = 0, 7 do gpu.check(out:get(tid) == tid * stride, "thread %d: %d, not %d", tid, out:get(tid), tid * stride) end
