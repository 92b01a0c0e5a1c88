-- Arithmetic throughput by class of operation: the results that an SM gives in a cycle, by compute capability.
-- Machine files refer to it, so that no rate stands twice:
--   local rates = include("tables/rates.lua")
--   return rates.machine("8.0", derive("volta.lua", { ... }))   -- with the interval of every unit and class
--   rates.of("8.0", "shift")                                    -- 64; nil: the guide gives no rate
--
-- Source of the rows: [G] CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions", and
-- the Best Practices Guide, which has had it since CUDA 13. None of it was read in the guide itself: SOURCES says
-- who was read that quotes which rows and columns, which is (S). What stands in none of them is as whoever wrote
-- this file remembers the guide, an assumption.
--
-- "several": several instructions, says the guide, so it gives no rate. "none": there is no such instruction.
-- nil, a gap: not known.
local COLUMNS = { "2.0", "2.1", "3.0", "3.5", "5.0", "5.3", "6.0", "6.1", "6.2", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0" }
-- capabilities whose figures are those of another column
local SAME = { ["3.2"] = "3.0", ["3.7"] = "3.5", ["5.2"] = "5.0", ["7.2"] = "7.0", ["8.7"] = "8.6", ["12.1"] = "12.0" }
local several, none, gap = "several", "none", false

local ROWS = {
	-- class        2.0   2.1   3.0   3.5   5.0   5.3   6.0   6.1   6.2   7.0   7.5   8.0   8.6   8.9   9.0  10.0  12.0
	half       = { none, none, none, none, none,  256,  128,    2,  256,  128,  128,  256,  256,  128,  256,  gap,  128 },
	fp32       = {   32,   48,  192,  192,  128,  128,   64,  128,  128,   64,   64,   64,  128,  128,  128,  128,  128 },
	fp64       = {   16,    4,    8,   64,    4,    4,   32,    4,    4,   32,    2,   32,    2,    2,   64,   64,    2 }, -- 3.5: GeForce but for TITAN 8; 7.5: the guide's footnote has another figure than the column
	sfu        = {    4,    8,   32,   32,   32,   32,   16,   32,   32,   16,   16,   16,   16,   16,   16,   16,   16 },
	alu        = {   32,   48,  160,  160,  128,  128,   64,  128,  128,   64,   64,   64,   64,   64,   64,   64,  128 }, -- 32-bit add and subtract
	imul       = {   16,   16,   32,   32, several, several, several, several, several, 64, 64, 64, 64,   64,   64,   64,   64 }, -- multiply, multiply-add
	mul24      = { several, several, several, several, several, several, several, several, several, several, several, several, several, several, several, several, several },
	logic      = {   32,   48,  160,  160,  128,  128,   64,  128,  128,   64,   64,   64,   64,   64,   64,   64,   64 }, -- 2.1: 48, as its additions; the copy has 160, which it cannot
	shift      = {   16,   16,   32,   64,   64,   64,   32,   64,   64,   64,   64,   64,   64,   64,   64,   64,   64 }, -- 3.5: GeForce but for TITAN 32
	compare    = {   32,   48,  160,  160,   64,   64,   32,   64,   64,   64,   64,   64,   64,   64,   64,   64,  128 }, -- with minimum, maximum
	bits       = {   16,   16,   32,   32,   64,   64,   32,   64,   64, several, several, several, several, 64, 64,   gap,  gap }, -- bit field extract, insert
	reverse    = {   16,   16,   32,   32,   64,   64,   32,   64,   64,   16,   16,   16,   16,   16,   16,   16,   16 }, -- bit reverse; until 6.2 one row with `bits`
	count_bits = {   16,   16,   32,   32,   32,   32,   16,   32,   32,   16,   16,   16,   16,   16,   16,   16,   16 }, -- popc, clz, find
	shfl       = { none, none,   32,   32,   32,   32,   32,   32,   32,   32,   16,   32,   32,   32,   32,   32,   32 }, -- 7.5: the guide's footnote has another figure than the column
	redux      = { none, none, none, none, none, none, none, none, none, none, none,   16,   16,   16,   16,   16,   16 },
	vote       = {  gap,  gap,  gap,  gap,   64,   64,   64,   64,   64,   64,   64,   64,   64,   64,   64,   64,  128 },
	sad        = {   16,   16,   32,   32,   64,   64,   32,   64,   64,   64,   64,   64,   64,   64,   64,   64,  gap },
	vabsdiff2  = { none, none,  160,  160, several, several, several, several, several, several, several, several, several, several, several, gap, gap },
	vabsdiff4  = { none, none,  160,  160, several, several, several, several, several, 64, 64, 64,   64,   64,   64,  gap,  gap },
	video      = {   16,   16,   32,   32, several, several, several, several, several, several, several, several, several, several, several, gap, gap }, -- all other SIMD video instructions
	cvt8       = {   16,   16,  128,  128,   32,   32,   16,   32,   32,   16,   16,   64,   64,   64,   64,   64,   64 }, -- from 8 and 16-bit integers to 32 bits
	cvt64      = {   16,    4,    8,   32,    4,    4,   16,    4,    4,   16,    2,   16,    2,    2,   16,   16,    2 }, -- from and to 64-bit types. 3.5: GeForce but for TITAN 8; 7.5: the guide's footnote
	cvt        = {   16,   16,   32,   32,   32,   32,   16,   32,   32,   16,   16,   16,   16,   16,   16,   16,   16 }, -- all other. 12.0: f16 to f32 64, f32 to an integer 2
	-- __syncthreads (section 5.4.3), threads a cycle
	barrier    = {   16,   16,  128,  128,   64,   64,   32,   64,   64,   16,   16,   16,   16,   16,   16,   16,   16 },
}

-- Who was read: what it is, its columns, its rows. A figure has the first that has its column and row.
local SOURCES = {
	{ "logs of an RTX 2070 SUPER, 32 warps in 64 cycles", "7.5", "shfl", mark = "[Q] (P)" },
	{ "the Turing white paper, as several quote it, two units an SM", "7.5", "fp64" },
	{ "a translation of the guide of CUDA 10", "3.0 3.5 5.0 5.3 6.0 6.1 6.2", "half fp32 fp64 sfu alu imul mul24 logic shift compare bits reverse count_bits "
		.. "shfl sad vabsdiff2 vabsdiff4 video cvt8 cvt64 cvt barrier" },
	{ "a translation of the guide of CUDA 10, column 7.x", "7.0", "fp64 cvt64 shfl" },
	{ "a translation of the guide of CUDA 10, column 7.x", "7.0 7.5", "half fp32 sfu alu imul mul24 logic shift compare bits count_bits sad vabsdiff2 vabsdiff4 "
		.. "video cvt8 cvt barrier" },
	{ "a copy of the guide of CUDA 6 in PCSX2, GSdx, nvidia_throughput.txt", "2.1", "fp32 fp64 sfu alu imul mul24 shift compare bits reverse count_bits sad video "
		.. "cvt8 cvt64 cvt" },
	{ "a copy of the guide of CUDA 6 in PCSX2, GSdx, nvidia_throughput.txt", "2.0", "fp32 fp64 sfu alu imul mul24 logic shift compare bits reverse count_bits sad "
		.. "video cvt8 cvt64 cvt" },
	{ "notes on cards that quote table 4 of the guide of CUDA 12", "8.0 8.9 9.0", "half fp32 fp64 sfu alu imul logic shift compare count_bits shfl redux vote" },
	{ "notes that quote table 4 of the guide of CUDA 12.6", "8.0 8.6 8.9 9.0", "half fp32 alu logic shift compare bits cvt8 cvt shfl" },
	{ "notes that quote the guide of CUDA 11", "8.6", "fp64 sfu" },
	{ "a translation of the guide of CUDA 11.5", "8.6", "redux" },
	{ "notes on CUDA 11", "8.0 8.6 8.9", "barrier" },
	{ "notes that quote table 5 of the Best Practices Guide 13.4", "12.0", "half fp32 fp64 alu imul compare shift logic shfl vote count_bits cvt" },
	{ "notes that quote table 5 of the Best Practices Guide 13.4", "10.0", "fp64" },
}

-- Units and classes of gsim, each with the row that holds for it and the unit of which it is a class. Units come before
-- their classes.
local UNITS = {
	{ "fp32", "fp32" }, { "alu", "alu" }, { "imul", "imul" }, { "fp64", "fp64" }, { "sfu", "sfu" }, { "cvt", "cvt" },
	{ "logic", "logic", of = "alu" }, { "shift", "shift", of = "alu" }, { "compare", "compare", of = "alu" }, { "bits", "bits", of = "alu" },
	{ "rcp", "sfu", of = "sfu" }, { "root", "sfu", of = "sfu" }, { "reverse", "reverse", of = "alu" }, { "count_bits", "count_bits", of = "alu" }, { "sad", "sad", of = "alu" }, { "shfl", "shfl", of = "alu" },
	{ "vote", "vote", of = "alu" }, { "redux", "redux", of = "alu" },
	{ "cvt8", "cvt8", of = "cvt" }, { "cvt64", "cvt64", of = "cvt" }, { "cvtf64", "cvt64", of = "fp64" },
}

-- Operations that are code on a GPU, and how many instructions they are for the pipe that bounds them, that of the fma of
-- their width: such an operation is never faster than the fma that it is made of.
local CODE = {
	{ "div32", of = "imul", instructions = 20 },   -- [G] (S): up to 20
	{ "div64", of = "imul", instructions = 80 },   -- assumption: four times that
	{ "divf32", of = "fp32", instructions = 10 },  -- assumption: an approximation, two Newton steps, quotient, remainder, correction, scaling
	{ "rootf32", of = "fp32", instructions = 8 },  -- assumption
	{ "divf64", of = "fp64", instructions = 10 },  -- assumption
	{ "rcpf64", of = "fp64", instructions = 6 },   -- assumption
	{ "rootf64", of = "fp64", instructions = 9 },  -- assumption
}

local column = {}
for k, name in ipairs(COLUMNS) do column[name] = k end
for name, other in pairs(SAME) do column[name] = column[other] end

-- The entry of the table: a rate, "several", "none", or nil where it isn't known. level: of Lua's error, whom to blame.
local function entry_for(level, capability, row)
	local k = column[capability]
	if not k then
		error(("there are no rates for compute capability '%s', expected one of %s"):format(tostring(capability), table.concat(COLUMNS, ", ")), level + 1)
	end
	local rates = ROWS[row] or error(("the guide has no rates for '%s', expected a row as shift"):format(tostring(row)), level + 1)
	return rates[k] or nil
end

local function number_of(rate) return type(rate) == "number" and rate or nil end

local function entry(capability, row)
	local rate = entry_for(2, capability, row)
	return rate
end

-- The rate, or nil where the guide gives none.
local function of(capability, row)
	local rate = entry_for(2, capability, row)
	return number_of(rate)
end

local function has_word(list, word) return (" " .. list .. " "):find(" " .. word .. " ", 1, true) end

-- The mark and source of a figure, as machine files give them: "[G] (S) ...", or nil: it is remembered.
local function source_of_rate(capability, row)
	local name = COLUMNS[column[capability]]
	for _, s in ipairs(SOURCES) do
		if has_word(s[2], name) and has_word(s[3], row) then return s.mark or "[G] (S)", s[1] end
	end
end

-- Says of a parameter that it follows from a rate of the guide.
local function say_source(key, capability, row)
	local mark, who = source_of_rate(capability, row)
	source(key, ("%s %d results a cycle for %s, compute capability %s%s"):format(mark or "assumption, as remembered:", number_of(ROWS[row][column[capability]]), row,
		capability, who and ": " .. who or ""))
end

-- The unit whose copies a unit or class takes.
local function source_of(machine, name)
	local shares = (machine.units[name] or {}).shares
	return shares and shares ~= "none" and shares or name
end

-- Lanes of one copy of the unit at each of its owners, the schedulers or the SM.
local function lanes_of(machine, name)
	local unit = machine.units[source_of(machine, name)] or {}
	return machine.warp_size * (unit.per == "scheduler" and machine.scheduler.count or 1)
end

-- Looks at what a caller gives as a machine. Errors blame whoever calls the function that calls this.
local function check_machine(m)
	local function refuse(text, ...) error(text:format(...), 4) end
	if type(m) ~= "table" then refuse("expected a machine's table, as derive() returns it, found %s", type(m)) end
	for _, group in ipairs { "units", "scheduler" } do
		if type(m[group]) ~= "table" then refuse("%s: expected a table, found %s: rates are for a whole machine", group, type(m[group])) end
	end
	local function check_positive(name, value)
		if math.type(value) ~= "integer" or value < 1 then error(("%s: expected a whole number above 0"):format(name), 4) end
	end
	check_positive("warp_size", m.warp_size)
	check_positive("scheduler.count", m.scheduler.count)
	for name, unit in pairs(m.units) do
		if type(unit) ~= "table" then refuse("units.%s: expected a table, found %s", tostring(name), type(unit)) end
		for _, field in ipairs { "count", "interval", "latency" } do
			if unit[field] ~= nil and math.type(unit[field]) ~= "integer" then refuse("units.%s.%s: expected a whole number", tostring(name), field) end
		end
	end
	if m.barrier ~= nil and type(m.barrier) ~= "table" then refuse("barrier: expected a table, found %s", type(m.barrier)) end
end

-- The pipes of operations that are code. Errors blame as those of check_machine.
local function check_pipes(m)
	for _, code in ipairs(CODE) do
		local pipe = m.units[code.of] or {}
		if not pipe.interval or not (pipe.latency or (m.units[code[1]] or {}).latency) then
			error(("units.%s: expected interval and latency, found none: rates are for a whole machine"):format(code.of), 3)
		end
	end
end

-- Operations that are code take the pipe that bounds them once for each instruction. Where the machine says nothing, they are
-- a chain of that many.
local function put_divisions(m)
	for _, code in ipairs(CODE) do
		local own, pipe = m.units[code[1]] or {}, m.units[code.of]
		local key = "units." .. code[1]
		m.units[code[1]] = own
		own.shares, own.count, own.interval = source_of(m, code.of), pipe.count, code.instructions * pipe.interval
		source(key .. ".interval", ("%s instructions of %s"):format(code[1] == "div32" and "[G] (S) 20" or "assumption, " .. code.instructions, code.of))
		if not own.latency then
			own.latency = code.instructions * pipe.latency
			source(key .. ".latency", ("assumption: a chain of %d instructions of %s"):format(code.instructions, code.of))
		end
	end
	return m
end

local function divisions(m)
	check_machine(m)
	check_pipes(m)
	return (put_divisions(m))
end

-- Gives every unit and class for which the guide has a rate the interval at which its copies give that rate. A unit has
-- at least as many copies as that takes; a class takes the fewest, of the unit of which it is a class unless the machine
-- says whose. Barriers count threads at the guide's rate.
local function machine(capability, m)
	entry_for(2, capability, "fp32")
	check_machine(m)
	for _, unit in pairs(m.units) do -- a file from which the machine derives may have named a unit that shares another's copies now
		if unit.shares and unit.shares ~= "none" then unit.shares = source_of(m, unit.shares) end
	end
	for _, unit in ipairs(UNITS) do
		local name, rate = unit[1], number_of(entry_for(1, capability, unit[2]))
		local own = m.units[name] or (unit.of and {})
		if rate and own then
			m.units[name] = own
			if unit.of and not own.per and (not own.shares or own.shares == unit.of) then own.shares = source_of(m, unit.of) end
			local lanes = lanes_of(m, name)
			own.count = math.max(not unit.of and own.count or 1, (rate + lanes - 1) // lanes)
			if own.count * lanes % rate ~= 0 then
				error(("units.%s: copies of %d lanes cannot give %d results a cycle"):format(name, lanes, rate), 2)
			end
			own.interval = own.count * lanes // rate
			say_source(("units.%s.interval"):format(name), capability, unit[2])
		end
	end
	check_pipes(m)
	put_divisions(m)
	m.barrier = m.barrier or {}
	m.barrier.threads_per_cycle = number_of(entry_for(1, capability, "barrier"))
	say_source("barrier.threads_per_cycle", capability, "barrier")
	return m
end

return { columns = COLUMNS, rows = ROWS, units = UNITS, code = CODE, divisions = divisions, sources = SOURCES, source_of = source_of_rate, entry = entry, of = of,
	machine = machine }
