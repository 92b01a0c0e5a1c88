-- Reads the figures that micro-benchmarks measured: CSV with a header, of which the columns figure and value (or gsim, as tools/reproduce
-- microbench has it) are needed; chip, machine, unit, seen and source are used where they are there.
--   local rows = dofile(top .. "/tools/tune/rows.lua")
--   rows.read(path, chip)  -- { { figure, value, unit, seen, source, path, line, value_at }, ... }, the chip's name, the machine's or nil;
--                             chip: nil or a name to choose
-- Errors are tables with a text `file:line:column: error: what, what was expected`.
local rows = {}

local function wrong(path, line, column, text, ...)
	error({ text = ("%s:%d:%d: error: "):format(path, line, column) .. text:format(...) }, 0)
end

-- The fields of a line, and the column at which each begins.
local function split(path, number, line)
	local fields, at, p = {}, {}, 1
	while p <= #line + 1 do
		at[#at + 1] = p
		if line:sub(p, p) == '"' then
			local stop = p
			repeat
				stop = line:find('"', stop + 1, true)
				if not stop then wrong(path, number, p, "a quoted field has no end, expected '\"'") end
				stop = stop + 1
			until line:sub(stop, stop) ~= '"'
			fields[#fields + 1] = line:sub(p + 1, stop - 2):gsub('""', '"')
			if stop <= #line and line:sub(stop, stop) ~= "," then wrong(path, number, stop, "text behind a quoted field, expected ','") end
			p = stop + 1
		else
			local stop = line:find(",", p, true) or #line + 1
			fields[#fields + 1] = line:sub(p, stop - 1)
			p = stop + 1
		end
	end
	return fields, at
end

local function read_header(path, line)
	local names, at = split(path, 1, line)
	local index = {}
	for k, name in ipairs(names) do
		if index[name] and name ~= "" then wrong(path, 1, at[k], "the header has the column '%s' twice, expected it once", name) end
		index[name] = k
	end
	index.value = index.value or index.gsim
	for _, name in ipairs { "figure", "value" } do
		if not index[name] then wrong(path, 1, 1, "the header has no column '%s', expected a line like chip,figure,value,unit", name) end
	end
	return index, #names
end

-- The row of a line, or nil when its value is empty: nobody measured it.
local function read_row(path, number, line, index, width)
	local f, at = split(path, number, line)
	if #f ~= width then wrong(path, number, at[#f], "%d fields, expected %d as in the header", #f, width) end
	local text = f[index.value]
	if text == "" then return nil end
	local value = text:find("^[-+]?[%d.]+[eE]?[-+]?%d*$") and tonumber(text)
	if not value or math.abs(value) == math.huge then
		wrong(path, number, at[index.value], "'%s' is no figure, expected a number", text)
	end
	if f[index.figure] == "" then wrong(path, number, at[index.figure], "there is no name, expected one as latency/add.u32") end
	local function field(name) return index[name] and f[index[name]] or "" end
	if field("chip"):find("^Stand%-in") then
		wrong(path, number, at[index.chip], "the stand-in of the driver measures nothing, expected figures of a GPU")
	end
	return { path = path, line = number, figure = f[index.figure], value = value + 0.0, value_at = at[index.value], unit = field("unit"),
		unit_at = index.unit and at[index.unit], seen = field("seen"), source = field("source"), names = { field("chip"), field("machine") } }
end

local function is_named(row, chip) return row.names[1] == chip or row.names[2] == chip end

-- The rows of one chip, chosen by its name when there are several.
local function choose(path, list, chip)
	local chosen, name, seen, known = {}, chip, {}, {}
	for _, row in ipairs(list) do
		local own = row.names[1] ~= "" and row.names[1] or row.names[2]
		if own ~= "" and not known[own] then
			known[own] = true
			seen[#seen + 1] = own
		end
		if not chip or is_named(row, chip) then chosen[#chosen + 1] = row end
	end
	if not chip and #seen > 1 then
		wrong(path, 1, 1, "figures of %d chips, expected one: choose by --chip, %s", #seen, table.concat(seen, ", "))
	end
	if #chosen == 0 then wrong(path, 1, 1, "no figures%s, expected some", chip and (" of '%s'"):format(chip) or "") end
	local machine = chosen[1].names[2]
	for _, row in ipairs(chosen) do machine = row.names[2] == machine and machine or "" end
	return chosen, name or seen[1] or "a GPU", machine ~= "" and machine or nil
end

function rows.read(path, chip)
	local f, why = io.open(path, "rb")
	if not f then error({ text = ("error: cannot read %s"):format(why) }, 0) end
	local text, list, number, index, width = f:read("a"), {}, 0, nil, nil
	f:close()
	if not text then error({ text = ("error: cannot read %s"):format(path) }, 0) end
	for line in (text:gsub("^\xEF\xBB\xBF", ""):gsub("\r\n", "\n") .. "\n"):gmatch("(.-)\n") do
		number = number + 1
		if not index then
			index, width = read_header(path, line)
		elseif line ~= "" then
			list[#list + 1] = read_row(path, number, line, index, width)
		end
	end
	return choose(path, list, chip)
end

rows.wrong = wrong
return rows
