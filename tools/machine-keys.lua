-- Which parameter of a machine file a figure of the micro-benchmarks speaks of, and what the parameter makes of it.
--   local keys = dofile(top .. "/tools/machine-keys.lua")
--   keys.of["latency/ld.shared (1 ways)"]      -- { figure, key = "shared.latency", ... }
--   entry.key_of(config)                       -- the parameter that sets the figure on a machine of this configuration
--   entry.figure_of(config)                    -- what a machine of this configuration should measure, or nil
--   entry.value_for(config, figure)            -- what the parameter has to be so that it measures this
-- config: the table that gsim --print-config prints. Figures that hang on several parameters name the one that a machine file sets
-- by them, the others being known from other figures; these have `sum`.
-- Where several figures speak of one parameter, the first in keys.list counts.
--   entry.also                                 -- further parameters on which the figure hangs, or nil
-- keys.further has figures by which no machine file is set: key and also are on what they hang, figure_of may be missing.
local keys = { of = {}, list = {}, rate_of = {}, further = {} } -- rate_of: by figure, the unit whose rate it is

-- The value of "a.b.c" in the configuration.
function keys.get(config, key)
	for part in key:gmatch("[^.]+") do config = config and config[part] end
	return config
end

local function add(figure, key, figure_of, value_for)
	local entry = { figure = figure, key = key, key_of = function() return key end, figure_of = figure_of, value_for = value_for }
	keys.of[figure] = entry
	keys.list[#keys.list + 1] = entry
end

-- The parameter is the figure, or the figure is a number of times it and something more.
local function plain(figure, key, times, more, also)
	local sum = more ~= nil
	times, more = times or 1, more or function() return 0 end
	add(figure, key,
		function(c)
			local v = keys.get(c, key)
			return v and times * v + more(c)
		end,
		function(c, v) return (v - more(c)) / times end)
	keys.of[figure].sum, keys.of[figure].also = sum, also
end

-- Classes of operations whose number of copies, or time, is 0 take their unit's.
local PARENT = { cvt8 = "cvt", cvt64 = "cvt", widen = "cvt", cvtf64 = "fp64", rcp = "sfu", root = "sfu", div32 = "imul", div64 = "imul",
	divf32 = "fp32", rootf32 = "fp32", divf64 = "fp64", rcpf64 = "fp64", rootf64 = "fp64" }
for _, class in ipairs { "logic", "shift", "compare", "bits", "reverse", "count_bits", "sad", "shfl", "vote", "match", "redux" } do PARENT[class] = "alu" end

local function unit_field(c, unit, field)
	local v = c.units[unit] and c.units[unit][field]
	if (v == nil or v == 0 or v == "none" and field == "shares") and PARENT[unit] then return unit_field(c, PARENT[unit], field) end
	return v
end

-- Lanes of all copies that the unit may take, and their number.
local function lanes_of(c, unit)
	local own = c.units[unit] or {}
	local owner = own.shares and own.shares ~= "none" and own.shares or (own.count or 0) == 0 and PARENT[unit] or unit
	local count = (own.count or 0) > 0 and own.count or unit_field(c, owner, "count")
	if c.units[owner] and c.units[owner].shares and c.units[owner].shares ~= "none" then owner = c.units[owner].shares end
	return c.warp_size * count * (c.units[owner].per == "scheduler" and c.scheduler.count or 1), count
end
keys.lanes_of = lanes_of

-- How many copies the unit may take: those of the unit that it shares, or as many as there may be.
function keys.most_copies(c, unit)
	local own = c.units[unit] or {}
	local owner = own.shares and own.shares ~= "none" and own.shares or (own.count or 0) == 0 and PARENT[unit]
	return owner and keys.most_copies_of_owner(c, owner) or 16
end
function keys.most_copies_of_owner(c, owner)
	local shares = c.units[owner].shares
	return shares and shares ~= "none" and c.units[shares].count or c.units[owner].count
end

-- How a unit's instructions read what they need, where it is not as the ALU's do. A chain of them waits for the latency to such a reader.
local READS = { imul = "fma_latency", fp32 = "fma_latency", divf32 = "fma_latency", rootf32 = "fma_latency" }
for _, unit in ipairs { "sfu", "rcp", "root", "cvt", "reverse", "count_bits", "shfl", "redux" } do READS[unit] = "decoupled_latency" end

local function own_field(c, unit, field)
	local v = c.units[unit] and c.units[unit][field]
	return v and v ~= 0 and v or nil
end

-- The unit's latency to such readers: its own to them, else its own, else that of the unit of which it is a class.
local function latency_to(c, unit, reader)
	return own_field(c, unit, reader) or own_field(c, unit, "latency") or PARENT[unit] and latency_to(c, PARENT[unit], reader)
end

-- The unit's latency to instructions of its own kind.
local function chain_latency(c, unit) return latency_to(c, unit, READS[unit] or "latency") end

-- What a class has from the unit of which it is one, for readers that wait longer than `latency`: by field. It loses these when it gets a
-- latency of its own, if they are not set, too.
function keys.inherited_by(c, unit, latency)
	local list = {}
	if not PARENT[unit] or own_field(c, unit, "latency") then return list end
	for _, field in ipairs { "fma_latency", "guard_latency", "decoupled_latency" } do
		local v = not own_field(c, unit, field) and latency_to(c, unit, field)
		if v and v ~= latency_to(c, unit, "latency") and v > latency then list[field] = v end
	end
	return list
end

local function latency(figure, unit, times)
	local key, reader = ("units.%s.latency"):format(unit), READS[unit]
	add(figure, key, function(c) return (times or 1) * chain_latency(c, unit) end, function(_, v) return v / (times or 1) end)
	keys.of[figure].key_of = function(c) return reader and own_field(c, unit, reader) and ("units.%s.%s"):format(unit, reader) or key end
end

local function rate(figure, unit)
	keys.rate_of[figure] = unit
	add(figure, ("units.%s.interval"):format(unit), function(c) return lanes_of(c, unit) / unit_field(c, unit, "interval") end,
		function(c, v) return lanes_of(c, unit) / v end)
	keys.of[figure].also = { ("units.%s.count"):format(unit) }
end

for _, pair in ipairs { { "add.u32", "alu" }, { "mad.lo.u32", "imul" }, { "fma.f32", "fp32" }, { "fma.f64", "fp64" }, { "ex2.approx.f32", "sfu" },
	{ "and.b32", "logic" }, { "shl.b32", "shift" }, { "min.u32", "compare" }, { "bfe.u32", "bits" }, { "brev.b32", "reverse" },
	{ "popc.b32", "count_bits" }, { "sad.u32", "sad" }, { "shfl.idx", "shfl" } } do
	latency("latency/" .. pair[1], pair[2])
	rate("rate/" .. pair[1], pair[2])
end
for _, pair in ipairs { { "match.any (1 values)", "match" }, { "add.f64", "fp64" }, { "redux.min", "redux" },
	{ "rcp.approx.f32", "rcp" }, { "sqrt.approx.f32", "root" }, { "div.u32", "div32" }, { "div.rn.f32", "divf32" }, { "rcp.rn.f32", "rootf32" },
	{ "div.rn.f64", "divf64" }, { "rcp.rn.f64", "rcpf64" }, { "sqrt.rn.f64", "rootf64" } } do
	latency("latency/" .. pair[1], pair[2])
end
latency("latency/cvt.f32.u32+cvt.u32.f32", "cvt", 2)
for _, pair in ipairs { { "cvt.rn.f32.u32", "cvt" }, { "vote.any", "vote" }, { "cvt.u32.u8", "cvt8" }, { "cvt.f64.f32", "cvtf64" } } do
	rate("rate/" .. pair[1], pair[2])
end

-- A step is a comparison, whose predicate the vote reads, and the vote; what an addition takes is subtracted.
local function vote_further(c) return latency_to(c, "compare", "guard_latency") - chain_latency(c, "alu") end
add("latency/vote.ballot", "units.vote.latency", function(c) return chain_latency(c, "vote") + vote_further(c) end,
	function(c, v) return v - vote_further(c) end)
keys.of["latency/vote.ballot"].sum, keys.of["latency/vote.ballot"].also = true, { "units.compare.guard_latency", "units.alu.latency" }
-- A comparison's predicate, to a guard.
add("predicate/to guard", "units.compare.guard_latency", function(c) return latency_to(c, "compare", "guard_latency") end, function(_, v) return v end)
plain("latency/match.any (16 values)", "match.value_cycles", 15, function(c) return unit_field(c, "match", "latency") end, { "units.match.latency" })
plain("latency/redux.add", "redux.add_cycles", 1, function(c) return chain_latency(c, "redux") end, { "units.redux.latency" })
plain("fence/membar.gl (nothing outstanding)", "fence.gpu_cycles")
plain("fence/membar.sys (nothing outstanding)", "fence.sys_cycles")

plain("latency/ld.shared (1 ways)", "shared.latency")
plain("latency/ld.shared (32 ways)", "shared.conflict_cycles", 31, function(c) return c.shared.latency end, { "shared.latency" })
plain("latency/ld.shared (2 ways)", "shared.conflict_cycles", 1, function(c) return c.shared.latency end, { "shared.latency" })
plain("latency/ld.global L1", "l1.latency")
-- Both ways through the interconnect, the slice, and three cycles in ports.
plain("latency/ld.global L2", "interconnect.latency", 2, function(c) return c.l2.latency + 3 end, { "l2.latency" })
plain("latency/ld.global DRAM", "dram.latency", 1, function(c) return 2 * c.interconnect.latency + c.l2.latency + 3 + c.dram.row_miss end,
	{ "dram.row_miss", "l2.latency", "interconnect.latency" })
plain("barrier/bar.warp.sync", "barrier.warp_latency")
plain("barrier/threads of bar.sync a cycle", "barrier.threads_per_cycle")
for _, warps in ipairs { 1, 2, 4, 8, 16, 32 } do
	plain(("barrier/bar.sync (%d warps)"):format(warps), "barrier.latency", 1, function(c)
		local rate = c.barrier.threads_per_cycle
		return rate > 0 and warps * c.warp_size / rate or 0
	end, { "barrier.threads_per_cycle" })
end
-- A turn of {add, setp, bra}.
plain("loop/turn", "fetch.redirect_cycles", 1, function(c) return unit_field(c, "alu", "latency") + unit_field(c, "compare", "latency") + 1 end,
	{ "units.alu.latency", "units.compare.latency" })

local function further(figure, names, figure_of)
	keys.further[#keys.further + 1] = { figure = figure, key_of = function() return names[1] end, also = { table.unpack(names, 2) }, figure_of = figure_of }
end

-- What can be transferred at most.
further("bandwidth/shared", { "shared.banks", "shared.bank_bytes" }, function(c) return c.shared.banks * c.shared.bank_bytes end)
further("bandwidth/L1", { "l1.line_bytes" }, function(c) return c.l1.line_bytes end)
local function most_from_L2(c) return math.min(c.l2.slices * c.l2.bytes_per_cycle, c.sm.count * c.interconnect.bytes_per_cycle) end
further("bandwidth/L2", { "l2.bytes_per_cycle", "l2.slices", "interconnect.bytes_per_cycle", "sm.count" }, most_from_L2)
-- What DRAM gives comes through L2.
further("bandwidth/DRAM", { "dram.bytes_per_cycle", "dram.channels", "l2.bytes_per_cycle", "l2.slices", "interconnect.bytes_per_cycle", "sm.count" },
	function(c) return math.min(c.dram.channels * c.dram.bytes_per_cycle, most_from_L2(c)) end)
further("atomics/each on one address (whole chip)", { "l2.atomic_cycles" })
further("launch/one more kernel", { "launch.overhead_cycles", "launch.dependent_cycles", "launch.latency_cycles", "clock_mhz" })
further("launch/one more block on an SM", { "sm.block_launch_cycles", "sm.max_blocks", "sm.max_warps" })
return keys
