-- Writes a machine file for a GPU that is not shipped, from what micro-benchmarks measured there. Arguments: source tree or data folder,
-- then what `help` says. Run by tools/gsim-tune.
local top = table.remove(arg, 1)
local tool, keys = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/machine-keys.lua")
local rows, machine = dofile(top .. "/tools/tune/rows.lua"), dofile(top .. "/tools/tune/machine.lua")
local figures, nearest = dofile(top .. "/tools/tune/figures.lua"), dofile(top .. "/tools/tune/nearest.lua")
tool.program = "gsim-tune"
local help = [[
usage: gsim-tune [options] CSV
Writes a machine file that derives from the nearest one shipped, in which each parameter that a
figure of the CSV speaks of is set so that gsim measures that figure. The CSV has a header, columns
figure (as latency/add.u32) and value, and chip, machine, unit, seen where they are there. On
standard error: what was nearest, which figures agree, which do not, and what the figures do not
say.
      --base FILE          derive from this machine file, not from the nearest
      --chip NAME          the figures of this chip or machine, of those in the CSV
  -o, --output FILE        write here; default: standard output. An existing file is not written
                           over
      --rounds N           runs of the micro-benchmarks that correct what was set: 3; 0: nothing is
                           run
      --version            show the version
  -h, --help               show this
Status: 0; 1 gsim failed on the machine; 2 usage or bad input.
]]

local function fail(text)
	io.stderr:write(text, "\n")
	os.exit(2)
end
local function usage(text) fail("error: " .. text .. "; see gsim-tune --help") end

-- ---- the command line ----

local NAME, TAKES = { ["-o"] = "--output", ["-h"] = "--help" }, { ["--base"] = true, ["--chip"] = true, ["--output"] = true, ["--rounds"] = true }

local function parse(arguments)
	local o, k = {}, 1
	while k <= #arguments do
		local a, value = arguments[k], nil
		if a:find("^%-%-[%w]+=") then a, value = a:match("^(.-)=(.*)$") end
		local name = NAME[a] or a
		if name == "--help" then
			io.write(help)
			os.exit(0)
		elseif name == "--version" then
			local gsim <close> = io.popen("gsim --version")
			io.write("gsim-tune ", gsim:read("a"):match("%S+%s*$") or "\n")
			os.exit(0)
		elseif TAKES[name] then
			if not value then
				k = k + 1
				value = arguments[k] or usage(a .. " needs an argument")
			end
			if o[name] then usage(a .. " is given more than once") end
			o[name] = value
		elseif a:find("^%-.") then
			usage("unknown option " .. a)
		elseif o.csv then
			usage("more than one CSV")
		else
			o.csv = a
		end
		k = k + 1
	end
	if not o.csv then usage("expected a CSV: gsim-tune [options] CSV") end
	o.rounds = tonumber(o["--rounds"] or 3)
	if not o.rounds or o.rounds < 0 or o.rounds % 1 ~= 0 then
		usage("--rounds: expected a number of runs, not '" .. o["--rounds"] .. "'")
	end
	return o
end

-- ---- the figures ----

local function check_units(path, list)
	local UNITS = { latency = "cycles", rate = "results/cycle/SM", loop = "cycles" }
	for _, row in ipairs(list) do
		local want = keys.of[row.figure] and UNITS[row.figure:match("^%w+")]
		if want and row.unit ~= "" and row.unit ~= want then
			rows.wrong(path, row.line, row.unit_at, "%s is in '%s', expected %s", row.figure, row.unit, want)
		end
		if want and row.value <= 0 then rows.wrong(path, row.line, row.value_at, "%s is %g, expected a number above 0", row.figure, row.value) end
	end
end

-- ---- what is set ----

local State = {} -- config, settings, ranges
local ODD = 10 -- a figure that differs from the base's by so many times is told

local function warn(w, text, ...)
	io.stderr:write(("%s:%d:%d: warning: "):format(w.row.path, w.row.line, w.row.value_at), text:format(...), "\n")
end

local function refuse(w, text, ...) rows.wrong(w.row.path, w.row.line, w.row.value_at, text, ...) end

-- The value within the parameter's range, and the comment that says so when it was not. A figure that is the parameter itself must be
-- in the range; one that is a sum of several, as the time to DRAM, may ask for less of one of them than there can be.
function State:limit(key, value, w, comment)
	local range = self.ranges[key]
	if key:find("^units%..*latency$") then range = { math.max(range[1], 1), range[2] } end -- 0 is not a time, but says that another counts
	local limited = math.max(range[1], math.min(range[2], value))
	if limited == value then return value, comment end
	if not w.entry.sum and not w.settling then
		refuse(w, "%s is %.6g, by which %s would be %.6g, expected %d to %d", w.figure, w.value, key, value, range[1], range[2])
	end
	local which = value < limited and "least" or "most"
	if not w.warned then warn(w, "%s is %.6g, by which %s would be %.6g; it is %d, the %s", w.figure, w.value, key, value, limited, which) end
	w.warned = true
	return limited, figures.limited(w, which, value)
end

-- Sets a parameter by a figure; a whole number. Returns whether it changed.
function State:put(key, value, w, comment)
	if not self.ranges[key] then return false end
	value, comment = self:limit(key, math.floor(value + 0.5), w, comment)
	if value == keys.get(self.config, key) then
		if self.settings[key] or comment then self.settings[key] = { value = value, comment = comment } end
		return false
	end
	local unit = key:match("^units%.([%w_]+)%.latency$")
	for field, kept in pairs(unit and keys.inherited_by(self.config, unit, value) or {}) do
		self:put(("units.%s.%s"):format(unit, field), kept, w, "assumption: that of the unit of which it is a class, as on the base")
	end
	machine.set(self.config, key, value)
	self.settings[key] = { value = value, comment = comment }
	return true
end

-- Units and classes that take copies of the unit have no more than it has.
function State:limit_sharers(unit, copies, w)
	local names = {}
	for name, u in pairs(self.config.units) do
		if u.shares == unit and u.count > copies then names[#names + 1] = name end
	end
	table.sort(names)
	for _, name in ipairs(names) do
		self:put(("units.%s.count"):format(name), copies, w, ("assumption: all copies of %s"):format(unit))
	end
end

-- A unit of each scheduler's own that gives less than a result a cycle to each becomes one for all of them.
function State:widen(unit, w, rate)
	local own, lanes = self.config.units[unit], keys.lanes_of(self.config, unit)
	if own and own.per == "scheduler" and (own.shares or "none") == "none" and own.count == 1 and lanes / rate > self.config.warp_size then
		own.per = "sm"
		self.settings[("units.%s.per"):format(unit)] = { value = '"sm"', comment = figures.comment(w) }
	end
end

-- What the unit can give at most and at least, in results a cycle: on this machine, and with as many copies as any unit may have.
function State:rates_of(unit)
	local lanes, count = keys.lanes_of(self.config, unit)
	local one, longest = lanes / count, self.ranges[("units.%s.interval"):format(unit)][2]
	return one * keys.most_copies(self.config, unit), one * self.ranges[("units.%s.count"):format(unit)][2], one / longest
end

-- What is set for the rate: refuses what no unit can give, and says what this machine's cannot.
function State:comment_of_rate(w, unit)
	local most, ever, least = self:rates_of(unit)
	if w.value > 1.1 * ever or w.value < 0.9 * least then
		refuse(w, "%s is %.6g results a cycle, expected %.3g to %.6g, what a unit can give", w.figure, w.value, least, ever)
	elseif w.value > 1.1 * most then
		if not w.warned then warn(w, "%s is %.6g results a cycle; it is %.6g, the most that its copies can give", w.figure, w.value, most) end
		w.warned = true
		return figures.limited(w, "most that the copies of the unit can give", w.value)
	end
	return figures.comment(w)
end

-- Copies and interval that give the rate best: as few copies as give it within a fiftieth.
function State:put_rate(w, rate)
	local unit = keys.rate_of[w.figure]
	self:widen(unit, w, rate)
	local lanes, count = keys.lanes_of(self.config, unit)
	local comment, best_count, best_interval, best_error = self:comment_of_rate(w, unit), nil, nil, nil
	for copies = 1, keys.most_copies(self.config, unit) do
		local interval = math.max(1, math.floor(lanes / count * copies / rate + 0.5))
		local off = math.abs(lanes / count * copies / interval / rate - 1)
		if not best_error or off < best_error - 0.02 then best_count, best_interval, best_error = copies, interval, off end
	end
	if best_count ~= count then self:put(("units.%s.count"):format(unit), best_count, w, comment) end
	self:limit_sharers(unit, best_count, w)
	return self:put(("units.%s.interval"):format(unit), best_interval, w, comment)
end

-- The values of the parameters that a figure sets, to be restored.
function State:save(w)
	local saved, unit = {}, keys.rate_of[w.figure]
	for _, key in ipairs(unit and { ("units.%s.count"):format(unit), ("units.%s.interval"):format(unit) } or { w.key }) do
		saved[key] = { value = keys.get(self.config, key), setting = self.settings[key] }
	end
	return saved
end

function State:has_moved(saved)
	for key, s in pairs(saved) do
		if keys.get(self.config, key) ~= s.value then return true end
	end
	return false
end

function State:restore(saved)
	for key, s in pairs(saved) do
		machine.set(self.config, key, s.value)
		self.settings[key] = s.setting
	end
end

-- A GPU whose loads from L1 take less than those from L2 has global data in L1.
function State:put_l1(used)
	local l1, l2
	for _, w in ipairs(used) do
		if w.figure == "latency/ld.global L1" then l1 = w elseif w.figure == "latency/ld.global L2" then l2 = w end
	end
	if l1 and l2 and l1.value < 0.8 * l2.value and not self.config.l1.global then
		self.config.l1.global = true
		self.settings["l1.global"] = { value = "true", comment = figures.comment(l1, (", and %.4g from L2"):format(l2.value)) }
	end
end

function State:put_figure(w, value)
	if keys.rate_of[w.figure] then return self:put_rate(w, value) end
	return self:put(w.key, w.entry.value_for(self.config, value), w, figures.comment(w))
end

-- Says of figures that are legal but far from what the base has that they are, in the machine file, too.
function State:look_for_odd(list, base)
	for _, w in ipairs(list) do
		local ours = w.entry.figure_of(self.config)
		local times = ours and ours > 0 and w.value / ours
		if times and (times > ODD or times < 1 / ODD) then
			w.odd = (", odd: %.4g times that of %s"):format(times, base)
			warn(w, "%s is %.6g, %.4g times that of %s", w.figure, w.value, times, base)
		end
	end
end

-- The figures in the order of keys.list, the first of each parameter.
local function principal(used)
	local by_name, taken, list = {}, {}, {}
	for _, w in ipairs(used) do by_name[w.figure] = w end
	for _, entry in ipairs(keys.list) do
		local w = by_name[entry.figure]
		if w and not taken[w.key] then
			taken[w.key] = true
			list[#list + 1] = w
		end
	end
	return list
end

-- ---- what gsim measures ----

local function scratch_folder()
	local dir = os.tmpname()
	os.remove(dir)
	assert(os.execute("mkdir " .. tool.quote(dir)))
	return dir
end

-- By figure, what the micro-benchmarks measure on the machine.
local function measure(dir, text, used)
	local bench = dofile(top .. "/tools/microbench.lua")
	tool.write(dir .. "/microbench.ptx", bench.module)
	tool.write(dir .. "/microbench.lua", bench.workload)
	tool.write(dir .. "/machine.lua", text)
	local kinds, found = {}, {}
	for _, w in ipairs(used) do kinds[w.figure:match("^%w+/")] = true end
	for kind in pairs(kinds) do
		local command = ("gsim -q -c %s %s -- %s stacks quick"):format(tool.quote(dir .. "/machine.lua"), tool.quote(dir .. "/microbench.ptx"), kind)
		local pipe = io.popen(command)
		local out = pipe:read("a")
		if not pipe:close() then
			os.execute("rm -r " .. tool.quote(dir))
			io.stderr:write("error: gsim fails on the machine\n")
			os.exit(1)
		end
		for figure, value in out:gmatch("([^\n]-),[^\n,]+,([^\n,]+)\n") do found[figure] = tonumber(value) end
	end
	return found
end

local function near(ours, theirs) return math.abs(ours - theirs) <= math.max(0.1 * theirs, 1) end

-- Sets the figure's parameter so that it comes to `ours` no longer, but to what was measured.
local function move(state, w, ours)
	w.settling = true
	if keys.rate_of[w.figure] then
		w.aim = (w.aim or w.value) * w.value / ours
		return state:put_rate(w, w.aim)
	end
	local step = w.entry.value_for(state.config, 1) - w.entry.value_for(state.config, 0) -- of the parameter, for one of the figure
	return state:put(w.key, keys.get(state.config, w.key) + (w.value - ours) * step, w, figures.comment(w, ", corrected"))
end

-- How far what gsim measures is from the figure; nil when it does not measure it.
local function distance(w, found)
	local ours = found[w.figure]
	return ours and ours > 0 and math.abs(ours - w.value) or nil
end

-- Takes the figure's last correction back, which stays as it is then, if by it the figure is no nearer. Returns whether it did.
local function take_back(state, w, found)
	local off = distance(w, found)
	if not off or not w.before or off < w.off then return false end
	state:restore(w.before)
	w.before, w.settled = nil, true
	return true
end

-- Corrects parameters by what their figures come to. Returns whether any changed.
local function correct(state, list, found)
	local changed = false
	for _, w in ipairs(list) do
		local off = distance(w, found)
		if take_back(state, w, found) then
			changed = true
		elseif off and not w.settled and off > math.max(0.02 * w.value, 0.5) then
			local before = state:save(w)
			move(state, w, found[w.figure])
			w.before, w.off = state:has_moved(before) and before or nil, off
			changed = w.before ~= nil or changed
		end
	end
	return changed
end

-- A parameter by which the figure is not met has no mark of a measurement.
local function mark_unmet(state, w, ours)
	for key in pairs(state:save(w)) do
		local setting = state.settings[key]
		if setting and not setting.comment:find("^assumption") then setting.comment = figures.unmet(w, ours) end
	end
	if w.settled then
		warn(w, "%s is %.6g, gsim comes to %.4g; correcting %s brings it no nearer and is taken back", w.figure, w.value, ours, w.key)
	end
end

-- ---- the whole ----

local COLUMNS = 100 -- of a line on standard error

-- The names behind the title, in lines of so many columns.
local function wrap(title, names)
	local lines, line = {}, "  " .. title
	for k, name in ipairs(names) do
		local word = " " .. name .. (k < #names and "," or "")
		if #line + #word > COLUMNS then
			lines[#lines + 1] = line
			line = "   "
		end
		line = line .. word
	end
	lines[#lines + 1] = line
	return table.concat(lines, "\n")
end

-- The parameters that the figures do not speak of, by group.
local function unknown(state)
	local groups, names, others = {}, {}, { limits = true } -- others: the parameters of mechanisms that the machine does not have
	for line in tool.capture("gsim --list models"):gmatch("[^\n]+") do
		local model = line:match("^([%w_]+) ")
		if model and model ~= state.config.divergence.model then others[model] = true end
	end
	for key in pairs(state.ranges) do
		local group = key:match("^([%w_]+)%.") or key
		if keys.get(state.config, key) and not state.settings[key] and not others[group] then
			if not groups[group] then
				groups[group] = {}
				names[#names + 1] = group
			end
			table.insert(groups[group], (key:gsub("^[%w_]+%.", "")))
		end
	end
	table.sort(names)
	local out = {}
	for _, group in ipairs(names) do
		table.sort(groups[group])
		out[#out + 1] = wrap(group .. ":", groups[group])
	end
	return out
end

local function report(used, unused, found)
	local apart, good, count = {}, 0, 0
	for _, w in ipairs(used) do
		local ours = found[w.figure]
		if ours then
			count = count + 1
			if near(ours, w.value) then
				good = good + 1
			else
				apart[#apart + 1] = ("  %s: %.4g, gsim %.4g"):format(w.figure, w.value, ours)
			end
		end
	end
	if count > 0 then io.stderr:write(("within a tenth or one unit: %d of %d figures\n"):format(good, count)) end
	if #apart > 0 then io.stderr:write("apart:\n", table.concat(apart, "\n"), "\n") end
	local kinds, names = {}, {}
	for _, figure in ipairs(unused) do
		local kind = figure:match("^[^/]+")
		if not kinds[kind] then names[#names + 1] = kind end
		kinds[kind] = (kinds[kind] or 0) + 1
	end
	for k, kind in ipairs(names) do names[k] = ("%s (%d)"):format(kind, kinds[kind]) end
	if #names > 0 then io.stderr:write("figures that set no parameter: ", table.concat(names, ", "), "\n") end
end

-- The figures of the CSV that set a parameter, and the state before they do.
local function begin(o)
	local list, chip, own = rows.read(o.csv, o["--chip"])
	check_units(o.csv, list)
	local used, unused = figures.of(list, keys, chip)
	if #used == 0 then rows.wrong(o.csv, 1, 1, "no figure that speaks of a parameter, expected some as latency/add.u32") end
	if o["--output"] and io.open(o["--output"]) then fail("error: " .. o["--output"] .. " exists") end
	local base = o["--base"] or nearest.find(top, tool, machine, used, own) or fail("error: no machine files in " .. top .. "/configs")
	local config = machine.config_of(tool.capture, tool.quote, base)
	if not config then os.exit(2) end
	for _, w in ipairs(used) do w.key = w.entry.key_of(config) end
	local state = setmetatable({ config = config, settings = {}, ranges = machine.ranges(tool.capture) }, { __index = State })
	return state, used, unused, base, chip
end

-- Runs the micro-benchmarks on the machine and corrects it. Returns what they measured last.
local function settle(o, state, base, head, used, chosen)
	local found, dir = {}, scratch_folder()
	for _ = 1, o.rounds do
		found = measure(dir, machine.file(base, state.settings, head), used)
		if not correct(state, chosen, found) then break end
	end
	found = measure(dir, machine.file(base, state.settings, head), used)
	local taken_back = false
	for _, w in ipairs(chosen) do taken_back = take_back(state, w, found) or taken_back end
	if taken_back then found = measure(dir, machine.file(base, state.settings, head), used) end
	os.execute("rm -r " .. tool.quote(dir))
	for _, w in ipairs(chosen) do
		local ours = found[w.figure]
		if ours and not near(ours, w.value) then mark_unmet(state, w, ours) end
	end
	return found
end

local function main()
	local o = parse(arg)
	local state, used, unused, base, chip = begin(o)
	local far, count = nearest.distance(state.config, used)
	local chosen = principal(used)
	state:look_for_odd(chosen, base)
	for _, w in ipairs(chosen) do state:put_figure(w, w.value) end
	state:put_l1(used)
	local head = { ("%s. Tuned by gsim-tune: derives from %s, %s,"):format(figures.plain(chip), figures.plain(base), o["--base"] and "as asked" or "the nearest"),
		("from which %d figures differ by %.0f %% in the mean (|ln|). What is not below is that machine's."):format(count, 100 * far),
		("[T] is %s, whose lines are named."):format(figures.plain(o.csv:match("[^/]*$"))) }
	local found = o.rounds > 0 and settle(o, state, base, head, used, chosen) or {}
	local text = machine.file(base, state.settings, head)
	if o["--output"] then tool.write(o["--output"], text) else io.write(text) end
	io.stderr:write(("base: %s, %.0f %% away in the mean of %d figures\n"):format(base, 100 * far, count))
	report(used, unused, found)
	io.stderr:write("not known from the figures, and as on ", base, ":\n", table.concat(unknown(state), "\n"), "\n")
end

local ok, why = pcall(main)
if not ok then fail(type(why) == "table" and why.text or "error: " .. tostring(why)) end
