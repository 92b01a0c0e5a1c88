-- The branch that a report ranks first is the one whose change pays most. In each of three kernels every
-- branch decides by keys of its own. Sorting the keys of one makes threads of a warp decide alike there, so
-- it shows what that branch's divergence has cost. check_pays.lua TOP
local top = arg[1]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
local file = os.tmpname()
local failed = 0

local function fail(what, ...)
	failed = failed + 1
	print("FAILED: " .. what:format(...))
end

-- Which list of keys the branch at the end of a block decides by.
local KERNELS = { ifs = { BEGIN = 0, RARE = 1, BOTH = 2 }, loops = { FIRST = 0, NEXT = 1, SECOND = 2 }, ways = { BEGIN = 0, TURN = 1, LAST = 2 } }
local MACHINES = { "-c volta.lua", "-c kepler.lua", "-c volta.lua -m ipdom" }

local function total(machine, kernel, sorted)
	tool.capture(("cd %s && gsim -q %s -D sm.count=1 -D launch.warm=true -s %s -w tests/sim/record/pays/keys.lua tests/sim/record/pays/%s.ir -- %s"):format(
		tool.quote(top), machine, file, kernel, sorted or ""))
	return json.read(file).total
end

-- Labels of branches, the one that has lost most lane-slots first.
local function ranked(t)
	local list = {}
	for _, b in ipairs(t.branches) do list[#list + 1] = b end
	table.sort(list, function(a, b) return a.lost > b.lost end)
	return list
end

for _, machine in ipairs(MACHINES) do
	for kernel, list_of in pairs(KERNELS) do
		local base = total(machine, kernel)
		local first, best, most = ranked(base)[1], nil, 0
		for label, list in pairs(list_of) do
			local t = total(machine, kernel, list)
			local saved = base.cycles - t.cycles
			print(("%s, %s: keys of %s sorted: %d of %d cycles less, %d of %d instructions"):format(machine, kernel, label, saved, base.cycles,
				base.warp_instructions - t.warp_instructions, base.warp_instructions))
			if saved > most then best, most = label, saved end
			-- every warp is full, and all its threads end together: a slot is used or lost. Where
			-- branches stand inside others the threads' own work changes a little.
			local slots, used, lost = 32 * (base.warp_instructions - t.warp_instructions), base.thread_instructions - t.thread_instructions, base.lanes.parted - t.lanes.parted
			if slots ~= used + lost then fail("%s, %s: %d slots less, of them %d used and %d lost", machine, kernel, slots, used, lost) end
		end
		if first.label ~= best then fail("%s, %s: %s is ranked first, the change of %s pays most", machine, kernel, first.label, best) end
	end
end
os.remove(file)
os.exit(failed == 0)
