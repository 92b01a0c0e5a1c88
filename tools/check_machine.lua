-- What gsim --check-machine asks: which figures the micro-benchmarks of tools/microbench.lua can measure of a machine, on which parameters
-- each hangs, and what is published of it. All texts are in the program.
-- Arguments: texts by names: those of tools/microbench.lua and its parts, machine-keys.lua, rates.lua of configs/tables, published.csv; the
-- configuration, as gsim --print-config has it; the machine file and those from which it derives, nearest first: { name =, text = }, ...
-- Returns { rows =, lanes =, workload =, module_of =, published_of =, capability =, rates_of = }: rows { figure =, unit =, keys =, asked =,
-- why = }, why being what keeps the figure from being measured, of which nothing is asked then; lanes: threads of a warp; module_of(figure): a module with what the figure needs; published_of and rates_of:
-- the machines whose figures are beside those measured, or nil.
local texts, configuration, chain = ...

-- The benchmarks are read as from a folder that has these texts and nothing else.
local function text_of(name) return assert(texts[(name:gsub("^%./", ""))], name) end
local function read(name) return assert(load(text_of(name), "@" .. name, "t"))() end
debug = { getinfo = function() return { source = "@" } end }
dofile = read
io = { open = function(name) return { read = function() return text_of(name) end, close = function() end } end }

local bench, keys, rates, guide = read("microbench.lua"), read("machine-keys.lua"), read("rates.lua"), read("microbench/guide.lua")
local config = assert(load(configuration, "@configuration", "t"))()
local row_of = {}
for _, r in ipairs(bench.rows) do row_of[r.figure] = r end

-- ---- modules ----

local ENTRY = "\n.visible .entry "
local head, kernels = nil, {}
do
	local at = bench.module:find(ENTRY, 1, true)
	head = bench.module:sub(1, at - 1)
	while at do
		local next = bench.module:find(ENTRY, at + 1, true)
		local kernel = bench.module:sub(at, next and next - 1)
		kernels[#kernels + 1] = { name = kernel:match("entry ([%w_]+)"), text = kernel }
		at = next
	end
end

-- Adds to `kept` the kernels of the figure, and of those that it needs.
local function keep(figure, kept)
	local r = row_of[figure]
	for _, kernel in ipairs { r.long or false, r.short or false, r.init or false, r.mode == "launches" and "stamp" } do
		if kernel then kept[kernel] = true end
	end
	for _, other in ipairs { r.less or false, r.upper or false, r.lower or false } do
		if other then keep(other, kept) end
	end
	return kept
end

local function module_of(figure)
	local kept, text = keep(figure, {}), { head }
	for _, kernel in ipairs(kernels) do
		if kept[kernel.name] then text[#text + 1] = kernel.text end
	end
	return table.concat(text)
end

-- ---- what is published ----

-- A line of the table: fields with commas between; quotes around those that have commas themselves.
local function fields_of(line)
	local fields, at = {}, 1
	while at <= #line + 1 do
		local quoted, after = line:match('^"([^"]*)"()', at)
		if not quoted then quoted, after = line:match("^([^,]*)()", at) end
		fields[#fields + 1], at = quoted, after + 1
	end
	return fields
end

local published = {} -- by machine and figure
for line in texts["published.csv"]:gmatch("[^\n]+") do
	local machine, chip, figure, value, _, seen, source = table.unpack(fields_of(line))
	published[machine] = published[machine] or {}
	published[machine][figure] = published[machine][figure] or {}
	table.insert(published[machine][figure], { value = tonumber(value), chip = chip, seen = seen, source = source })
end

-- The nearest machine of the chain of which anything is published, and the nearest that names a compute capability.
local published_of, rates_of, capability
for _, machine in ipairs(chain) do
	published_of = published_of or published[machine.name] and machine.name
	if not capability then
		capability = guide.capability(machine.text)
		rates_of = capability and machine.name
	end
end

-- The guide's rate. What nobody was read to quote is as whoever wrote rates.lua remembers it.
local function add_rate(figure, list)
	local row = guide.row_of[figure]
	local known, rate = pcall(rates.of, capability, row)
	if row and capability and known and rate then
		local mark, who = rates.source_of(capability, row)
		list[#list + 1] = { value = rate, chip = "compute capability " .. capability, seen = mark and mark:match("%((%u)%)") or "assumption",
			source = "CUDA C++ Programming Guide, " .. (who and "by " .. who or "as remembered") }
	end
end

local function published_for(figure)
	local list = {}
	for _, p in ipairs(published_of and published[published_of][figure] or {}) do list[#list + 1] = p end
	add_rate(figure, list)
	return list
end

-- ---- the figures ----

local WARP, WORDS_L1, BYTES_L2 = 32, 8192, 524288 -- of the kernels in tools/microbench/

-- Why the machine does not have what the figure is the measure of, or nil.
local function why_not(figure)
	local function get(key) return keys.get(config, key) end
	local ways = tonumber(figure:match("%((%d+) ways%)") or figure:match("%((%d+) lanes[ )]") or figure:match("match%.%a+ %((%d+) values%)"))
	if ways and ways > get("warp_size") then return ("a warp has no %d lanes (warp_size = %d)"):format(ways, get("warp_size")) end
	if figure:find("^barrier/bar%.sync %(") and get("warp_size") > WARP then
		return ("it counts warps of at most %d threads (warp_size = %d)"):format(WARP, get("warp_size"))
	elseif figure == "barrier/threads of bar.sync a cycle" and get("barrier.threads_per_cycle") == 0 then
		return "barriers count any number of threads in a cycle (barrier.threads_per_cycle = 0)"
	elseif figure:find(" L1$") or figure:find("/L1$") then
		if get("l1.bytes") == 0 then return "the machine has no L1 (l1.bytes = 0)" end
		if not get("l1.global") then return "global loads go past L1 (l1.global = false)" end
		if figure == "bandwidth/L1" and get("l1.bytes") < WORDS_L1 then
			return ("what it reads, %d bytes, does not fit into L1 (l1.bytes = %d)"):format(WORDS_L1, get("l1.bytes"))
		end
	elseif figure == "bandwidth/L2" and get("l2.bytes") < BYTES_L2 then
		return ("what it reads, %d bytes, does not fit into L2 (l2.bytes = %d)"):format(BYTES_L2, get("l2.bytes"))
	end
end

-- Units that say of what the cycles are.
local UNIT = { ["atomics/each on one address (whole chip)"] = "cycles/operation", ["launch/one more block on an SM"] = "cycles/block" }

-- Shown are figures that hang on parameters, and those of which something is published, in the order of the benchmarks. Where diverged lanes
-- make no progress by themselves, some cannot be measured.
local entry_of, rows = {}, {}
for _, list in ipairs { keys.list, keys.further } do
	for _, entry in ipairs(list) do entry_of[entry.figure] = entry end
end
for _, r in ipairs(bench.rows) do
	local entry, list = entry_of[r.figure], published_for(r.figure)
	if entry or #list > 0 and not (r.independent and config.divergence.model ~= "its") then
		local why = why_not(r.figure)
		local asked = not why and entry and entry.figure_of and entry.figure_of(config)
		rows[#rows + 1] = { figure = r.figure, unit = UNIT[r.figure] or r.unit, keys = entry and { entry.key_of(config), table.unpack(entry.also or {}) } or {},
			asked = asked and asked + 0.0, why = why, published = list }
	end
end

-- Warps larger than the kernels know are launched in part.
return { rows = rows, lanes = math.min(config.warp_size, WARP), workload = bench.workload, module_of = module_of, published_of = published_of, rates_of = rates_of, capability = capability }
