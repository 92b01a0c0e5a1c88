-- How often blocks are fetched again: kernels/continue_loop with k turns of 2^k lanes, k = 1 to 5, under
-- every mechanism. Meeting at immediate post-dominators takes 3 (2^k - 1) + 2^(k+1) fetches, thread frontiers
-- 4 k + 2, one for each block and turn. Splits run in turn, each to the end of its block. Arguments: source
-- tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local plot, tool = dofile(top .. "/tools/plot.lua"), dofile(top .. "/tools/experiment.lua")

local MOST = 5
local function again(k) return 3 * (2 ^ k - 1) + 2 ^ (k + 1) end
local function once(k) return 4 * k + 2 end
local FORMS = { ipdom = again, tf_stack = once }

local function fetches(model, k)
	tool.progress(("%s, k = %d"):format(model, k))
	local text = tool.capture(("gsim --functional -D functional.schedule=block -m %s %s -- %d 2>&1"):format(model,
		tool.quote(top .. "/kernels/continue_loop/continue_loop.ir"), k), 2)
	return tonumber(text:match("fetches (%d+)"))
end

-- Mechanisms with the same figures are one line: { names, figures }, in the order of the list.
local lines, csv, wrong = {}, { "model,k,fetches" }, 0
for _, model in ipairs(tool.mechanisms()) do
	local list = {}
	for k = 1, MOST do
		list[k] = fetches(model, k)
		csv[#csv + 1] = ("%s,%d,%s"):format(model, k, list[k] or "")
		if FORMS[model] and list[k] ~= FORMS[model](k) then
			print(("%s, k = %d: %s fetches, not %d"):format(model, k, list[k], FORMS[model](k)))
			wrong = wrong + 1
		end
	end
	local key = #list == MOST and table.concat(list, "  ") or "refused"
	local line
	for _, l in ipairs(lines) do line = l.key == key and l or line end
	if not line then
		line = { key = key, names = {}, figures = list }
		lines[#lines + 1] = line
	end
	line.names[#line.names + 1] = model
end
tool.progress("")

print(("fetches of blocks for k = 1 to %d:"):format(MOST))
local series = {}
for _, l in ipairs(lines) do
	print(("  %-28s %s"):format(l.key, table.concat(l.names, " ")))
	local points = {}
	for k, f in ipairs(l.figures) do points[k] = { k, f } end
	-- where every lane has splits of its own, fetches are no warp's
	if #points == MOST and l.names[1] ~= "mimd" then
		series[#series + 1] = { name = table.concat(l.names, ", "), points = points, style = "both" }
	end
end
tool.write(out .. "/refetch.csv", table.concat(csv, "\n") .. "\n")
plot.write(out .. "/refetch.svg", { title = "A loop with continue and break: fetches of blocks", x = "k, turns (of 2^k lanes)", y = "fetches",
	series = series })
print(("CSV and plot are in %s"):format(out))
os.exit(wrong == 0 and 0 or 1)
