-- Reads JSON, for scripts that look at reports: local json = dofile("tools/json.lua"); local t =
-- json.read(path) null becomes nil, arrays are tables from index 1. After json.exact = true, null is json.null, arrays
-- have the metatable json.array, and a name that an object has twice is an error.
local json = { null = setmetatable({}, { __tostring = function() return "null" end }), array = {} }

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

-- What stands between two members, or behind the last one: true, and where the next one begins; or false, and
-- what follows.
local function next_member(text, at, pattern, close)
	local c, stop = text:match(pattern, at)
	if not c then fail(text, skip(text, at), "expected , or " .. close) end
	return c == ",", stop
end

local function object(text, at)
	local t, more = {}, true
	at = skip(text, at + 1)
	if text:sub(at, at) == "}" then return t, at + 1 end
	while more do
		local name, k = text:match('^"([^"\\]*)"[ \t\r\n]*:[ \t\r\n]*()', at)
		if not name then
			if text:sub(at, at) ~= '"' then fail(text, at, "expected a name") end
			name, k = string_at(text, at)
			k = text:match("^[ \t\r\n]*:[ \t\r\n]*()", k) or fail(text, k, "expected :")
		end
		if json.exact and t[name] ~= nil then fail(text, at, name .. " stands twice in an object") end
		t[name], k = value(text, k)
		more, at = next_member(text, k, "^[ \t\r\n]*([,}])[ \t\r\n]*()", "}")
	end
	return t, at
end

local function array(text, at)
	local t, n, more = json.exact and setmetatable({}, json.array) or {}, 0, true
	at = skip(text, at + 1)
	if text:sub(at, at) == "]" then return t, at + 1 end
	while more do
		n = n + 1
		t[n], at = value(text, at)
		more, at = next_member(text, at, "^[ \t\r\n]*([],])[ \t\r\n]*()", "]")
	end
	return t, at
end

function value(text, at)
	local number, stop = text:match("^(-?[%d.eE+-]+)()", at)
	if number then return tonumber(number) or fail(text, at, "expected a number"), stop end
	local c = text:sub(at, at)
	if c == '"' then
		local plain, behind = text:match('^"([^"\\]*)"()', at)
		if plain then return plain, behind end
		return string_at(text, at)
	end
	if c == "{" then return object(text, at) end
	if c == "[" then return array(text, at) end
	if text:find("^true", at) then return true, at + 4 end
	if text:find("^false", at) then return false, at + 5 end
	if text:find("^null", at) then return json.exact and json.null or nil, at + 4 end
	fail(text, at, "expected a value")
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
