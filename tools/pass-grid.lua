-- Reads grids of tools/pass-grid: --functional or timed, CSV files. Prints the table; says which clean-up
-- made a kernel longer.

-- These, and pipelines of them alone, never make a warp execute more instructions.
local cleaning = { ["const-prop"] = true, ["copy-prop"] = true, cse = true, gcse = true, dce = true, ["simplify-cfg"] = true, ["tail-merge"] = true, webs = true }

local function fields(line)
	local out = {}
	local at = 1
	while at <= #line + 1 do
		local text, last
		if line:sub(at, at) == '"' then
			last = line:find('",', at + 1, true) or #line
			text = line:sub(at + 1, last - 1)
			at = last + 2
		else
			last = line:find(",", at, true) or #line + 1
			text = line:sub(at, last - 1)
			at = last + 1
		end
		out[#out + 1] = text
	end
	return out
end

local function rows_of(path)
	local names, rows = nil, {}
	for line in io.lines(path) do
		local f = fields(line)
		if not names then
			names = f
		else
			local row = {}
			for k, name in ipairs(names) do
				row[name] = f[k]
			end
			rows[#rows + 1] = row
		end
	end
	return rows
end

local key = arg[1] == "timed" and "cycles" or "warp_instructions"
local order, models, sum, number, bad, kernels = {}, {}, {}, {}, 0, 0

local function add(row, without)
	local p, m = row.passes, row.model
	if not sum[p] then
		sum[p], number[p] = {}, {}
		order[#order + 1] = p
	end
	if not sum[p][m] then
		sum[p][m], number[p][m] = 0, 0
		if p == "" then
			models[#models + 1] = m
		end
	end
	sum[p][m], number[p][m] = sum[p][m] + math.log(row[key] / without), number[p][m] + 1
end

local function clean(pipeline)
	for pass in pipeline:gmatch("[^,]+") do
		if not cleaning[pass] then
			return false
		end
	end
	return true
end

for k = 2, #arg do
	local without, known = {}, {}
	for _, row in ipairs(rows_of(arg[k])) do
		local point = row.kernel .. " " .. row.model
		if row.status ~= "ok" then
			bad = bad + 1
			print(("FAILED: %s under %s after %s: %s %s"):format(row.kernel, row.model, row.passes, row.status, row.error))
		else
			local n = math.tointeger(row[key])
			if row.passes == "" then
				without[point] = n
				if not known[row.kernel] then
					known[row.kernel], kernels = true, kernels + 1
				end
			end
			add(row, without[point])
			if arg[1] ~= "timed" and clean(row.passes) and n > without[point] then
				print(("LONGER: %s (%s) under %s after %s: %d warp instructions instead of %d"):format(row.kernel, arg[k], row.model, row.passes, n,
					without[point]))
				bad = bad + 1
			end
		end
	end
end

print(("%s in percent of those without passes, geometric mean of %d kernels"):format(key:gsub("_", " "), kernels))
local function show(name, value)
	for _, m in ipairs(models) do
		io.write(("%9s "):format(value(m)))
	end
	print(name)
end
show("passes", function(m) return m end)
for _, p in ipairs(order) do
	show(p == "" and "none" or p, function(m) return sum[p][m] and ("%.1f"):format(100 * math.exp(sum[p][m] / number[p][m])) or "-" end)
end
os.exit(bad == 0)
