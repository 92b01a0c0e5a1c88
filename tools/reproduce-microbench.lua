-- What single operations, branches, barriers and accesses take on every machine file, beside what has been published
-- (doc/measured/published.csv) or measured (other files of the same columns there). Arguments: source tree, output directory. Run by
-- tools/reproduce. QUICK=1: two machines, without what takes long; QUICK=2: a few rows of one. UPDATE=1: writes the tables of
-- doc/validity.md, too.
local top, out = arg[1], arg[2]
local tool, plot = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/plot.lua")
local bench = dofile(top .. "/tools/microbench.lua")
local reasons = dofile(top .. "/tools/microbench/reasons.lua")
local quick = tonumber(os.getenv("QUICK") or 0)

-- ---- what is published ----

local published, machines, seen = {}, {}, {}
local function wanted(machine) return quick == 0 or machine == "kepler" or machine == "volta" and quick == 1 end
local function publish(p)
	if not wanted(p.machine) then return end
	local key = p.machine .. " " .. p.figure
	if not seen[p.machine] and io.open(("%s/configs/%s.lua"):format(top, p.machine)) then machines[#machines + 1] = p.machine end
	seen[p.machine] = true
	published[key] = published[key] or {}
	table.insert(published[key], p)
end

local function names_of(pattern)
	local list = {}
	for path in tool.capture(("ls %s/%s"):format(tool.quote(top), pattern)):gmatch("[^\n]+") do list[#list + 1] = path end
	return list
end

for _, path in ipairs(names_of("doc/measured/*.csv")) do
	for _, p in ipairs(tool.rows(path)) do
		if p.machine and p.figure and p.seen then publish(p) end
	end
end

-- The guide's rates, of the compute capability that a machine file names.
local guide, rates = dofile(top .. "/tools/microbench/guide.lua"), dofile(top .. "/configs/tables/rates.lua")
for _, path in ipairs(names_of("configs/*.lua")) do
	local machine, capability = path:match("([^/]+)%.lua$"), guide.capability(tool.read(path))
	for figure, row in pairs(capability and guide.row_of or {}) do
		local rate = rates.of(capability, row)
		if rate then publish { machine = machine, chip = capability, figure = figure, value = tostring(rate), seen = "S", source = guide.source } end
	end
end

-- ---- runs ----

tool.write(out .. "/microbench.ptx", bench.module)
tool.write(out .. "/microbench.lua", bench.workload)
local commands = {}
for k, machine in ipairs(machines) do
	local words = { quick == 2 and "predicate/to" or "", quick > 0 and "quick" or "" }
	local model = tool.capture(("gsim -c %s.lua --print-config"):format(machine)):match('model = "(%w+)"')
	if model ~= "its" then words[#words + 1] = "stacks" end
	commands[k] = ("gsim -q -j 1 -c %s.lua %s -- %s >%s"):format(machine, tool.quote(out .. "/microbench.ptx"), table.concat(words, " "),
		tool.quote(("%s/%s.rows"):format(out, machine)))
end
tool.progress(("%d machines"):format(#machines))
tool.all(commands)
tool.progress("")

-- ---- comparison ----

local csv = { "machine,figure,unit,gsim,chip,published,seen,source" }
local near, all, value, guided, exact = { P = 0, S = 0 }, { P = 0, S = 0 }, {}, 0, 0
local beside = {} -- rates that are a little off the guide's
local lines, missed = {}, {} -- of the table; by reason: the rows that it explains

local function number(v) return ("%.4g"):format(v) end

-- Within 10 %, or within a cycle where the figure is one of cycles.
local function is_near(unit, ours, p)
	local theirs = tonumber(p.value)
	return math.abs(ours - theirs) <= (unit == "cycles" and math.max(0.1 * theirs, 1) or 0.1 * theirs)
end

local function compare(machine, figure, unit, ours, p)
	local theirs, good = tonumber(p.value), is_near(unit, ours, p)
	if p.source == guide.source then
		guided, exact = guided + 1, exact + (math.abs(ours / theirs - 1) <= 0.01 and 1 or 0)
		if good and math.abs(ours / theirs - 1) > 0.002 then beside[#beside + 1] = ("%s %s %.4g for %.4g"):format(machine, figure, ours, theirs) end
	end
	all[p.seen], near[p.seen] = all[p.seen] + 1, near[p.seen] + (good and 1 or 0)
	csv[#csv + 1] = ("%s,%s,%s,%s,%s,%s,%s,\"%s\""):format(machine, figure, unit, number(ours), p.chip, p.value, p.seen, p.source)
	local difference = theirs == 0 and ("%+.4g"):format(ours) or ("%+.0f %%"):format(100 * (ours / theirs - 1))
	difference = difference:gsub("^[+-]0 %%", "0 %%")
	lines[#lines + 1] = ("| %s | %s | %s | %s | %s%s | %s: %s (%s) |"):format(machine, figure, number(theirs), number(ours), difference, good and "" or " *", p.chip,
		p.source, p.seen)
	print(("%-11s %-36s %9s %9s %7s%s %s, %s (%s)"):format(machine, figure, number(theirs), number(ours), difference, good and " " or "*", p.chip, p.source, p.seen))
	if good then return end
	local contradicted = false
	for _, other in ipairs(published[machine .. " " .. figure]) do contradicted = contradicted or is_near(unit, ours, other) end
	local reason = reasons.of(machine, figure, p, contradicted)
	missed[reason] = missed[reason] or {}
	table.insert(missed[reason], ("%s %s"):format(machine, figure))
end

print(("%-11s %-36s %9s %9s %7s  %s"):format("machine", "figure", "published", "gsim", "", "chip, source"))
for _, machine in ipairs(machines) do
	for figure, unit, ours in tool.read(("%s/%s.rows"):format(out, machine)):gmatch("([^\n]-),([^\n,]+),([^\n,]+)\n") do
		value[machine .. " " .. figure] = tonumber(ours)
		local list = published[machine .. " " .. figure]
		if not list then csv[#csv + 1] = ("%s,%s,%s,%s,,,,"):format(machine, figure, unit, ours) end
		for _, p in ipairs(list or {}) do compare(machine, figure, unit, tonumber(ours), p) end
	end
	os.remove(("%s/%s.rows"):format(out, machine))
end

-- ---- tables and pictures ----

local function summary()
	return ("Within 10 %% or one cycle: %d of %d figures read in the primary source, %d of %d second-hand; of these %d rates of the guide, %d within 1 %%."):format(near.P,
		all.P, near.S, all.S, guided, exact)
end

-- The paragraphs for what is not near, the reasons in the order of reasons.list.
local function explanations()
	local t = {}
	for _, reason in ipairs(reasons.list) do
		local rows = missed[reason]
		if rows then
			table.sort(rows)
			local last, names = nil, {}
			for _, name in ipairs(rows) do
				if name ~= last then names[#names + 1] = name end
				last = name
			end
			t[#t + 1] = ("%s (%d): %s"):format(reason.title, #rows, reason.text)
			t[#t + 1] = "*" .. table.concat(names, "; ") .. "*"
		end
	end
	if #beside > 0 then
		t[#t + 1] = ("Rates beside the guide's (%d): %s"):format(#beside, reasons.rates.text)
		t[#t + 1] = "*" .. table.concat(beside, "; ") .. "*"
	end
	return t
end

-- Breaks a paragraph at 110 columns.
local function wrap(text)
	local result, line = {}, ""
	for word in text:gmatch("%S+") do
		if #line + #word + 1 > 110 then
			result[#result + 1] = line
			line = word
		else
			line = line == "" and word or line .. " " .. word
		end
	end
	result[#result + 1] = line
	return table.concat(result, "\n")
end

local function page_text()
	local t = { wrap(summary() .. " The others have a star; the reasons are given behind the table."), "" }
	t[#t + 1] = "| machine | figure | published | gsim | difference | source |\n|---|---|---|---|---|---|"
	for _, line in ipairs(lines) do t[#t + 1] = line end
	for _, paragraph in ipairs(explanations()) do t[#t + 1] = "\n" .. wrap(paragraph) end
	return table.concat(t, "\n") .. "\n"
end

local function series_of(names)
	local list = {}
	for k, machine in ipairs(machines) do
		local points = {}
		for _, n in ipairs(names) do
			local v = value[machine .. " " .. n[2]]
			if v then points[#points + 1] = { n[1], v } end
		end
		if #points > 0 then list[#list + 1] = { name = machine, points = points, style = "both", colour = k } end
		points = {}
		for _, n in ipairs(names) do
			local p = published[machine .. " " .. n[2]]
			if p then points[#points + 1] = { n[1], tonumber(p[1].value) } end
		end
		if #points > 1 then list[#list + 1] = { name = machine .. ", published", points = points, style = "dashes", colour = k } end
	end
	return list
end

-- A picture of figures whose name has a number in place of %d.
local function picture(file, title, x, figure, numbers, log2)
	local names = {}
	for k, n in ipairs(numbers) do names[k] = { n, figure:format(n) } end
	local list = series_of(names)
	if #list > 0 then plot.write(("%s/%s.svg"):format(out, file), { title = title, x = x, y = "cycles", series = list, log2 = log2 }) end
end

local function pictures()
	picture("barrier", "bar.sync, one block", "warps", "barrier/bar.sync (%d warps)", { 1, 2, 4, 8, 16, 32 }, true)
	picture("ifelse", "if/else of four operations a side", "lanes in one side", "if/else of 4 a side (%d lanes)", { 0, 1, 2, 8, 16, 24, 31, 32 })
	picture("ways", "an indexed branch of k ways", "k", "ways/brx.idx (%d)", { 1, 2, 4, 8, 16, 32 }, true)
	picture("nest", "ifs within ifs, of each of which four lanes part", "depth", "if/nest of %d", { 1, 2, 3, 4, 5 })
	picture("conflicts", "ld.shared with conflicts", "ways", "latency/ld.shared (%d ways)", { 1, 2, 4, 8, 16, 32 }, true)
	picture("match", "match.any", "different values", "latency/match.any (%d values)", { 1, 2, 4, 8, 16, 32 }, true)
end

tool.write(out .. "/microbench.csv", table.concat(csv, "\n") .. "\n")
tool.write(out .. "/table.md", page_text())
pictures()
print(summary())
for _, text in ipairs(explanations()) do print(text) end
print(("text, CSV and SVG are in %s"):format(out))
if os.getenv("UPDATE") and quick == 0 then
	local page, found = tool.read(top .. "/doc/validity.md"), nil
	page, found = page:gsub("(<!%-%- table: microbench %-%->\n).-(<!%-%- end %-%->)", function(a, b) return a .. page_text() .. b end)
	if found ~= 1 then
		io.stderr:write("doc/validity.md has no table: microbench\n")
		os.exit(1)
	end
	tool.write(top .. "/doc/validity.md", page)
end
