local lab = ...
local dir, teaching = "labs/05-uniformity/", "--config teaching.lua "
local branches, temporal = dir .. "branches.ir", dir .. "temporal.ir"

-- The blocks whose branches the analysis calls divergent, in order, and whether it calls that of a block so.
local function verdicts(module)
	local list, is = {}, {}
	for block, verdict in lab.output("gsim-opt --print uniformity " .. module):gmatch("\n%s+([%w_]+): (%l+)") do
		is[block] = verdict
		if verdict == "divergent" then list[#list + 1] = block end
	end
	return list, is
end
local function parted(run)
	local n, which = 0, nil
	for label, branch in pairs(run.branches) do if branch.divergent > 0 then n, which = n + 1, label end end
	return n, which
end

local static = verdicts(branches)
lab.number("static", "branches.ir: how many branches does the analysis call divergent?", #static)
lab.number("measured", "With n = 8 and warps of four lanes: at how many of them do lanes part?", (parted(lab.run(teaching, branches))))
local seven = lab.traced(teaching, branches .. " -- 7")
lab.lanes("stay", "With n = 7: which lanes of warp 0 stay in the loop when the others leave it?",
	seven.warp.visits.BODY[#seven.warp.visits.BODY])
lab.number("seven", "With n = 7: how often do lanes part at HEAD, in all warps together?", seven.branches.HEAD.divergent)
local wide = lab.run(teaching .. "-D warp_size=8 ", branches)
lab.number("wide", "With n = 8 and -D warp_size=8: at how many branches do lanes part?", (parted(wide)))

local _, verdict = verdicts(temporal)
local choices = { "uniform", "divergent" }
lab.word("inside", "temporal.ir: what does the analysis say about INSIDE?", verdict.INSIDE, choices)
lab.word("behind", "And about BEHIND?", verdict.BEHIND, choices)
local run = lab.traced(teaching, temporal)
lab.lanes("last", "Which lanes run LAST?", run.warp.lanes.LAST)

local _, bssy = lab.output("gsim --config teaching.lua -m its --disassemble " .. branches):gsub("bssy", "")
lab.number("bssy", "branches.ir under its: how many bssy does lowering insert?", bssy)
lab.number("overhead", "branches.ir with n = 8 under its: how many warp instructions are overhead?",
	lab.run(teaching .. "-m its", branches).total.overhead.warp_instructions)
