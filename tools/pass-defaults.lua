-- What passes at their defaults do: arguments are a machine, a mechanism, and CSV files of gsim --grid,
-- timed. Prints a table, and below it each kernel that takes more than a tenth longer, with the reason for
-- which it loses more scheduler-cycles than before.
local ONE = 1.10

local function fields(line)
	local out, at = {}, 1
	while at <= #line + 1 do
		local quoted = line:sub(at, at) == '"'
		local last = quoted and (line:find('",', at + 1, true) or #line) or line:find(",", at, true) or #line + 1
		out[#out + 1] = line:sub(at + (quoted and 1 or 0), last - 1)
		at = last + (quoted and 2 or 1)
	end
	return out
end

-- Figures that tell whether the code has changed.
local FIGURES = { "cycles", "warp_instructions", "thread_instructions", "overhead", "inserted", "pushes", "reconvergences", "fetches", "issued" }
local function changed(a, b)
	for _, name in ipairs(FIGURES) do
		if a[name] ~= b[name] then return true end
	end
	return false
end

-- The stall that has grown most, as it is called in reports.
local function reason(before, after)
	local most, which = 0, "more instructions"
	for name, value in pairs(after) do
		local grown = name:match("^stall_") and name ~= "stall_no_warp" and (tonumber(value) or 0) - (tonumber(before[name]) or 0) or 0
		if grown > most then most, which = grown, name:sub(7):gsub("_", " ") end
	end
	return which
end

local order, of, failed = {}, {}, false
local function add(pipeline, kernel, without, row)
	if not of[pipeline] then
		of[pipeline] = { n = 0, sum = 0 }
		order[#order + 1] = pipeline
	end
	local x = of[pipeline]
	if not changed(without, row) then return end
	local ratio = row.cycles / without.cycles
	x.n, x.sum = x.n + 1, x.sum + math.log(ratio)
	if not x.best or ratio < x.best.ratio then x.best = { ratio = ratio, kernel = kernel } end
	if not x.worst or ratio > x.worst.ratio then x.worst = { ratio = ratio, kernel = kernel } end
	if ratio > ONE then x[#x + 1] = { ratio = ratio, kernel = kernel, why = reason(without, row) } end
end

for k = 3, #arg do
	local names, without = nil, {}
	for line in io.lines(arg[k]) do
		local f, row = fields(line), {}
		for i, name in ipairs(names or {}) do row[name] = f[i] end
		if not names then
			names = f
		elseif row.status ~= "ok" then
			print(("FAILED: %s after %s: %s %s"):format(row.kernel, row.passes, row.status, row.error))
			failed = true
		elseif row.passes == "" then
			without[row.kernel] = row
		else
			add(row.passes, row.kernel, without[row.kernel], row)
		end
	end
end

local function shown(x) return x and ("%.3f %s"):format(x.ratio, x.kernel) or "-" end
local width = 0
for _, pipeline in ipairs(order) do width = math.max(width, #pipeline) end
local row = "%-" .. width .. "s %7s %6s  %-26s %s"
print(("%s, %s: cycles after by cycles before"):format(arg[1], arg[2]))
print(row:format("", "changed", "mean", "best", "worst"))
for _, pipeline in ipairs(order) do
	local x = of[pipeline]
	print(row:format(pipeline, x.n, x.n > 0 and ("%.3f"):format(math.exp(x.sum / x.n)) or "-", shown(x.best), shown(x.worst)))
end
print("more than a tenth slower, and what the scheduler-cycles went for:")
for _, pipeline in ipairs(order) do
	local x = of[pipeline]
	table.sort(x, function(a, b) return a.ratio > b.ratio or (a.ratio == b.ratio and a.kernel < b.kernel) end)
	for _, y in ipairs(x) do print(("  %s: %s %.3f, %s"):format(pipeline, y.kernel, y.ratio, y.why)) end
end
os.exit(not failed)
