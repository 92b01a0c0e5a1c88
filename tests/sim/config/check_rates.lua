-- Rates of every machine: those of the guide are exact, and an operation that is code is no faster than the fma of its width.
-- usage: check_rates.lua SOURCE-TREE GSIM
local top, gsim = arg[1], arg[2]
local said = 0
local environment = setmetatable({ source = function() said = said + 1 end }, { __index = _G })
local rates = assert(loadfile(top .. "/configs/tables/rates.lua", "t", environment))()
local failed = false

local function fail(...)
	print("FAILED: " .. string.format(...))
	failed = true
end

local function capture(command)
	local pipe = assert(io.popen(command))
	local text = pipe:read("a")
	return pipe:close() and text
end

-- The unit of which a class leaves the rest open, by the manual's list: "units.shift.latency ... as in the unit of which it is a class".
local parent = {}
for _, list in ipairs({ rates.units, rates.code }) do
	for _, u in ipairs(list) do parent[u[1]] = u.of end
end

-- Results in a cycle of an SM, and the latency, as the machine has them once what is open is filled in.
local function effective(m, name)
	local unit, of = m.units[name], m.units[parent[name]]
	local copies, shares = unit.count, unit.shares
	if copies == 0 then copies, shares = of.count, of.shares ~= "none" and of.shares or parent[name] end
	local owner = m.units[shares ~= "none" and shares or name]
	local interval = unit.interval > 0 and unit.interval or of.interval
	return copies * (owner.per == "scheduler" and m.scheduler.count or 1) * m.warp_size / interval, unit.latency > 0 and unit.latency or of.latency
end

-- Who was read for a figure: columns and rows that there are, and cells that have something. What nobody was read for is an assumption.
local function check_sources()
	local known = {}
	for _, name in ipairs(rates.columns) do known[name] = true end
	for _, s in ipairs(rates.sources) do
		for name in s[2]:gmatch("%S+") do
			if not known[name] then fail("'%s' has column %s, which there is not", s[1], name) end
			for row in s[3]:gmatch("%S+") do
				if not rates.rows[row] then
					fail("'%s' has row %s, which there is not", s[1], row)
				elseif not rates.entry(name, row) then
					fail("'%s' has %s of %s, the table has a gap", s[1], row, name)
				end
			end
		end
	end
	for _, want in ipairs { { "8.0", "imul", "[G] (S)" }, { "8.9", "fp64", "[G] (S)" }, { "9.0", "sfu", "[G] (S)" }, { "7.5", "shfl", "[Q] (P)" }, { "8.6", "imul" },
		{ "9.0", "sad" }, { "8.0", "cvt64" }, { "12.0", "sfu" }, { "7.0", "reverse" }, { "7.0", "vote" } } do
		local mark = rates.source_of(want[1], want[2])
		if mark ~= want[3] then fail("%s of %s has the mark %s, not %s", want[2], want[1], tostring(mark), tostring(want[3])) end
	end
end
check_sources()

local machines, compared = 0, 0
for file in capture("ls '" .. top .. "/configs'"):gmatch("([%w_]+%.lua)\n") do
	local text = capture(("GSIM_PATH='%s/configs' '%s' --print-config -c %s"):format(top, gsim, file))
	local m = text and load(text, file, "t", {})()
	if not m then
		fail("%s does not load", file)
	else
		machines = machines + 1
		local source = assert(io.open(top .. "/configs/" .. file)):read("a")
		local capability = source:match('rates%.machine%("([%d.]+)"')
		for _, u in ipairs(rates.units) do
			local want = capability and rates.of(capability, u[2])
			local got = effective(m, u[1])
			if want then compared = compared + 1 end
			if want and got ~= want then fail("%s: %s gives %g results a cycle, the guide has %g", file, u[1], got, want) end
		end
		if capability and m.barrier.threads_per_cycle ~= rates.of(capability, "barrier") then fail("%s: threads at barriers", file) end
		for _, code in ipairs(rates.code) do
			local rate, latency = effective(m, code[1])
			local fma_rate, fma_latency = effective(m, code.of)
			if rate > fma_rate or latency < fma_latency then
				fail("%s: %s takes %d cycles at %g a cycle, %s takes %d at %g", file, code[1], latency, rate, code.of, fma_latency, fma_rate)
			end
		end
	end
end
if machines < 12 or compared < 100 then fail("only %d machines and %d rates were compared", machines, compared) end
os.exit(not failed)
