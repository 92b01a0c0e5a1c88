-- Arguments: source tree, file of answers. The right answers come from runs of the simulator made here.
local top, answers = arg[1], arg[2]
local json = dofile(top .. "/tools/json.lua")
local scratch = os.tmpname()
local trace, report = scratch .. ".trace", scratch .. ".json"

local function command(line)
	if not os.execute(line) then
		io.stderr:write("labs/01-divergence/check: failed: ", line, "\n")
		os.exit(2)
	end
end

local function lines_of(form)
	local pipe = assert(io.popen(("gsim-trace %s --warp 0 '%s'"):format(form, trace)))
	local text = pipe:read("a")
	assert(pipe:close(), "gsim-trace failed")
	return text:gmatch("[^\n]+")
end

-- Runs figure 1: its report, and what warp 0's trace says: fetches of each block and of all, the greatest depth, the lanes
-- and the cycle of each block's first issue.
local function run(options)
	command(("gsim -q --config teaching.lua %s -s '%s' -t '%s' '%s/kernels/short_circuit/short_circuit.ir'"):format(
		options, report, trace, top))
	local warp = { fetches = {}, all = 0, lanes = {}, cycle = {} }
	for line in lines_of("--summary") do
		warp.depth = warp.depth or tonumber(line:match("max_depth%s+(%d+)"))
		local block, n = line:match("block short_circuit (B%d): fetches (%d+)")
		if block then
			warp.fetches[block] = tonumber(n)
			warp.all = warp.all + warp.fetches[block]
		end
	end
	for line in lines_of("--text --events issue") do
		local cycle, lanes, block = line:match("^%s*(%d+).- issue%s+([1.]+)%s+%d+ ([%w_.$]+):")
		if block and not warp.lanes[block] then warp.lanes[block], warp.cycle[block] = lanes, tonumber(cycle) end
	end
	return json.read(report), warp
end

local before, ipdom = run("-m ipdom")
local _, tf = run("-m tf_stack")
local after, linear = run("-m ipdom -p linearize")
local saved, tf_block = 0, nil
for block, n in pairs(ipdom.fetches) do
	if n - tf.fetches[block] > saved then saved, tf_block = n - tf.fetches[block], block end
end
os.remove(trace)
os.remove(report)
os.remove(scratch)

local function percent(r) return ("%.1f"):format(100 * r.total.simd_utilization) end
local right = {
	fetches = ipdom.all, b5 = ipdom.fetches.B5, b5_lanes = ipdom.lanes.B5, depth = ipdom.depth, together = ipdom.cycle.B6,
	tf_fetches = tf.all, tf_block = tf_block, linear_b5 = linear.fetches.B5,
	inserted = after.total.inserted.warp_instructions, before = percent(before), after = percent(after),
}

local given, order = {}, {}
for line in io.lines(answers) do
	local name, value = line:match("^%s*([%w_]+)%s*=%s*(.-)%s*$")
	if name then
		given[name] = value
		order[#order + 1] = name
	end
end
local wrong = 0
for name in pairs(right) do
	if given[name] == nil then order[#order + 1], given[name] = name, "" end
end
for k, name in ipairs(order) do
	local verdict = given[name] == "" and "no answer yet" or given[name]:gsub("%s*%%$", "") == tostring(right[name]) and "right" or
		right[name] == nil and "no such question" or "not right: look again"
	if verdict ~= "right" then wrong = wrong + 1 end
	print(("%2d. %-12s %-10s %s"):format(k, name, given[name], verdict))
end
os.exit(wrong == 0)
