local lab = ...
local sides, loads = "labs/07-regrouping/sides.ir", "labs/07-regrouping/loads.ir"
local teaching = "--config teaching.lua "
local function wide(size) return lab.run(teaching .. ("-D sm.max_threads_per_block=16 -D warp_size=%d"):format(size), sides .. " -- 0 2") end
local function under(mechanism, flip) return lab.run(teaching .. "-m " .. mechanism, sides .. " -- " .. flip) end

local least
for _, size in ipairs { 2, 4, 8, 16 } do
	if not least and wide(size).branches.A.divergent > 0 then least = size end
end
lab.number("least", "flip 0, shift 2: what is the smallest warp size (2, 4, 8 or 16) with which the branch is divergent?", least)
lab.number("cycles16", "flip 0, shift 2: how many cycles does it take with warps of 16 lanes?", wide(16).total.cycles)

local function both(run) return run.fetches.B + run.fetches.C end
lab.number("ipdom", "flip 1: how often are B and C fetched under ipdom, together?", both(under("ipdom", 1)))
lab.number("tbc", "flip 1: and under tbc?", both(under("tbc", 1)))
local stack, formed, more = under("ipdom", 0), under("dwf", 0), nil
for block, n in pairs(formed.fetches) do
	if n > stack.fetches[block] then more = block end
end
lab.block("more", "flip 0: which block does dwf fetch more often than ipdom?", more)
lab.number("conflicts", "flip 0 under tbc: how many cycles more does it take than under ipdom?",
	under("tbc", 0).total.cycles - stack.total.cycles)
local gain = { sbi = stack.total.cycles - under("sbi", 0).total.cycles, swi = stack.total.cycles - under("swi", 0).total.cycles }
lab.word("pairs", "flip 0: which of the two is faster?", gain.sbi > gain.swi and "sbi" or "swi", { "sbi", "swi" })

local function latency(cycles, mechanism) return lab.run(("%s -D dram.latency=%d -m %s"):format(teaching, cycles, mechanism), loads).total.cycles end
lab.number("saved", "loads.ir, dram.latency=50: how many cycles does dws save against ipdom?", latency(50, "ipdom") - latency(50, "dws"))
lab.number("saved0", "loads.ir, dram.latency=0: and there?", latency(0, "ipdom") - latency(0, "dws"))
