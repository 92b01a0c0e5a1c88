-- Linearization against hardware: every mechanism with and without the pass of Anantpur and Govindarajan,
-- "Taming control divergence in GPUs through control flow linearization" (CC 2014), on its figure 1, on the
-- loop d3 of the oracles and on a loop with three exits to shared blocks; on kepler.lua, a machine of that
-- paper's time, on warm caches (of one warp up to half of the cycles would be first misses). The token
-- stack's costs are calibrated on it; what other mechanisms' structures cost are their defaults, mostly 0.
-- Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool = dofile(top .. "/tools/experiment.lua")

local KERNELS = { "short_circuit/short_circuit", "oracles/d3", "loop_exits/loop_exits" }

-- The grid of a kernel: its text, the CSV's rows, the picture.
local function grid(path)
	local base = out .. "/" .. path:match("[^/]+$")
	tool.progress(path)
	-- relative names, so that the files do not depend on where the source tree is
	local text = tool.capture(("cd %s && gsim --grid -c kepler.lua -D launch.warm=true -p none -p linearize -s %s -s %s kernels/%s.ir"):format(tool.quote(top),
		tool.quote(base .. ".csv"), tool.quote(base .. ".svg"), path), 1)
	return { name = path:match("[^/]+$"), text = text, rows = tool.rows(base .. ".csv"), svg = tool.read(base .. ".svg"),
		csv = tool.read(base .. ".csv") }
end

-- Pictures below one another.
local function stack(pictures)
	local parts, y, wide = {}, 0, 0
	for _, svg in ipairs(pictures) do
		local width, height = svg:match('^<svg [^>]-width="(%d+)" height="(%d+)"')
		parts[#parts + 1] = svg:gsub("^<svg ", ('<svg y="%d" '):format(y), 1)
		y = y + tonumber(height)
		wide = math.max(wide, tonumber(width))
	end
	return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">\n%s</svg>\n'):format(wide, y, wide, y,
		table.concat(parts))
end

local function write(grids)
	local text, csv, svg = {}, {}, {}
	for k, g in ipairs(grids) do
		text[k], svg[k] = g.text, g.svg
		csv[k] = k == 1 and g.csv or g.csv:gsub("^[^\n]*\n", "")
	end
	tool.write(out .. "/mechanisms.txt", table.concat(text, "\n"))
	tool.write(out .. "/mechanisms.csv", table.concat(csv))
	tool.write(out .. "/mechanisms.svg", stack(svg))
end

local function cell(row)
	if row.completed ~= "1" then return row.status == "bad_input" and "refused" or row.status end
	return row.simd_utilization == "" and row.cycles .. "       -" or ("%s %7s"):format(row.cycles, tool.percent(row.simd_utilization))
end

-- A line for each mechanism: cycles and utilisation, as it is and linearized.
local function show(grids)
	print("cycles and SIMD utilisation on kepler.lua, on warm caches (launch.warm)")
	local head, under = { ("%-12s"):format("") }, { ("%-12s"):format("mechanism") }
	for _, g in ipairs(grids) do
		head[#head + 1] = ("  %-27s"):format(g.name)
		under[#under + 1] = ("  %13s %13s"):format("cycles SIMD", "linearized")
	end
	print((table.concat(head):gsub(" +$", "")))
	print(table.concat(under))
	for k = 1, #grids[1].rows, 2 do
		local line = { ("%-12s"):format(grids[1].rows[k].model) }
		for _, g in ipairs(grids) do line[#line + 1] = ("  %13s %13s"):format(cell(g.rows[k]), cell(g.rows[k + 1])) end
		print(table.concat(line))
	end
end

-- What must hold whatever the costs are: linearized code has one way through, which every stack fetches
-- alike; and no mechanism but those that the table marks fails.
local function check(grids)
	local wrong, percent = 0, {}
	for _, g in ipairs(grids) do
		local fetches, cycles = {}, {}
		for _, r in ipairs(g.rows) do
			local name = r.model .. (r.passes ~= "" and " linearized" or "")
			fetches[name], cycles[name] = tonumber(r.fetches), tonumber(r.cycles)
			if r.status ~= "ok" and r.status ~= "bad_input" then
				print(("%s under %s, passes %s: %s"):format(g.name, r.model, r.passes, r.error))
				wrong = wrong + 1
			end
		end
		local want = fetches["ipdom linearized"]
		percent[#percent + 1] = ("%.0f"):format(100 * (1 - cycles["ipdom linearized"] / cycles.ipdom))
		print(("%-14s fetches: %d under ipdom, %d linearized, %d under thread frontiers"):format(g.name, fetches.ipdom, want, fetches.tf_stack))
		if fetches["token linearized"] ~= want or fetches["tf_stack linearized"] ~= want or fetches.tf_stack > want or want >= fetches.ipdom then
			print(g.name .. ": expected the same fetches of linearized code under ipdom, token and tf_stack, more of ipdom without")
			wrong = wrong + 1
		end
	end
	print(("linearized under ipdom: %s %% fewer cycles"):format(table.concat(percent, ", ")))
	return wrong
end

local grids = {}
for k, path in ipairs(KERNELS) do grids[k] = grid(path) end
tool.progress("")
write(grids)
show(grids)
print()
local wrong = check(grids)
print(("The whole tables and pictures are in %s"):format(out))
os.exit(wrong == 0 and 0 or 1)
