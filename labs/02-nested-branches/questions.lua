local lab = ...
local nest = "labs/02-nested-branches/nest.ir"
local eight = "--config teaching.lua -D warp_size=8 "

local taken = lab.traced(eight, nest)
lab.number("depth", "How many entries does the stack have at its deepest?", taken.warp.depth)
lab.lanes("t3_lanes", "Which lanes run T3?", taken.warp.lanes.T3)
local stack = lab.output("gsim-trace --stack 8 " .. lab.trace)
lab.lanes("waits", "At the end of cycle 8: which lanes has the reconvergence entry that waits at J3?",
	stack:match("\n%s+%d+%s+([1.]+)%s+reconvergence %d+ J3"))
lab.path("meetings", "At which blocks does the mechanism make groups one, in the order in which the lanes go on there together?",
	(function()
		local order, seen = {}, {}
		for _, block in ipairs(taken.warp.meetings) do
			if not seen[block] then order[#order + 1], seen[block] = block, true end
		end
		return order
	end)())

local smaller = lab.traced(eight .. "-m 'ipdom(push_order=smaller_top)'", nest)
lab.number("smaller_depth", "With push_order=smaller_top: how many entries has the stack at its deepest?", smaller.warp.depth)
lab.number("smaller_t4", "With push_order=smaller_top: how many entries are there while T4 runs?", (function()
	for _, issue in ipairs(smaller.warp.issues) do if issue.block == "T4" then return issue.depth end end
end)())

local function spilled(depth, chunk)
	return lab.run(("%s -D divergence.depth=%d -D divergence.chunk=%d"):format(eight, depth, chunk), nest).total
end
lab.number("spills_2_1", "With divergence.depth=2 and divergence.chunk=1: how many spills?", spilled(2, 1).divergence.spills)
lab.number("spills_5_4", "With divergence.depth=5 and divergence.chunk=4: how many spills?", spilled(5, 4).divergence.spills)
lab.number("cycles_2_1", "How many cycles more does the run with depth=2 and chunk=1 take than the one without a bound?",
	spilled(2, 1).cycles - taken.total.cycles)
local least = 1
while lab.run(("%s -m 'ipdom(push_order=smaller_top)' -D divergence.depth=%d"):format(eight, least), nest).total.divergence.spills > 0 do
	least = least + 1
end
lab.number("least", "With push_order=smaller_top: what is the smallest divergence.depth without spills?", least)
