-- check_schemas.lua TOP PAIR...: each PAIR is SCHEMA=FILE, or SCHEMA=FILE:lines of one document a line. Every document keeps to its schema,
-- and no longer does after a change: a key that is missing or has another name, a value of another type.
local top = table.remove(arg, 1)
local json = dofile(top .. "/tools/json.lua")
json.exact = true
local schema = dofile(top .. "/tests/tools/schema.lua")(json, top .. "/doc/schemas")
local failed, tried, seen = false, 0, {}

local function fail(...)
	print("FAILED: " .. string.format(...))
	failed = true
end

-- Keys below which anything may be named: maps by names of parameters, reasons, counters, columns.
local function is_map(path) return path:find("%.changed$") or path:find("%.values$") or path:find("%.stalls$") or path:find("%.divergence$")
	or path:find("%.counts") or path:find("%.point$") or path:find("%.args$") end

local function try(document, name, holder, key, path, parent)
	local value, wrong = holder[key], schema.type_of(holder[key]) == "object" and "text" or setmetatable({ { } }, json.array)
	tried = tried + 1
	if not path:find("%.args%.") and not path:find("%.counts") then
		holder[key] = wrong
		if not schema.check(document, name) then fail("%s: %s may be of another type", name, path) end
		holder[key] = value
	end
	if type(key) == "string" and not is_map(parent) then
		holder[key], holder[key .. "_x"] = nil, value
		if not schema.check(document, name) then fail("%s: %s may have another name", name, path) end
		holder[key], holder[key .. "_x"] = value, nil
	end
end

-- Tries each path once in each kind of document.
local function change_all(document, name, holder, path)
	local keys = {}
	for key in pairs(holder) do keys[#keys + 1] = key end
	table.sort(keys)
	for _, key in ipairs(keys) do
		local at = type(key) == "number" and path .. "[]" or path .. "." .. key
		local value, kind = holder[key], name .. (is_map(path) and path .. ".*" or at)
		if not seen[kind] then
			seen[kind] = true
			try(document, name, holder, key, at, path)
		end
		local inner = type(value) == "table" and value.schema_version and value.module -- a report, which is tried by itself
		if type(value) == "table" and value ~= json.null and not inner and not (type(key) == "number" and key > 3) then
			change_all(document, name, value, at)
		end
	end
end

local function look_at(document, name, file)
	local wrong = schema.check(document, name)
	if wrong then return fail("%s does not keep to %s: %s", file, name, wrong) end
	local function version(v)
		local holder = v.otherData or v
		local is = holder.schema_version
		holder.schema_version = 99
		if not schema.check(document, name) then fail("%s: any schema_version will do", name) end
		holder.schema_version = nil
		if not schema.check(document, name) then fail("%s: schema_version may be missing", name) end
		holder.schema_version = is
	end
	version(document)
	change_all(document, name, document, "")
end

for _, pair in ipairs(arg) do
	local name, file, lines = pair:match("^([^=]*)=([^:]*)(:?l?i?n?e?s?)$")
	name = name .. ".schema.json"
	if lines == ":lines" then
		for line in io.lines(file) do look_at(json.parse(line), name, file) end
	else
		look_at(json.read(file), name, file)
	end
end
if tried < 500 then fail("only %d places were tried", tried) end
os.exit(not failed)
