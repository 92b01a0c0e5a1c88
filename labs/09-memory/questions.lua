local lab = ...
local stride, chase = "labs/09-memory/stride.ir", "labs/09-memory/chase.ir"
local wide = "--config teaching.lua -D warp_size=8 "
local slow = "--config teaching.lua -D dram.latency=50 -D l2.latency=40 "

local function sectors(words) return lab.run(wide, ("%s -- %d"):format(stride, words)).total.memory.transactions end
local function conflicts(words)
	return lab.run(wide .. "-D shared.banks=8", ("%s -- %d shared"):format(stride, words)).total.memory.shared_conflicts
end
lab.number("sectors", "stride.ir, global memory, stride 2: how many sectors does the report count, the store's included?", sectors(2))
local apart = 1
while sectors(apart) < sectors(32) do apart = apart + 1 end
lab.number("apart", "What is the smallest stride with which each lane needs a sector of its own?", apart)
lab.number("conflicts", "Shared memory, 8 banks, stride 4: how many cycles do bank conflicts cost?", conflicts(4))
lab.number("odd", "And with stride 3?", conflicts(3))
lab.number("pad", "How many cycles of conflicts does stride 9 save against stride 8?", conflicts(8) - conflicts(9))

local function warps(n) return lab.run(slow, ("%s -- %d"):format(chase, n)).total end
lab.number("sixteen", "chase.ir with dram.latency=50, l2.latency=40: how many cycles do 16 warps take?", warps(16).cycles)
local half
for _, n in ipairs { 1, 2, 4, 8, 16 } do
	local issued = warps(n).warp_instructions / warps(n).cycles
	if not half and issued > 0.5 then half = n end
end
lab.number("half", "What is the smallest number of warps (1, 2, 4, 8 or 16) with more than half an instruction per cycle?", half)

local slowest, most
for _, policy in ipairs { "lrr", "gto", "two_level", "oldest" } do
	local cycles = lab.run(("--config teaching.lua -D l2.latency=10 -D scheduler.policy=%s"):format(policy), chase .. " -- 4").total.cycles
	if not most or cycles > most then slowest, most = policy, cycles end
end
lab.word("policy", "With l2.latency=10 and four warps: which policy takes most cycles?", slowest, { "lrr", "gto", "two_level", "oldest" })
lab.number("cached", "One warp, dram.latency=50, l2.latency=40: how many cycles does the cache save?",
	warps(1).cycles - lab.run(slow .. "-D l1.global=true -D l1.bytes=1024", chase .. " -- 1").total.cycles)
