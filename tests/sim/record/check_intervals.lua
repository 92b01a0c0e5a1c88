-- Figures over time (gsim --interval), on kernels and machines as they are:
--   sums over intervals are the totals of the report, counter by counter, and of a lone launch that launch's; no counter that adds up is missing;
--   neither host threads nor windows change them; intervals of one cycle, summed by tens, are those of ten, and so on up to one that holds the whole run;
--   without its intervals the report is, byte for byte, the one of a run without --interval;
--   the launches that an interval names are those that run in it, and in its cycles;
--   issues, accesses, stack entries and resident warps are, interval by interval, those of the trace.
-- usage: lua check_intervals.lua TOP [all]
local top, all = arg[1], arg[2] == "all"
local json = dofile(top .. "/tools/json.lua")
local gsim = os.getenv("GSIM") or "./gsim"
local tmp = os.getenv("CHECK_TMP")
local failed = 0
local part, parts = (os.getenv("PART") or "1/1"):match("(%d+)/(%d+)") -- tests/limited
local dealt = 0

local function in_part()
	dealt = dealt + 1
	return dealt % parts == part - 1
end

local function fail(...)
	print("FAILED: " .. string.format(...))
	failed = failed + 1
end

local function contents(path)
	local f = assert(io.open(path))
	local s = f:read("a")
	f:close()
	return s
end

-- The report's text, without what depends on the host; its exit status may be 1.
local function run(what, options)
	local path = tmp .. "/report.json"
	os.remove(path)
	local _, _, status = os.execute(("%s -q --alone %s -s %s >%s/out 2>&1"):format(gsim, options, path, tmp))
	if status > 1 then
		error(("%s: status %d of gsim %s\n%s"):format(what, status, options, contents(tmp .. "/out")), 0)
	end
	return (contents(path):gsub('\n  "host": [^\n]*', ""))
end

local function without_intervals(text)
	return (text:gsub('\n  "intervals": {.-\n  },?', "", 1))
end

local function at(t, path)
	for key in path:gmatch("[^.]+") do
		t = type(t) == "table" and t[key] or nil
	end
	return t
end

local function sums(t, prefix, out)
	for key, v in pairs(t) do
		if type(v) == "number" then out[prefix .. key] = v
		elseif type(v) == "table" and not v[1] then sums(v, prefix .. key .. ".", out) end
	end
	return out
end

-- What total has and intervals have not: maxima, ratios, what the run as a whole has, and the level that serves
-- a load, which is known when the interval has ended.
local NO_SUM = { launches = true, program_cycles = true, simd_utilization = true, ["divergence.max_depth"] = true, ["divergence.mean_depth"] = true,
	seconds = true, occupancy = true }

local function no_sum(path, own)
	return NO_SUM[path] or path:match("^static%.") or path:match("^inserted%.values") or path:match("^inserted%.unread") or
		path:match("^issue%.memory_stalls%.") or own[path]
end

local function check_sums(what, t)
	local counts = t.intervals.counts
	local single = #t.launches == 1 and t.launches[1]
	for path, column in pairs(counts) do
		local sum = 0
		if #column ~= #t.intervals.from then fail("%s: %s has %d intervals, from %d", what, path, #column, #t.intervals.from) end
		for _, n in ipairs(column) do sum = sum + n end
		local want = at(t.total, path)
		if path ~= "resident_warps" and sum ~= want then fail("%s: %s sums up to %.0f, in total it is %s", what, path, sum, want) end
		if path ~= "resident_warps" and single and sum ~= at(single, path) then fail("%s: %s is %s in the launch, %.0f in intervals", what, path, at(single, path), sum) end
	end
	local own = {}
	for key, v in pairs(t.total.divergence) do -- the mechanism's own figures
		if not at(t.total, "divergence." .. key) or not (" branches divergent_branches pushes pops depth_sum spills fills reconvergences merges noop_fetches "):find(" " .. key .. " ", 1, true) then
			own["divergence." .. key] = v
		end
	end
	for path in pairs(sums(t.total, "", {})) do
		if not counts[path] and not no_sum(path, own) then fail("%s: intervals have no %s", what, path) end
	end
end

-- The launches of an interval run in it; its cycles are those in which one does.
local function check_launches(what, t)
	local v, last = t.intervals, -1
	for k, from in ipairs(v.from) do
		local cycles, seen, spans = 0, {}, {}
		if from <= last or from % v.cycles ~= 0 then fail("%s: interval %d is from %d", what, k, from) end
		last = from
		for i, l in ipairs(t.launches) do
			local begin, stop = math.max(l.started, from), math.min(l.started + l.cycles, from + v.cycles)
			if begin < stop then
				spans[#spans + 1] = { begin, stop }
				seen[#seen + 1] = i
			end
		end
		table.sort(spans, function(a, b) return a[1] < b[1] end)
		local done = from
		for _, s in ipairs(spans) do
			cycles = cycles + math.max(s[2] - math.max(s[1], done), 0)
			done = math.max(done, s[2])
		end
		if table.concat(seen, " ") ~= table.concat(v.launches[k], " ") then
			fail("%s: from %d: launches %s, should be %s", what, from, table.concat(v.launches[k], " "), table.concat(seen, " "))
		end
		if v.counts.cycles[k] ~= cycles then fail("%s: from %d: %d cycles, should be %d", what, from, v.counts.cycles[k], cycles) end
		if v.counts["issue.stalls.no_warp"][k] < 0 or v.counts["issue.stalls.no_warp"][k] > v.counts["issue.slots"][k] then
			fail("%s: from %d: no_warp %s of %s", what, from, v.counts["issue.stalls.no_warp"][k], v.counts["issue.slots"][k])
		end
	end
end

-- Laws of a launch hold in each interval, too: of lanes where they are known, of caches. A request is at L2
-- later than at L1.
local LAWS = {
	{ "lanes.inactive", "lanes.no_thread", "lanes.ended", "lanes.parted" },
	{ "memory.transactions", "memory.l1.accesses", "memory.l1.bypasses", "memory.l1.writes", "memory.l1.atomics" },
	{ "memory.l1.accesses", "memory.l1.hits", "memory.l1.merges", "memory.l1.misses" },
	{ "memory.l2.requests", "memory.l2.hits", "memory.l2.misses", "memory.l2.allocations" },
	{ "thread_instructions", "lanes.useful" },
}

local function check_each(what, t, warp_size)
	local counts = t.intervals.counts
	for k, from in ipairs(t.intervals.from) do
		local function at_k(path) return counts[path][k] end
		for _, law in ipairs(LAWS) do
			local sum = 0
			for i = 2, #law do sum = counts[law[i]] and sum and sum + at_k(law[i]) or nil end
			if sum and sum ~= at_k(law[1]) then fail("%s: from %d: %s is %d, its parts %d", what, from, law[1], at_k(law[1]), sum) end
		end
		if counts["lanes.parted"] then
			local lanes = at_k("overhead.thread_instructions") + at_k("overhead.predicated_off") + at_k("overhead.no_thread") + at_k("overhead.ended") + at_k("overhead.parted")
			if lanes ~= at_k("overhead.warp_instructions") * warp_size then fail("%s: from %d: overhead has %d lanes", what, from, lanes) end
		end
		if at_k("resident_warps") == 0 and at_k("issue.stalls.no_warp") ~= at_k("issue.slots") then fail("%s: from %d: stalls without a warp", what, from) end
		if at_k("issue.issued") > at_k("warp_instructions") + at_k("overhead.warp_instructions") then fail("%s: from %d: more issues than instructions", what, from) end
	end
end

-- Short intervals, added up, are long ones. Of a long run lengths have doubled: then one may not divide the
-- other.
local lengths = 0
local function check_lengths(what, short, long)
	local a, b = short.intervals, long.intervals
	if b.cycles % a.cycles ~= 0 then return end
	lengths = lengths + 1
	for path, column in pairs(a.counts) do
		local sum, want = {}, {}
		for k, n in ipairs(column) do
			local from = a.from[k] - a.from[k] % b.cycles
			sum[from] = (sum[from] or 0) + n
		end
		for k, n in ipairs(b.counts[path]) do want[b.from[k]] = n end
		for from, n in pairs(sum) do
			if n ~= want[from] then fail("%s: %s from %d: %.0f in intervals of %d cycles, %s in one of %d", what, path, from, n, a.cycles, want[from], b.cycles) end
		end
	end
end

-- Counts events of a trace, each in its cycle: pairs of names, here and in the report.
local function recount(path, length, add)
	local started = {}
	for line in io.popen(("%s-trace --csv --events issue,memory,push,pop,warp_start,warp_end %s"):format(gsim, path)):lines() do
		local f = {}
		for field in line:gmatch("([^,]*),") do
			f[#f + 1] = field
			if #f == 14 then break end
		end
		local clock, event, warp = tonumber(f[14]), f[8], f[1] .. " " .. f[4] .. " " .. f[5]
		local added = line:match(",([^,]*)$") ~= ""
		if event == "issue" then add(added and "overhead.warp_instructions" or "warp_instructions", clock, 1)
		elseif event == "memory" then add("memory.transactions", clock, tonumber(f[11]))
		elseif event == "push" or event == "pop" then add("divergence." .. (event == "push" and "pushes" or "pops"), clock, 1)
		elseif event == "warp_start" then started[warp] = clock
		elseif event == "warp_end" then
			for cycle = started[warp], clock do add("resident_warps", cycle, 1) end
		end
	end
end

local function check_trace(what, name, options)
	local trace = tmp .. "/run.trace"
	local t = json.parse(run(what, "--interval 10 -t " .. trace .. " " .. options .. " " .. name), what).intervals
	local count, seen = {}, 0
	recount(trace, t.cycles, function(path, cycle, n)
		local from = cycle - cycle % t.cycles
		count[path] = count[path] or {}
		count[path][from] = (count[path][from] or 0) + n
	end)
	for path, want in pairs(count) do
		for k, n in ipairs(t.counts[path]) do
			if n ~= (want[t.from[k]] or 0) then fail("%s: %s from %d: %d, in the trace %d", what, path, t.from[k], n, want[t.from[k]] or 0) end
			seen, want[t.from[k]] = seen + n, nil
		end
		if next(want) then fail("%s: %s from %d is in the trace alone", what, path, next(want)) end
	end
	if seen == 0 or not (count.warp_instructions and count.resident_warps) then fail("%s: the trace has nothing", what) end
end

local function check(name, options)
	local what = name .. " " .. options
	options = options .. " " .. (name:find("/", 1, true) == 1 and name or top .. "/kernels/" .. name)
	local plain, last = run(what, options)
	for _, length in ipairs((all or name:find("waits")) and { 1, 10, 100, 1000, 1000000000 } or { 10, 100, 1000000000 }) do
		local n = "--interval " .. length .. " "
		local text = run(what, n .. options)
		local t = json.parse(text, what)
		if without_intervals(text) ~= plain then fail("%s: --interval %d changes the report", what, length) end
		check_sums(n .. what, t)
		check_launches(n .. what, t)
		check_each(n .. what, t, t.configuration.values.warp_size)
		if last then check_lengths(what, last, t) end
		if length == 10 and t.intervals.cycles == 10 or all and length == 100 then
			for _, way in ipairs { "-j 3 ", "--window 1 ", "--window 7 -j 2 " } do
				if run(what, way .. n .. options) ~= text then fail("%s: %s changes intervals of %d cycles", what, way, length) end
			end
		end
		last = t
	end
end

local some = {
	{ "stencil/stencil.ptx", "-c kepler.lua -m token -D sm.count=2" }, { "bfs/bfs.ptx", "-c volta.lua -m its -D sm.count=3" },
	{ "two_streams/two_streams.ir", "-c kepler.lua -D sm.count=2" }, { "two_streams/two_streams.ir", "-c volta.lua -m multi_path -D sm.count=4 -D launch.latency_cycles=0" },
	{ "reduction/reduction.ptx", "-c kepler.lua -D sm.count=2 -m tbc -D launch.cold=true" }, { "scan/scan.ptx", "-c volta.lua -m mimd" },
	{ "spmv/spmv.ptx", "-c volta.lua -m dwf -D sm.count=2" }, { "calculator/calculator.ir", "-c kepler.lua -m sbi" },
	{ "loop_exits/loop_exits.ir", "-c sandy.lua -D sm.count=2" }, { "transpose/transpose.ptx", "-c kepler.lua -D launch.warm=true" },
	{ "compaction/compaction.ptx", "-c vega20.lua -m exec_mask -D sm.count=2" }, { "recursion/recursion.ptx", "-c fermi.lua" },
	{ "stencil/stencil.ptx", "-c kepler.lua -D limits.max_cycles=600" }, { "stencil/stencil.ptx", "-c kepler.lua -D launch.warm=true -D limits.max_cycles=600" },
	{ tmp .. "/stores.ir", "-c kepler.lua -D sm.count=1 -D dram.channels=1 -D launch.latency_cycles=100 -D launch.overhead_cycles=4400 --laws" },
	{ tmp .. "/waits.ir", "-c kepler.lua -D sm.count=2" }, { tmp .. "/waits.ir", "-c volta.lua -D sm.count=1 -D limits.max_cycles=2500" },
}

if all then
	some = {}
	for path in io.popen(("cd %s/kernels && ls */*.ptx */*.ir"):format(top)):lines() do
		local lua = io.open(top .. "/kernels/" .. path:gsub("%.%w+$", ".lua"))
		if lua then
			lua:close()
			for _, machine in ipairs { "kepler", "volta", "sandy" } do
				some[#some + 1] = { path, "-c " .. machine .. ".lua -D sm.count=2" }
			end
		end
	end
end
local runs = 0
for _, one in ipairs(some) do
	if in_part() then
		check(one[1], one[2])
		runs = runs + 1
	end
end
for _, options in ipairs { "-c kepler.lua -D sm.count=2", "-c volta.lua -m its", "-c sandy.lua", "-c volta.lua -m dwf -D sm.count=2" } do
	if in_part() then check_trace("trace of waits " .. options, tmp .. "/waits.ir", options) end
	if in_part() then check_trace("trace of stencil " .. options, top .. "/kernels/stencil/stencil.ptx", options) end
end
if lengths < runs then fail("only %d pairs of lengths are compared", lengths) end
print(("%d runs, %d pairs of lengths, %d failures"):format(runs, lengths, failed))
os.exit(failed == 0)
