-- What reports say of each kernel and of the whole program follows from the launches: sums, times, the
-- profile of the host's blocks, the size of the code; and a comparison shows it so. check_kernels.lua TOP
local top = arg[1]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
local dir = tool.capture("mktemp -d"):match("%S+")
local failed = 0

local function fail(what, ...)
	failed = failed + 1
	if failed <= 20 then print("FAILED: " .. what:format(...)) end
end
local function same(what, want, got)
	if want ~= got then fail("%s: %s expected, %s found", what, want, got) end
end

local function gsim(options, file)
	tool.capture(("cd %s && gsim -q %s -s %s/report.json %s 2>&1"):format(tool.quote(top), options, dir, file))
	return json.read(dir .. "/report.json")
end

-- ---- sums and times ----

local SUMMED = { "cycles", "warp_instructions", "thread_instructions" }

local function sums(name, report)
	local by, order = {}, {}
	for _, l in ipairs(report.launches) do
		local row = by[l.kernel]
		if not row then
			row = { launches = 0, started = math.huge, ended = 0 }
			by[l.kernel], order[#order + 1] = row, l.kernel
		end
		row.launches = row.launches + 1
		for _, f in ipairs(SUMMED) do row[f] = l[f] and (row[f] or 0) + l[f] end
		row.started, row.ended = l.started and math.min(row.started, l.started), l.started and math.max(row.ended, l.program_cycles)
	end
	same(name .. ": kernels", #order, #report.kernels)
	for i, k in ipairs(report.kernels) do
		same(name .. ": kernel " .. i, order[i], k.kernel)
		for f, v in pairs(by[k.kernel] or {}) do same(("%s: %s of %s"):format(name, f, k.kernel), v, k[f]) end
	end
	local n = 0
	for _, k in ipairs(report.kernels) do n = n + k.launches end
	same(name .. ": launches in all", report.total.launches, n)
end

-- The cycles in which some launch ran, as the union of the launches' times, and where the host must have
-- waited.
local function times(name, report)
	local spans, values, last = {}, report.configuration.values, nil
	for i, l in ipairs(report.launches) do
		spans[i] = { l.started, l.started + l.cycles }
		if l.program_cycles ~= l.started + l.cycles then fail("%s: launch %d ends at %d, not when its cycles are over", name, i, l.program_cycles) end
		if last then
			if l.called < last.called + values["launch.overhead_cycles"] then fail("%s: launch %d is called too early", name, i) end
			if last.stream == 0 and l.stream == 0 and l.called < last.program_cycles then fail("%s: launch %d is called while the one before runs", name, i) end
		end
		if l.started < l.called + values["launch.latency_cycles"] then fail("%s: launch %d starts too early", name, i) end
		last = l
	end
	table.sort(spans, function(a, b) return a[1] < b[1] end)
	local busy, stop = 0, 0
	for _, s in ipairs(spans) do
		busy, stop = busy + math.max(0, s[2] - math.max(s[1], stop)), math.max(stop, s[2])
	end
	same(name .. ": cycles in which a launch ran", busy, report.total.cycles)
	same(name .. ": the program's end", stop, report.total.program_cycles)
	if report.total.program_cycles < report.total.cycles + values["launch.latency_cycles"] then fail("%s: the program takes less time than its launches", name) end
end

-- ---- the host's blocks, and the size of the code ----

-- Instructions of each function of IR text, and what a host function launches: counts by block and kernel; of
-- guarded launches, at most so many.
local function read_module(text)
	local size, launches, fn, label = {}, {}, nil, nil
	for line in text:gmatch("[^\n]+") do
		local kind, name = line:match("^(%a+) ([%w_$`.]+)%(")
		if kind and not line:find("^extern") then
			fn, label = { name = name, host = kind == "host" }, "bb0"
			size[name] = 0
		elseif line:find "^}" then
			fn = nil
		elseif fn and line:find "^[%w_$.]+:" then
			label = line:match "^([%w_$.]+):"
		elseif fn and line:find "^\t" and not line:find "^\t[rsl][eho][gac]%w* " and not line:find "^\t%." then
			size[fn.name] = size[fn.name] + 1
			local kernel = line:match "launch ([%w_$]+),"
			if kernel and fn.host then
				launches[label] = launches[label] or {}
				launches[label][#launches[label] + 1] = { kernel = kernel, guarded = line:find "^\t@" ~= nil }
			end
		end
	end
	return size, launches
end

local function code(name, report, file, options)
	local text = tool.capture(("cd %s && gsim-opt %s -o - %s"):format(tool.quote(top), options, file))
	local size, launches = read_module(text)
	for _, k in ipairs(report.kernels) do same(name .. ": instructions of " .. k.kernel, size[k.kernel], k.instructions) end
	local all = 0
	for fn, n in pairs(size) do all = all + (fn ~= "main" and n or 0) end
	same(name .. ": instructions in all", all, report.code.instructions)
	if not report.host_blocks then return end
	local least, most = {}, {}
	for _, b in ipairs(report.host_blocks) do
		for _, l in ipairs(launches[b.label] or {}) do
			most[l.kernel], least[l.kernel] = (most[l.kernel] or 0) + b.executed, (least[l.kernel] or 0) + (l.guarded and 0 or b.executed)
		end
	end
	for _, k in ipairs(report.kernels) do
		if k.launches > (most[k.kernel] or 0) or k.launches < (least[k.kernel] or 0) then
			fail("%s: %d launches of %s, where the host's blocks have %s to %s", name, k.launches, k.kernel, least[k.kernel], most[k.kernel])
		end
		least[k.kernel] = 0
	end
	for kernel, n in pairs(least) do
		if n > 0 then fail("%s: %s was not launched, %d expected", name, kernel, n) end
	end
end

local function check(name, file, options)
	local report = gsim(options or "", file)
	sums(name, report)
	times(name, report)
	code(name, report, file, "")
	for _, mode in ipairs { "--functional", "--reference" } do sums(name .. " " .. mode, gsim(mode, file)) end
	return report
end

-- ---- what is run ----

for _, kernel in ipairs { "gaussian", "two_streams", "srad", "huffman" } do
	for _, ending in ipairs { "ptx", "ir" } do
		local file = ("kernels/%s/%s.%s"):format(kernel, kernel, ending)
		local f = io.open(top .. "/" .. file)
		if f then
			f:close()
			check(kernel, file)
			local recorded = ("%s/%s.ir"):format(dir, kernel)
			if os.execute(("cd %s && gsim -q --functional --record-host %s %s >/dev/null 2>&1"):format(tool.quote(top), recorded, file)) then
				check(kernel .. ", recorded", recorded)
			end
		end
	end
end

-- A host function with a loop, a branch and a guarded launch; one kernel is never launched.
local function store(name, value)
	return ("kernel %s(u64 x) {\n\t%%x = ld.param.u64 [x]\n\t%%i = mov.u32 %%tid.x\n\t%%at = mad.wide.u32 %%i, 4, %%x\n\tst.global.u32 [%%at], %d\n\texit\n}\n"):format(name, value)
end
local MAIN = [[
host main() {
	reg u64 %x, %y
	reg u32 %i
	reg pred %odd, %more
	%x = alloc.u64 128
	%y = alloc.u64 512
	%i = mov.u32 0
	bra LOOP
LOOP:
	launch a, 1, 32, 0, (%x)
	%low = and.b32 %i, 1
	%odd = setp.ne.u32 %low, 0
	@%odd launch b, 1, 32, 0, 1, (%y)
	bra %odd, ODD, NEXT
ODD:
	launch b, 2, 32, 0, 2, (%y)
	launch a, 1, 32, 0, (%x)
	bra NEXT
NEXT:
	%i = add.u32 %i, 1
	%more = setp.lt.u32 %i, 7
	bra %more, LOOP, AFTER
AFTER:
	exit
}
]]
local loop, lone = dir .. "/loop.ir", dir .. "/lone.ir"
tool.write(loop, store("a", 1) .. store("b", 2) .. store("never", 3) .. MAIN)
local report = check("loop", loop)
same("loop: launches", 7 + 3 + 3 + 3, report.total.launches)
same("loop: launches of a", 10, report.kernels[1].launches)
check("loop under token, on a large machine", loop, "-c turing.lua -m token -D launch.overhead_cycles=1 -D launch.latency_cycles=7")

-- ---- comparisons ----

local both = gsim("-b -p copy-prop,dce", loop)
same("results", "equal", both.results)
same("identical buffers", 2, both.compared.identical)
same("their bytes", 640, both.compared.bytes)
local text = tool.capture(("cd %s && gsim -b -p copy-prop,dce %s"):format(tool.quote(top), loop))
if not text:find("\nresults: identical in 2 buffers, 640 bytes\n", 1, true) then fail("the comparison does not say in what results are identical:\n%s", text) end

-- The rows of the table, as lists of words.
local function rows(words)
	local t, on = {}, false
	for line in words:gmatch("[^\n]*\n") do
		on = line:find "^kernels  +launches" and true or on and line ~= "\n"
		local name, rest = line:match "^  (%S+) +(.*)\n"
		if on and name then
			t[#t + 1] = { name }
			for w in rest:gmatch("%S+") do table.insert(t[#t], w) end
		end
	end
	return t
end

-- A table of two reports: a kernel that only one of them has launched has no figures in the other.
local function compare(what, a, b, shown)
	local order, at = {}, {}
	for k, r in ipairs { a, b } do
		for _, row in ipairs(r.kernels) do
			if not at[row.kernel] then
				at[row.kernel] = {}
				order[#order + 1] = row.kernel
			end
			at[row.kernel][k] = row
		end
	end
	same(what .. ": rows", #order, #shown)
	for i, name in ipairs(order) do
		local x, y = at[name][1], at[name][2]
		local want = { name }
		for _, f in ipairs { "launches", "cycles", "ratio", "instructions" } do
			if f == "ratio" then
				want[#want + 1] = x and y and ("%.3f"):format(y.cycles / x.cycles) or "-"
			else
				want[#want + 1], want[#want + 2] = x and tostring(x[f]) or "-", y and tostring(y[f]) or "-"
			end
		end
		same(what .. ": row", table.concat(want, " "), table.concat(shown[i] or {}, " "))
	end
end
compare("before and after", both.before, both.after, rows(text))

tool.write(lone, store("a", 1) .. store("c", 2) .. MAIN:gsub("launch b", "launch c"))
local paths = {}
for i, file in ipairs { loop, lone } do
	paths[i] = ("%s/%d.json"):format(dir, i)
	tool.capture(("cd %s && gsim -q -s %s %s"):format(tool.quote(top), paths[i], file))
end
compare("two modules", json.read(paths[1]), json.read(paths[2]), rows(tool.capture(("gsim-compare %s %s"):format(paths[1], paths[2]))))

-- Without launches the sums are the same.
local short = gsim("--sums", loop)
same("--sums: launches", nil, short.launches)
for i, k in ipairs(report.kernels) do
	for f, v in pairs(k) do
		if type(v) ~= "table" then same(("--sums: %s of %s"):format(f, k.kernel), v, short.kernels[i][f]) end
	end
	for f, v in pairs(k.static) do same(("--sums: static.%s of %s"):format(f, k.kernel), v, short.kernels[i].static[f]) end
end
same("--sums: cycles", report.total.cycles, short.total.cycles)
for _, options in ipairs { "", "--functional" } do
	local long = tool.capture(("cd %s && gsim -b %s -p copy-prop,dce %s"):format(tool.quote(top), options, loop))
	local brief = tool.capture(("cd %s && gsim -b --sums %s -p copy-prop,dce %s"):format(tool.quote(top), options, loop))
	same("--sums: the comparison " .. options, long:match "\n.*", brief:match "\n.*")
end

-- The text of one run has a line for each kernel where there are several.
local one = tool.capture(("cd %s && gsim %s"):format(tool.quote(top), loop))
for _, k in ipairs(report.kernels) do
	if not one:find(("\n  %s +%d +%d +%%S+ %%%% +%d +%d +%d\n"):format(k.kernel, k.launches, k.cycles, k.started, k.ended, k.instructions)) then
		fail("the report has no line for %s:\n%s", k.kernel, one)
	end
end

os.execute("rm -rf " .. dir)
os.exit(failed == 0)
