local lab = ...
local dir = "labs/01-if-and-loop/"
local branch = lab.traced("--config teaching.lua", dir .. "if.ir")

lab.number("warp", "if.ir, one lane through THEN: how many instructions does the warp issue?", branch.total.warp_instructions)
lab.number("threads", "The same run: how many thread instructions?", branch.total.thread_instructions)
lab.number("utilisation", "The same run: its SIMD utilisation in percent?", branch.utilization, 1)
lab.lanes("else_lanes", "The same run: which lanes run ELSE?", branch.warp.lanes.ELSE)

local worst, lowest
for limit = 0, 4 do
	local run = lab.run("--config teaching.lua", dir .. "if.ir -- " .. limit)
	if not lowest or run.utilization < lowest then worst, lowest = limit, run.utilization end
end
lab.number("worst", "How many lanes through THEN (0 to 4) make the utilisation lowest?", worst)

local loop = lab.traced("--config teaching.lua", dir .. "loop.ir")
lab.number("body", "loop.ir with turns 1 2 3 6: how often does the warp fetch BODY?", loop.fetches.BODY)
lab.lanes("third", "Which lanes are active in the third fetch of BODY?", loop.warp.visits.BODY[3])
lab.number("parted", "How many times is the branch at the end of HEAD divergent?", loop.branches.HEAD.divergent)
lab.number("depth", "How many entries does the stack have at its deepest?", loop.warp.depth)
lab.block("point", "At which block do the lanes meet that part at HEAD?", loop.warp.meetings[1])

local bad = lab.run("--config teaching.lua", dir .. "loop.ir -- 0 0 0 12")
lab.number("bad", "The turns are 0 0 0 12. What is the SIMD utilisation in percent?", bad.utilization, 1)
