-- The shipped machine that is nearest to what was measured.
--   local nearest = dofile(top .. "/tools/tune/nearest.lua")
--   nearest.distance(config, used)              -- the mean difference, and of how many figures
--   nearest.find(top, tool, machine, used, own) -- the name of its file; own: the machine that the CSV names, or nil
local nearest = {}
local ALIKE = 0.005 -- machines whose distances differ by less are equally near

-- The mean difference of what the configuration says from the figures, as |ln(theirs / ours)|.
function nearest.distance(config, used)
	local sum, count = 0, 0
	for _, w in ipairs(used) do
		local ours = w.entry.figure_of(config)
		if ours and ours > 0 and w.value > 0 then
			sum, count = sum + math.abs(math.log(w.value / ours)), count + 1
		end
	end
	return count > 0 and sum / count or math.huge, count
end

-- The shipped machines with warps of 32 lanes: name, compute capability, the file from which it derives, distance.
local function candidates(top, tool, machine, used)
	local list, dir = {}, top .. "/configs/"
	for line in tool.capture("gsim --list configs"):gmatch("[^\n]+") do
		local name = line:sub(1, #dir) == dir and line:sub(#dir + 1):match("^([%w_]+%.lua): ")
		local config = name and machine.config_of(tool.capture, tool.quote, name)
		if config and config.warp_size == 32 then
			list[#list + 1] = { name = name, capability = line:match("compute capability ([%d.]+)"), base = tool.read(dir .. name):match('derive%("([%w_.]+)"'),
				distance = nearest.distance(config, used) }
		end
	end
	return list
end

-- Those of the generation that the CSV names, by a machine file or as cc8.6: of that compute capability, or else of its first figure; all
-- when there is none of it.
local function of_generation(list, own)
	local capability, same, alike = own and own:match("^cc([%d.]+)$"), {}, {}
	for _, c in ipairs(list) do
		if own and c.name == own:gsub("%.lua$", "") .. ".lua" then capability = c.capability end
	end
	for _, c in ipairs(list) do
		if capability and c.capability == capability then same[#same + 1] = c end
		if capability and c.capability and c.capability:match("^%d+") == capability:match("^%d+") then alike[#alike + 1] = c end
	end
	return #same > 0 and same or #alike > 0 and alike or list
end

function nearest.find(top, tool, machine, used, own)
	local list, best = of_generation(candidates(top, tool, machine, used), own), nil
	for _, c in ipairs(list) do
		if not best or c.distance < best.distance then best = c end
	end
	if not best then return nil end
	local found = best
	for _ = 1, #list do -- of those that are as near, the one from which the others derive
		for _, c in ipairs(list) do
			if found.base == c.name and c.distance <= best.distance + ALIKE then found = c end
		end
	end
	return found.name
end

return nearest
