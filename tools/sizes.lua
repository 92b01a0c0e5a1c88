-- The collection at a size. Arguments: source tree, output directory, machine, size, modules (none: all). Run by tools/sizes.
local top, out, machine, size = table.unpack(arg, 1, 4)
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
tool.program = "tools/sizes"
local functional, listed = os.getenv("FUNCTIONAL"), os.getenv("LISTED")
local EMPTY <const>, MOST <const> = 0.8, 0.1 -- a machine is mostly empty from here on; what share of the workloads may leave it so

local function exists(path)
	local f = io.open(path)
	return f and f:close()
end

-- The workload of a module: its own, or the one of its folder.
local function workload(module)
	local own = ("%s/kernels/%s.lua"):format(top, module:gsub("%.%w+$", ""))
	if exists(own) then return own end
	return tool.capture(("ls %s/kernels/%s/*.lua 2>/dev/null"):format(tool.quote(top), module:match("^[^/]+")), 2):match("[^\n]+")
end

local function modules()
	local list = { table.unpack(arg, 5) }
	for _, module in ipairs(list) do
		if not exists(("%s/kernels/%s"):format(top, module)) then
			io.stderr:write(("tools/sizes: there is no module kernels/%s\n"):format(module))
			os.exit(2)
		end
	end
	if #list > 0 then return list end
	for path in tool.capture(("cd %s/kernels && ls */*.ir */*.ptx"):format(tool.quote(top))):gmatch("[^\n]+") do
		if path:match("^[^/]+") ~= "oracles" then list[#list + 1] = path end -- those have no workloads
	end
	return list
end

local function place(module, ending) return ("%s/%s.%s"):format(out, module:gsub("[/.]", "_"), ending) end

local function command(module)
	local options = ("-c %s --source kernels -w %s"):format(tool.quote(machine), tool.quote(workload(module)))
	local run = listed and ("gsim --list sizes %s"):format(options) or ("gsim -q -j 1 --alone --sums%s --size %s%s %s -s %s"):format(
		functional and " --functional" or "", size, size == "M" and not functional and " -D sm.count=1" or "", options, tool.quote(place(module, "json")))
	return ("cd %s && rm -f %s && begun=$(date +%%s); %s kernels/%s >%s 2>&1; echo $? $(($(date +%%s) - begun)) >%s"):format(tool.quote(top),
		tool.quote(place(module, "json")), run, tool.quote(module), tool.quote(place(module, "out")), tool.quote(place(module, "status")))
end

local function measured(module)
	local status, seconds = tool.read(place(module, "status")):match("(%d+) (%d+)")
	local row = { module = module, verified = status == "0", seconds = tonumber(seconds), message = tool.read(place(module, "out")):match("[^\n]*") }
	if not exists(place(module, "json")) then return row end
	local report = json.read(place(module, "json"))
	local issue = report.total.issue
	row.arguments, row.reason, row.threads = table.concat(report.arguments, " "), report.size.reason, report.size.threads
	if issue and issue.stalls and (issue.slots or 0) > 0 then row.empty = issue.stalls.no_warp / issue.slots end
	return row
end

local function quoted(text) return text:find '[,"]' and '"' .. text:gsub('"', '""') .. '"' or text end

-- Shows the rows as a table, which is also written as CSV.
local function show(rows)
	local csv = { "module,size,machine,arguments,threads,empty,seconds,verified,reason" }
	print(("%-40s %-24s %9s %8s %5s %s"):format("module", "arguments", "threads", "empty", "s", ""))
	for _, r in ipairs(rows) do
		print(((("%-40s %-24s %9s %8s %5d %s"):format(r.module, r.arguments or "-", r.threads or "-", r.empty and tool.percent(r.empty) or "-",
			r.seconds, not r.verified and "WRONG: " .. r.message or r.reason or "")):gsub("%s+$", "")))
		csv[#csv + 1] = ("%s,%s,%s,%s,%s,%s,%d,%s,%s"):format(r.module, size, machine, quoted(r.arguments or ""), r.threads or "",
			r.empty and ("%.4f"):format(r.empty) or "", r.seconds, r.verified and "yes" or "no", quoted(r.reason or ""))
	end
	tool.write(out .. "/sizes.csv", table.concat(csv, "\n") .. "\n")
end

local function judge(rows)
	local wrong, empty, with_reason, names = 0, 0, 0, {}
	for _, r in ipairs(rows) do
		wrong = wrong + (r.verified and 0 or 1)
		if r.empty and r.empty > EMPTY then
			empty = empty + 1
			if r.reason then with_reason = with_reason + 1 else names[#names + 1] = r.module end
		end
	end
	print(("\n%d of %d have right results; %d leave more than %.0f %% of the scheduler-cycles without a warp, %d of them for a reason that they state"):format(
		#rows - wrong, #rows, empty, 100 * EMPTY, with_reason))
	if #names > 0 then print("without a reason: " .. table.concat(names, ", ")) end
	return wrong == 0 and #names <= MOST * #rows
end

local list, commands = modules(), {}
for k, module in ipairs(list) do commands[k] = command(module) end
tool.all(commands)
if listed then
	local ok = true
	for _, module in ipairs(list) do
		ok = ok and tool.read(place(module, "status")):match("^0 ") ~= nil
		print(module .. "\n" .. tool.read(place(module, "out")):gsub("[^\n]+", "\t%0"))
	end
	os.exit(ok and 0 or 1)
end
local rows = {}
for k, module in ipairs(list) do rows[k] = measured(module) end
show(rows)
os.exit(judge(rows) and 0 or 1)
