-- Reads JSON, for scripts that look at reports: local json = dofile("tools/json.lua"); local t = json.read(path)
-- null becomes nil, arrays are tables from index 1.
local json = {}

local ESCAPE = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function fail(text, at, what)
	local _, line = text:sub(1, at):gsub("\n", "")
	error(("JSON, line %d: %s"):format(line + 1, what), 0)
end

local function skip(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

local function string_at(text, at)
	local out, k = {}, at + 1
	while true do
		local stop = text:find('["\\]', k) or fail(text, at, "a string does not end")
		out[#out + 1] = text:sub(k, stop - 1)
		if text:sub(stop, stop) == '"' then return table.concat(out), stop + 1 end
		local c = text:sub(stop + 1, stop + 1)
		if c == "u" then
			out[#out + 1] = utf8.char(tonumber(text:sub(stop + 2, stop + 5), 16) or fail(text, stop, "expected four hexadecimal digits"))
			k = stop + 6
		else
			out[#out + 1] = ESCAPE[c] or c
			k = stop + 2
		end
	end
end

local value

local function members(text, at, close, one)
	at = skip(text, at + 1)
	if text:sub(at, at) == close then return at + 1 end
	while true do
		at = skip(text, one(at))
		local c = text:sub(at, at)
		if c == close then return at + 1 end
		if c ~= "," then fail(text, at, "expected , or " .. close) end
		at = skip(text, at + 1)
	end
end

local function object(text, at)
	local t = {}
	at = members(text, at, "}", function(k)
		if text:sub(k, k) ~= '"' then fail(text, k, "expected a name") end
		local name
		name, k = string_at(text, k)
		k = skip(text, k)
		if text:sub(k, k) ~= ":" then fail(text, k, "expected :") end
		t[name], k = value(text, skip(text, k + 1))
		return k
	end)
	return t, at
end

local function array(text, at)
	local t, n = {}, 0
	at = members(text, at, "]", function(k)
		n = n + 1
		t[n], k = value(text, k)
		return k
	end)
	return t, at
end

function value(text, at)
	local c = text:sub(at, at)
	if c == "{" then return object(text, at) end
	if c == "[" then return array(text, at) end
	if c == '"' then return string_at(text, at) end
	for name, v in pairs { ["true"] = true, ["false"] = false } do
		if text:sub(at, at + #name - 1) == name then return v, at + #name end
	end
	if text:sub(at, at + 3) == "null" then return nil, at + 4 end
	local stop = select(2, text:find("^-?[%d.eE+-]+", at)) or fail(text, at, "expected a value")
	return tonumber(text:sub(at, stop)) or fail(text, at, "expected a number"), stop + 1
end

function json.parse(text)
	local v, at = value(text, skip(text, 1))
	if skip(text, at) <= #text then fail(text, at, "something follows the value") end
	return v
end

function json.read(path)
	local f = assert(io.open(path))
	local text = f:read("a")
	f:close()
	return json.parse(text)
end

return json
