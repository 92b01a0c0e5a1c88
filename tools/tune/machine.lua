-- Machines as gsim-tune has them: configurations that gsim prints, parameters set in them, and machine files of what was set.
--   local machine = dofile(top .. "/tools/tune/machine.lua")
local machine = {}

-- What a parameter may be, by its name: { least, most }, from gsim --list parameters.
function machine.ranges(capture)
	local ranges = {}
	for line in capture("gsim --list parameters"):gmatch("[^\n]+") do
		local key, least, most = line:match("^(%S+)%s+%-?%d+ %((%-?%d+) to (%d+)")
		if key then ranges[key] = { tonumber(least), tonumber(most) } end
	end
	return ranges
end

-- The whole configuration of a machine file; nil when gsim refuses the file, which it has said then.
function machine.config_of(capture, quote, file)
	local text = capture(("gsim -c %s --print-config"):format(quote(file)), 2)
	return text ~= "" and load(text)() or nil
end

-- Sets "a.b.c" in a configuration.
function machine.set(config, key, value)
	local path, last = key:match("^(.*)%.([^.]+)$")
	local at = config
	for part in (path or ""):gmatch("[^.]+") do
		at[part] = at[part] or {}
		at = at[part]
	end
	at[last or key] = value
end

-- The tree of what is set: { key = { value, comment } } as nested tables, whose leaves have `value`.
local function tree_of(settings)
	local root = {}
	for key, s in pairs(settings) do
		local at, parts = root, {}
		for part in key:gmatch("[^.]+") do parts[#parts + 1] = part end
		for k = 1, #parts - 1 do
			at[parts[k]] = at[parts[k]] or {}
			at = at[parts[k]]
		end
		at[parts[#parts]] = { leaf = s }
	end
	return root
end

local function put_tree(tree, indent, out)
	local names = {}
	for name in pairs(tree) do names[#names + 1] = name end
	table.sort(names)
	for _, name in ipairs(names) do
		local node, leaf = tree[name], tree[name].leaf
		if leaf then
			local text = ("%s%s = %s,"):format(indent, name, leaf.value)
			out[#out + 1] = ("%-32s -- %s"):format(text, leaf.comment)
		else
			out[#out + 1] = ("%s%s = {"):format(indent, name)
			put_tree(node, indent .. "\t", out)
			out[#out + 1] = indent .. "},"
		end
	end
end

-- The machine file: derives from base, with what is set. head: comment lines.
function machine.file(base, settings, head)
	local out = {}
	for _, line in ipairs(head) do out[#out + 1] = "-- " .. line end
	out[#out + 1] = ("return derive(%q, {"):format(base)
	put_tree(tree_of(settings), "\t", out)
	out[#out + 1] = "})"
	return table.concat(out, "\n") .. "\n"
end

return machine
