-- What check_over_time.sh has written: tables against reports, pictures in themselves.
local top, tmp = arg[1], arg[2]
local json = dofile(top .. "/tools/json.lua")
local failed = false

local function fail(...)
	print("FAILED: " .. string.format(...))
	failed = true
end

local function contents(name)
	local f = assert(io.open(tmp .. "/" .. name))
	local s = f:read("a")
	f:close()
	return s
end

-- Rows of a table by the names of its columns, and these names in order.
local function table_of(name)
	local rows, names = {}, nil
	for line in contents(name):gmatch("[^\n]+") do
		local row, fields = {}, {}
		for field in (line .. ","):gmatch("([^,]*),") do fields[#fields + 1] = field end
		if not names then
			names = fields
		else
			if #fields ~= #names then fail("%s: %d fields under %d names", name, #fields, #names) end
			for k, field in ipairs(fields) do row[names[k]] = field end
			rows[#rows + 1] = row
		end
	end
	return rows, names
end

-- The rows are the report's intervals, column by column.
local function same(what, rows, names, v)
	local columns = 0
	if #rows ~= #v.from or #rows == 0 then fail("%s: %d rows, %d intervals", what, #rows, #v.from) end
	for k, row in ipairs(rows) do
		if tonumber(row.from) ~= v.from[k] or tonumber(row.to) ~= v.from[k] + v.cycles then fail("%s: row %d from %s to %s", what, k, row.from, row.to) end
		if row.launches ~= table.concat(v.launches[k], " ") then fail("%s: row %d: launches %s", what, k, row.launches) end
		if row.kernels ~= table.concat(v.kernels[k], " ") then fail("%s: row %d: kernels %s", what, k, row.kernels) end
		for path, column in pairs(v.counts) do
			if tonumber(row[path]) ~= column[k] then fail("%s: row %d: %s is %s, in the report %s", what, k, path, row[path], column[k]) end
		end
	end
	for _ in pairs(v.counts) do columns = columns + 1 end
	local keys = names[1] == "run" and 5 or 4
	if #names ~= keys + columns then fail("%s: %d columns, %d figures in the report", what, #names, columns) end
end

local report = json.read(tmp .. "/one.json")
local rows, names = table_of("one.csv")
same("one run", rows, names, report.intervals)
if report.intervals.asked ~= 100 or report.intervals.cycles ~= 100 then fail("one run: intervals of %d cycles", report.intervals.cycles) end
for _, path in ipairs { "cycles", "lanes.useful", "lanes.parted", "issue.issued", "issue.stalls.memory", "memory.global_loads", "memory.transactions", "memory.l2.misses", "memory.dram.reads", "resident_warps" } do
	if not report.intervals.counts[path] then fail("one run: no %s", path) end
end
if #table_of("whole.csv") ~= 1 then fail("one interval: %d rows", #table_of("whole.csv")) end
for name, n in pairs(table_of("whole.csv")[1]) do
	local sum = 0
	for _, row in ipairs(rows) do sum = sum + (tonumber(row[name]) or 0) end
	if tonumber(n) and name ~= "from" and name ~= "to" and name ~= "launches" and sum ~= tonumber(n) then fail("one interval: %s is %s, in parts %d", name, n, sum) end
end
if json.read(tmp .. "/shown.json").intervals.cycles ~= 50 then fail("to standard output: no intervals") end
if json.read(tmp .. "/sums.json").intervals.kernels[1][1] ~= "stencil" then fail("--sums: no kernels") end

local both = json.read(tmp .. "/both.json")
rows, names = table_of("both.csv")
local of = { before = {}, after = {} }
for _, row in ipairs(rows) do table.insert(of[row.run], row) end
for run, some in pairs(of) do same("-b, " .. run, some, names, both[run].intervals) end

-- A picture: the tags are in pairs, all numbers are numbers, nothing lies outside.
local function check_picture(name, ...)
	local s, open = contents(name), {}
	local width, height = s:match('^<svg [^>]-width="(%d+)" height="(%d+)"')
	if not width then return fail("%s: no picture", name) end
	width, height = tonumber(width), tonumber(height)
	for close, tag, attributes, empty in s:gmatch("<(/?)(%a+)(.-)(/?)>") do
		if close == "/" then
			if table.remove(open) ~= tag then fail("%s: </%s> closes something else", name, tag) end
		elseif empty ~= "/" then
			open[#open + 1] = tag
		end
		local x, y = tonumber(attributes:match(' x="([^"]*)"')), tonumber(attributes:match(' y="([^"]*)"'))
		if x and (x < 0 or x > width) or y and (y < 0 or y > height) then fail("%s: <%s%s> lies outside", name, tag, attributes) end
		local d = attributes:match(' d="([^"]*)"')
		if d and d ~= "M0 0V4" then
			if d:find("[^MVHZvh%d%. ]") then fail("%s: a path is %s", name, d:sub(1, 60)) end
			for letter, a, b in d:gmatch("([MVH])([%d%.]+) ?([%d%.]*)") do
				if letter ~= "V" and tonumber(a) > width or letter == "V" and tonumber(a) > height or letter == "M" and tonumber(b) > height then
					fail("%s: %s%s %s lies outside", name, letter, a, b)
				end
			end
		end
	end
	if #open > 0 then fail("%s: <%s> is open", name, open[#open]) end
	if s:find("nan") or s:find("inf") then fail("%s: what is no number", name) end
	for _, text in ipairs { "lane-slots a cycle", "scheduler-cycles", "sectors a cycle", "resident warps of an SM", "issued: ", "useful: ", ">cycle<", ... } do
		if not s:find(text, 1, true) then fail("%s: no '%s'", name, text) end
	end
	return s
end

check_picture("one.svg", "stencil", "kepler.lua", "100 cycles a column")
check_picture("whole.svg", "1000000 cycles a column")
check_picture("many.svg", "intervals)")
check_picture("sleeps.svg", "sleep: ")
check_picture("streams.svg", "streams", "chase", "mix", 'fill="url(#break)"')
local s = check_picture("both.svg", "before: passes none", "after: passes linearize", "20 cycles a column")
for _, axis in ipairs { "lane%-slots a cycle", "sectors a cycle", "resident warps of an SM" } do -- equal ends
	local ends = {}
	for text in s:gmatch('>([%d%.]+)</text>\n<text [^>]*>' .. axis) do ends[#ends + 1] = text end
	if #ends ~= 2 or ends[1] ~= ends[2] then fail("both.svg: axes of %s end at %s", axis, table.concat(ends, " and ")) end
end
os.exit(not failed)
