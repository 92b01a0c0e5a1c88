-- What experiments of tools/reproduce share that run programs on several machines, with and without passes,
-- and compare counters with what a paper says: runs, sums over launches, lines of text and CSV, claims, and
-- how it ends.
--   local m = dofile(top .. "/tools/measure.lua")(top, out)
-- A job is { machine, program, block, lists }: `lists` names the pipelines, the first of which is the one
-- that the others are compared with.
--   machine: { name, model, options }      program: { name, file, workload, kernels, all, arguments }
-- `kernels`: those that count, by Lua patterns of their names, the first pattern that a run has; of these the
-- first kernel, or with `all` every one. `arguments`: what the workload is given for threads of a block, and
-- a job.
return function(top, out)
local m = { top = top, out = out, quick = tonumber(os.getenv("QUICK") or 0) }
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
m.tool, m.plot = tool, dofile(top .. "/tools/plot.lua")

-- Machines that are small parts of a card, with L2 and memory to match, so that inputs which a simulator can
-- run fill them.
m.SIXTH_OF_TURING = "-c turing.lua -D sm.count=5 -D l2.slices=4 -D l2.bytes=524288 -D dram.channels=2"

-- ---- runs ----

-- Sums over the launches of a run that count.
local SUMMED = { cycles = "cycles", instructions = "warp_instructions", lanes = "thread_instructions", divergent = "divergence.divergent_branches",
	shared = "memory.shared_accesses", loads = "memory.global_loads", stores = "memory.global_stores", sectors = "memory.transactions",
	conflicts = "memory.shared_conflicts", spills = "memory.local_accesses", added = "overhead.warp_instructions", inserted = "inserted.warp_instructions",
	unfaulting = "memory.nonfaulting.loads", zeros = "memory.nonfaulting.zero_lanes", reads = "memory.dram.reads", writes = "memory.dram.writes" }
local function figure(launch, path)
	local v = launch
	for part in path:gmatch("[^.]+") do v = v and v[part] end
	return v or 0
end

local function add(s, l)
	for name, path in pairs(SUMMED) do s[name] = s[name] + figure(l, path) end
	for name, n in pairs(l.issue.stalls) do s.stalls[name] = (s.stalls[name] or 0) + n end
	s.registers = s.all and math.max(s.registers, l.static.registers) or l.static.registers
	s.occupancy = s.all and math.min(s.occupancy, l.static.occupancy) or l.static.occupancy
	s.kernel, s.kernels[l.kernel] = l.kernel, true
end

local function matches(p, kernel)
	for _, pattern in ipairs(p.kernels) do
		if kernel:find(pattern) then return true end
	end
	return false
end

-- counts: what passes did to the kernels that count, by the names of --pass-stats.
function m.sums(p, report)
	local s = { stalls = {}, counts = {}, kernels = {}, registers = 0, occupancy = 1, all = p.all }
	for name in pairs(SUMMED) do s[name] = 0 end
	for _, pattern in ipairs(p.kernels) do
		for _, l in ipairs(report.launches) do
			if l.kernel:find(pattern) and (p.all or (s.kernel or l.kernel) == l.kernel) then add(s, l) end
		end
		if s.kernel then break end
	end
	assert(s.kernel, p.name .. ": no kernel ran that counts")
	for _, c in ipairs(report.pass_stats) do
		local what = c.what or "assumed " .. c.assumed
		if s.kernels[c["function"]] then s.counts[what] = (s.counts[what] or 0) + c.count end
	end
	s.global, s.issued = s.loads + s.stores, s.instructions + s.added
	s.use = s.lanes / (s.instructions * report.configuration.values.warp_size)
	return s
end

local function command(j, passes, more)
	local words = { ("cd %s && gsim -q -j 1%s %s --grid -m %s -s %s%s"):format(tool.quote(top), more, j.machine.options, j.machine.model, tool.quote(j.report),
		j.program.workload and " -w " .. j.program.workload or "") }
	for _, list in ipairs(j.lists) do words[#words + 1] = "-p " .. tool.quote(passes(j.program, list)) end
	return ("%s %s -- %s"):format(table.concat(words, " "), j.program.file, table.concat({ j.program.arguments(j.block, j) }, " "))
end

-- Runs every job and hands what came out to out(job, number of the list, run of the report).
local function all(jobs, what, passes, more, result)
	local commands = {}
	for i, j in ipairs(jobs) do
		j.report = ("%s/run-%d.json"):format(out, i)
		commands[i] = command(j, passes, more)
	end
	tool.progress(("%s: %d commands"):format(what, #jobs))
	tool.all(commands)
	for _, j in ipairs(jobs) do
		for i, r in ipairs(json.read(j.report).runs) do result(j, i, r) end
		os.remove(j.report)
	end
	tool.progress("")
end

-- Runs every job and leaves what came out in job[list]. passes(program, list): the pipeline that a name
-- stands for.
function m.run(jobs, what, passes)
	all(jobs, what, passes, "", function(j, i, r) j[j.lists[i]] = m.sums(j.program, r) end)
end

-- Runs every job in the reference interpreter and leaves in job[list] how many values instructions that
-- passes inserted have computed, and how many of these nothing has read: { values, unread }.
function m.speculation(jobs, what, passes)
	all(jobs, what, passes, " --reference", function(j, i, r)
		local s = { values = 0, unread = 0 }
		for _, l in ipairs(r.launches) do
			if matches(j.program, l.kernel) then s.values, s.unread = s.values + l.inserted.values, s.unread + l.inserted.unread end
		end
		j[j.lists[i]] = s
	end)
end

-- A job for each program on one machine, the longest first.
function m.jobs(machine, programs, lists)
	local jobs = m.each(programs, function(p) return { machine = machine, program = p, block = p.block, lists = lists } end)
	table.sort(jobs, function(a, b) return (a.program.long or 0) > (b.program.long or 0) end)
	return jobs
end
-- Every program with every list on every machine: the jobs by machine and program's name.
function m.measure(machines, programs, lists, what, passes)
	local jobs, at = {}, {}
	for _, machine in ipairs(machines) do
		at[machine] = {}
		for _, j in ipairs(m.jobs(machine, programs, lists)) do jobs[#jobs + 1], at[machine][j.program.name] = j, j end
	end
	m.run(jobs, what, passes)
	return at
end

-- The options of each pass that this build has.
function m.options()
	local passes, mine = {}, nil
	for line in tool.capture("gsim-opt --list"):gmatch("[^\n]+") do
		if line:match("^%S") then
			mine = {}
			passes[line:match("^%S+")] = mine
		elseif line:match("^%s+%S+ =") then
			mine[line:match("%S+")] = true
		end
	end
	return passes
end

-- ---- what is said ----

local text, csv = {}, { "figure,machine,program,block,passes,what,paper,gsim" }
function m.say(s, ...) text[#text + 1] = (select("#", ...) > 0 and s:format(...) or s):gsub(" +$", "") end
function m.record(fig, machine, program, block, form, what, theirs, ours)
	form = form:find(",", 1, true) and '"' .. form .. '"' or form
	csv[#csv + 1] = ("%s,%s %s,%s,%s,%s,%s,%s,%.10g"):format(fig, machine.name, machine.model, program, block, form, what,
		theirs and ("%.10g"):format(theirs) or "", ours)
end
function m.speed(j, form) return j[j.lists[1]].cycles / j[form].cycles end
function m.share(a, b) return a == 0 and (b == 0 and 1 or math.huge) or b / a end
-- What `of` says of each of a list; nil is left out.
function m.each(list, of)
	local t = {}
	for _, v in ipairs(list) do t[#t + 1] = of(v) end
	return t
end
-- The words of a text as keys.
function m.set(text)
	local t = {}
	for word in text:gmatch("%S+") do t[word] = true end
	return t
end
-- Those of a list of programs whose names are keys of `names`.
function m.named(programs, names)
	local t = {}
	for _, p in ipairs(programs) do t[#t + 1] = names[p.name] and p or nil end
	return t
end
-- The geometric mean of what `of` says of each of a list; nil is left out.
function m.mean(list, of)
	local sum, n = 0, 0
	for _, v in ipairs(list) do
		local x = of(v)
		if x then sum, n = sum + math.log(x), n + 1 end
	end
	return n > 0 and math.exp(sum / n) or 1
end
function m.near(a, b, room) return math.abs(a - b) <= room end

-- Tables with a row for each program and a column for each of some lists, of what m.measure has left;
-- short(list): a column's head.
function m.tables(programs, at, short)
	local t = {}
	short = short or function(form) return form end
	local function row(name, first, cells) m.say("  %-19s %10s " .. (" %13s"):rep(#cells), name, first, table.unpack(cells)) end
	local function number(what) return function(j) return ("%d"):format(j[j.lists[1]][what]) end end
	-- first(job): what stands in front; of(job, form, program): a cell.
	function t.write(machine, forms, first, of)
		row("kernel", "O3", m.each(forms, short))
		for _, p in ipairs(programs) do
			local j = at[machine][p.name]
			row(p.name, first(j), m.each(forms, function(form) return of(j, form, p) end))
		end
	end
	function t.speeds(machine, fig, forms, theirs)
		t.write(machine, forms, number "cycles", function(j, form, p)
			local said = theirs(p, form)
			m.record(fig, machine, p.name, j.block, form, "speed-up", said or nil, m.speed(j, form))
			return ("%.3f%s"):format(m.speed(j, form), said and (" (%.3f)"):format(said) or "        ")
		end)
		row("geometric mean", "", m.each(forms, function(form)
			return ("%.3f        "):format(m.mean(programs, function(p) return m.speed(at[machine][p.name], form) end))
		end))
	end
	local TITLE = { issued = "warp instructions, with those that lowering adds", lanes = "thread instructions", loads = "global loads", sectors = "sectors asked for" }
	function t.counters(machine, fig, forms, names)
		for _, what in ipairs(names) do
			m.say("\n%s: of O3, and the change", TITLE[what])
			t.write(machine, forms, number(what), function(j, form, p)
				local a, b = j[j.lists[1]][what], j[form][what]
				m.record(fig, machine, p.name, j.block, form, what, nil, b)
				return a == b and "=" or ("%+.1f %%"):format(100 * (b / a - 1))
			end)
		end
	end
	function t.registers(machine, fig, forms)
		local function both(s) return ("%d %.2f"):format(s.registers, s.occupancy) end
		m.say("\nregisters and occupancy of O3, and with each pass; occupancy where it changes")
		t.write(machine, forms, function(j) return both(j[j.lists[1]]) end, function(j, form, p)
			for _, what in ipairs { "registers", "occupancy", "spills" } do m.record(fig, machine, p.name, j.block, form, what, nil, j[form][what]) end
			return j[form].occupancy == j[j.lists[1]].occupancy and j[form].registers .. "     " or both(j[form])
		end)
	end
	return t
end

-- Counters before and after, which explain a miss.
local function counters(j, form)
	local a, b, stalls = j[j.lists[1]], j[form], {}
	for name, n in pairs(a.stalls) do
		if name ~= "no_warp" and n + b.stalls[name] > 0 then stalls[#stalls + 1] = { name, n, b.stalls[name] } end
	end
	table.sort(stalls, function(x, y)
		local dx, dy = math.abs(x[3] - x[2]), math.abs(y[3] - y[2])
		return dx > dy or dx == dy and x[1] < y[1]
	end)
	local function change(what) return ("%d -> %d"):format(a[what], b[what]) end
	local said = {}
	for i = 1, math.min(4, #stalls) do said[i] = ("%s %d -> %d"):format(table.unpack(stalls[i])) end
	return ("cycles %s; warp instructions %s, %d of them the pass's, and %s more of lowering; lanes %.1f -> %.1f %%; registers %s"):format(change "cycles",
		change "instructions", b.inserted, change "added", 100 * a.use, 100 * b.use, change "registers"),
		("shared %s, conflicts %s; global %s, local %s, sectors %s; DRAM %d -> %d; stalls: %s"):format(change "shared", change "conflicts", change "global",
			change "spills", change "sectors", a.reads + a.writes, b.reads + b.writes, table.concat(said, ", "))
end

local missed = {}
-- A thing that the paper says: what is found here, whether it agrees, else the counters of job `j` under
-- `form` (the second of its lists), or under each of several.
function m.claim(name, says, here, agrees, j, form)
	m.say("  %-6s %s", name, says)
	m.say("         here: %s: %s", here, agrees and "agrees" or "does not agree")
	if agrees then return end
	missed[#missed + 1] = ("%s %s; here: %s"):format(name, says, here)
	for _, f in ipairs(j and (type(form) == "table" and form or { form or j.lists[2] }) or {}) do
		local issued, memory = counters(j, f)
		m.say("         %s, %d threads a block, %s: %s", j.program.name, j.block, f, issued)
		m.say("           %s", memory)
	end
end

-- A picture of what `of` says of each program and form: a bar for each form, side by side. at (may be nil): a
-- line at this y, from which the bars rise or hang.
function m.bars(file, title, y, programs, forms, of, at)
	local series, names = {}, {}
	for i, form in ipairs(forms) do
		local points = {}
		for k, p in ipairs(programs) do points[k], names[k] = { k, of(p, form) }, p.name end
		series[i] = { name = form, points = points }
	end
	m.plot.write(("%s/%s.svg"):format(out, file), { title = title, y = y, series = series, categories = names, at = at })
end

-- Writes and prints all of it; the exit status says whether something missed.
function m.finish(name)
	m.say("\n%d of what the paper says or the laws ask for missed%s", #missed, #missed > 0 and ":" or "")
	for _, s in ipairs(missed) do m.say("  %s", s) end
	tool.write(("%s/%s.txt"):format(out, name), table.concat(text, "\n") .. "\n")
	tool.write(("%s/%s.csv"):format(out, name), table.concat(csv, "\n") .. "\n")
	print(table.concat(text, "\n"))
	print(("text, CSV and SVG are in %s"):format(out))
	os.exit(#missed == 0 and 0 or 1)
end

return m
end
