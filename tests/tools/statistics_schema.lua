-- statistics_schema.lua <LIST: doc/schemas/statistics.schema.json, of what `gsim --list statistics` prints.
local groups, order = {}, {}

-- The group of a path, made with those around it: a list of names, and what each is.
local function group_of(path)
	local list, names = groups, order
	for step in path:gmatch("([%w_]+)%.") do
		if not list[step] then
			list[step] = { list = {}, names = {} }
			names[#names + 1] = step
		end
		list, names = list[step].list, list[step].names
	end
	return list, names
end

for line in io.lines() do
	local path, unit, help = line:match("^([%w_.]+)%s+([^:]*): (.*)$")
	if path then
		local list, names = group_of(path)
		local name = path:match("[%w_]+$")
		names[#names + 1] = name
		list[name] = { unit = unit, help = help }
	end
end

local OPTIONAL = { uniform = true, nonfaulting = true } -- they are left out of reports that have none of them
-- Groups have these, too, which are no counters of the list.
local MORE = {
	measured = {
		{ "simd_utilization", '{"type": ["number", "null"], "minimum": 0, "maximum": 1}' },
		{ "active_lanes", '{"description": "issues by their number of lanes, from 0", "type": "array", "items": {"$ref": "#/$defs/count"}, "maxItems": 65}' },
	},
	divergence = { { "mean_depth", '{"type": ["number", "null"], "minimum": 0}' } },
}

local function quote(s) return '"' .. s:gsub('["\\]', "\\%0") .. '"' end

local function write_group(name, list, names, indent, more)
	local required, lines = {}, {}
	for _, m in ipairs(MORE[name] or {}) do
		required[#required + 1] = quote(m[1])
		lines[#lines + 1] = ('%s    %s: %s'):format(indent, quote(m[1]), m[2])
	end
	for _, m in ipairs(more or {}) do
		required[#required + 1] = quote(m)
		lines[#lines + 1] = ('%s    %s: {"$ref": "#/$defs/count"}'):format(indent, quote(m))
	end
	for _, key in ipairs(names) do
		local s = list[key]
		if not OPTIONAL[key] then required[#required + 1] = quote(key) end
		lines[#lines + 1] = ("%s    %s: "):format(indent, quote(key)) .. (s.list and write_group(key, s.list, s.names, indent .. "    ")
			or ('{"$ref": "#/$defs/known", "description": %s}'):format(quote(s.unit .. ": " .. s.help)))
	end
	-- a mechanism has counters of its own, under divergence
	local extra = name == "divergence" and '{"$ref": "#/$defs/known"}' or "false"
	return ('{\n%s  "type": "object",\n%s  "required": [%s],\n%s  "properties": {\n%s\n%s  },\n%s  "additionalProperties": %s\n%s}'):format(indent, indent,
		table.concat(required, ", "), indent, table.concat(lines, ",\n"), indent, indent, extra, indent)
end

print([[{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "statistics.schema.json",
  "title": "the statistics of gsim --list statistics, as reports and records of sweeps have them",
  "$comment": "tests/tools/check_manual.sh --update writes this file",
  "$defs": {
    "count": {"type": "integer", "minimum": 0},
    "known": {"description": "null: this kind of run does not measure it", "type": ["integer", "null"], "minimum": 0},
    "measured": ]] .. write_group("measured", groups, order, "    ") .. [[,
    "total": ]] .. write_group("measured", groups, order, "    ", { "launches" }) .. [[

  }
}]])
