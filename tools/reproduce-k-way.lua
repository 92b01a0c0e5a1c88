-- The cost of k ways: T(k) = s k and 32 / k lanes an instruction ("Characterizing Warp Divergence from Pascal
-- to Blackwell", arXiv 2607.23402), on kernels/k_way for k = 1 to 32. Stacks are without a bound, but for the
-- token stack also as it is. Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local plot, tool = dofile(top .. "/tools/plot.lua"), dofile(top .. "/tools/experiment.lua")

local SERIES = {
	{ machine = "kepler", model = "ipdom", options = "-D divergence.depth=0" },
	{ machine = "kepler", model = "tf_stack", options = "-D divergence.depth=0" },
	{ machine = "kepler", model = "token", options = "-D divergence.depth=0" },
	{ machine = "kepler", model = "token", options = "", name = "token, 16 entries" },
	{ machine = "volta", model = "its", options = "" },
}
local ROUNDS, MOST = 16, 32
local SHOWN = { 1, 2, 4, 8, 16, 32 }

-- Mechanisms that this build has.
local function available()
	local has, list = {}, {}
	for _, m in ipairs(tool.mechanisms()) do has[m] = true end
	for _, s in ipairs(SERIES) do
		if has[s.model] then list[#list + 1] = s end
	end
	return list
end

local function sweep(s)
	s.name = s.name or s.model
	s.cycles, s.lanes = {}, {}
	for k = 1, MOST do
		tool.progress(("%s, k = %d"):format(s.name, k))
		-- the ways stand where the source has them, so that all end with the same jump
		local text = tool.capture(("gsim -D code.layout=source -c %s.lua -m %s %s %s -- %d %d"):format(s.machine, s.model, s.options,
			tool.quote(top .. "/kernels/k_way/k_way.ir"), k, ROUNDS))
		local cycles, lanes = text:match("cycles (%d+) lanes ([%d.]+)")
		s.cycles[k], s.lanes[k] = tonumber(cycles), tonumber(lanes)
	end
end

-- The straight line through the first and the last point, and how far a point is from it, in parts of its
-- slope.
local function line(s)
	local slope = (s.cycles[MOST] - s.cycles[1]) / (MOST - 1)
	local worst = 0
	for k = 1, MOST do worst = math.max(worst, math.abs(s.cycles[k] - s.cycles[1] - slope * (k - 1))) end
	return slope, worst / slope
end

local function points(list, f)
	local t = {}
	for k = 1, MOST do t[k] = { k, f and f(k) or list[k] } end
	return t
end

local series = available()
local cycles, lanes, wrong = {}, {}, 0
local csv = { "machine,model,depth,k,cycles,lanes" }
print(("cycles T(k) of %d multiplications in each of k ways, k = 1 to %d; in a second turn, which finds its code in the cache"):format(ROUNDS, MOST))
local head = { ("%-24s"):format("k =") }
for _, k in ipairs(SHOWN) do head[#head + 1] = ("%6d"):format(k) end
print(table.concat(head) .. "   a way  farthest from linear  32 / k lanes")
for _, s in ipairs(series) do
	sweep(s)
	local slope, worst = line(s)
	local together = true
	for k = 1, MOST do
		together = together and math.abs(s.lanes[k] * k - 32) < 0.001
		csv[#csv + 1] = ("%s,%s,%s,%d,%d,%g"):format(s.machine, s.model, s.options == "" and "bounded" or "unbounded", k, s.cycles[k], s.lanes[k])
	end
	tool.progress("")
	local row = { ("%-24s"):format(s.name .. ", " .. s.machine) }
	for _, k in ipairs(SHOWN) do row[#row + 1] = ("%6d"):format(s.cycles[k]) end
	print(("%s  %6.2f  %15.2f ways  %s"):format(table.concat(row), slope, worst, together and "yes" or "no"))
	if worst >= 1 or not together then wrong = wrong + 1 end
	cycles[#cycles + 1] = { name = ("%s (%s)"):format(s.name, s.machine), points = points(s.cycles), style = "both" }
	lanes[#lanes + 1] = { name = s.name, points = points(s.lanes), style = "points" }
end
lanes[#lanes + 1] = { name = "32 / k", points = points(nil, function(k) return 32 / k end), style = "line" }
tool.write(out .. "/k-way.csv", table.concat(csv, "\n") .. "\n")
plot.write(out .. "/k-way-cycles.svg", { title = "k ways of equal length: cycles", x = "k, ways that the lanes of a warp take", y = "cycles", series = cycles })
plot.write(out .. "/k-way-lanes.svg", { title = "k ways of equal length: lanes of an instruction", x = "k, ways that the lanes of a warp take",
	y = "lanes", series = lanes })
print(("CSV and plots are in %s"):format(out))
os.exit(wrong == 0 and 0 or 1)
