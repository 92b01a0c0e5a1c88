-- JSON Schema (draft 2020-12), as much of it as the schemas in doc/schemas/ use; another keyword is an error.
-- local schema = dofile("schema.lua")(json, folder); schema.check(document, "report.schema.json") gives nil, or what is wrong and where.
return function(json, folder)
	local schema, files, rules = {}, {}, {}

	local function load_file(name)
		files[name] = files[name] or json.read(folder .. "/" .. name)
		return files[name]
	end

	-- What "#/$defs/x", "other.schema.json" or "other.schema.json#/$defs/x" refers to, and its file.
	local function resolve(ref, file)
		local name, path = ref:match("^([^#]*)#?(.*)$")
		file = name ~= "" and name or file
		local at = load_file(file)
		for step in path:gmatch("[^/]+") do at = at[step] or error(file .. ": nothing is at " .. ref) end
		return at, file
	end

	local function type_of(v)
		if v == json.null then return "null" end
		if type(v) == "table" then return getmetatable(v) == json.array and "array" or "object" end
		if type(v) == "number" then return v == math.floor(v) and "integer" or "number" end
		return type(v)
	end
	schema.type_of = type_of

	local function same(a, b)
		if type_of(a) ~= type_of(b) then return false end
		if type(a) ~= "table" or a == json.null then return a == b end
		for k, v in pairs(a) do if not same(v, b[k]) then return false end end
		for k in pairs(b) do if a[k] == nil then return false end end
		return true
	end

	local function check(v, s, file, at)
		if s == true then return nil end
		if s == false then return at .. ": nothing may stand here" end
		for keyword, value in pairs(s) do
			local rule = rules[keyword]
			if rule == nil then error(file .. ": the keyword " .. keyword .. " is not known") end
			local wrong = rule and rule(v, value, s, file, at)
			if wrong then return wrong end
		end
	end

	for _, word in ipairs { "$schema", "$id", "$defs", "$comment", "title", "description", "if", "then", "else" } do rules[word] = false end

	rules.type = function(v, types, _, _, at)
		local found = type_of(v)
		for _, t in ipairs(type(types) == "table" and types or { types }) do
			if found == t or (found == "integer" and t == "number") then return nil end
		end
		return ("%s: expected %s, found %s"):format(at, type(types) == "table" and table.concat(types, " or ") or types, found)
	end
	rules.const = function(v, want, _, _, at) return not same(v, want) and ("%s: expected %s, found %s"):format(at, tostring(want), tostring(v)) or nil end
	rules.enum = function(v, list, _, _, at)
		for _, want in ipairs(list) do if same(v, want) then return nil end end
		return ("%s: %s is none of the choices"):format(at, tostring(v))
	end
	rules.minimum = function(v, least, _, _, at) return type(v) == "number" and v < least and ("%s: %s is less than %s"):format(at, v, least) or nil end
	rules.maximum = function(v, most, _, _, at) return type(v) == "number" and v > most and ("%s: %s is more than %s"):format(at, v, most) or nil end
	rules.minItems = function(v, n, _, _, at) return type_of(v) == "array" and #v < n and ("%s: fewer than %d items"):format(at, n) or nil end
	rules.maxItems = function(v, n, _, _, at) return type_of(v) == "array" and #v > n and ("%s: more than %d items"):format(at, n) or nil end
	rules.minLength = function(v, n, _, _, at) return type(v) == "string" and utf8.len(v) < n and ("%s: shorter than %d"):format(at, n) or nil end
	rules.maxLength = function(v, n, _, _, at) return type(v) == "string" and utf8.len(v) > n and ("%s: longer than %d"):format(at, n) or nil end
	rules.required = function(v, names, _, _, at)
		if type_of(v) ~= "object" then return nil end
		for _, name in ipairs(names) do if v[name] == nil then return at .. ": " .. name .. " is missing" end end
	end
	rules.properties = function(v, list, _, file, at)
		if type_of(v) ~= "object" then return nil end
		for name, s in pairs(list) do
			local wrong = v[name] ~= nil and check(v[name], s, file, at .. "." .. name) or nil
			if wrong then return wrong end
		end
	end
	rules.additionalProperties = function(v, s, of, file, at)
		if type_of(v) ~= "object" then return nil end
		for name, value in pairs(v) do
			if not (of.properties and of.properties[name] ~= nil) then
				local wrong = check(value, s, file, at .. "." .. name)
				if wrong then return wrong end
			end
		end
	end
	rules.items = function(v, s, _, file, at)
		if type_of(v) ~= "array" then return nil end
		for i, item in ipairs(v) do
			local wrong = check(item, s, file, ("%s[%d]"):format(at, i - 1))
			if wrong then return wrong end
		end
	end
	rules["$ref"] = function(v, ref, _, file, at)
		local s, where = resolve(ref, file)
		return check(v, s, where, at)
	end
	rules.allOf = function(v, list, _, file, at)
		for _, s in ipairs(list) do
			local wrong = check(v, s, file, at)
			if wrong then return wrong end
		end
	end
	rules.anyOf = function(v, list, _, file, at)
		local first
		for _, s in ipairs(list) do
			local wrong = check(v, s, file, at)
			if not wrong then return nil end
			first = first or wrong
		end
		return first
	end
	rules["if"] = function(v, s, of, file, at)
		local branch = check(v, s, file, at) and of["else"] or of["then"]
		return branch and check(v, branch, file, at) or nil
	end

	function schema.check(document, name) return check(document, load_file(name), name, "") end
	return schema
end
