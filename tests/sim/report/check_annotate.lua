-- What --annotate shows adds up: the instructions of the code, the lines of the source, and what is printed,
-- to the report's totals; the code to the lines, place by place; a printed line of the source is the file's;
-- of two runs each column is that run's. check_annotate.lua TOP
local top = arg[1]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
local dir = tool.capture("mktemp -d"):match("%S+")
local failed, checked = 0, 0

local function fail(what, ...)
	failed = failed + 1
	if failed <= 20 then print("FAILED: " .. what:format(...)) end
end
local function same(what, want, got)
	checked = checked + 1
	if want ~= got then fail("%s: %s expected, %s found", what, want, got) end
end

-- Runs gsim in the source tree: the report, and the text with the listing.
local function gsim(options)
	local command = ("cd %s && gsim %s -s %s/report.json -s %s/report.txt >%s/out 2>&1"):format(tool.quote(top), options, dir, dir, dir)
	local _, _, status = os.execute(command)
	assert(status < 2, command)
	local f = assert(io.open(dir .. "/report.txt"))
	local text = f:read("a")
	f:close()
	return json.read(dir .. "/report.json"), text
end

-- ---- sums of the report's tables ----

local FIGURES = { "issued", "lanes", "lost", "inserted", "overhead", "stalled" }

local function all(t)
	local sum = 0
	for _, v in pairs(t or {}) do sum = sum + v end
	return sum
end

local function add(sum, row)
	for _, f in ipairs(FIGURES) do sum[f] = (sum[f] or 0) + (row[f] or 0) end
	return sum
end

local function same_sums(what, want, got)
	for _, f in ipairs(FIGURES) do same(what .. ": " .. f, want[f] or 0, got[f] or 0) end
end

local function total_of(report)
	local t = report.total
	return { issued = t.warp_instructions, lanes = t.thread_instructions, lost = t.lanes.parted or 0, inserted = t.inserted.warp_instructions,
		overhead = t.overhead.warp_instructions, stalled = all(t.issue.stalls) }
end

local function of_line(l)
	return { issued = l.warp_instructions, lanes = l.thread_instructions, lost = l.lost, inserted = l.inserted and l.inserted.warp_instructions,
		overhead = l.overhead and l.overhead.warp_instructions, stalled = all(l.stalls) }
end

local function of_code(i)
	local own = not i.added
	return { issued = own and i.warp_instructions, lanes = own and i.thread_instructions, lost = i.lost, inserted = i.pass and i.warp_instructions,
		overhead = i.added and i.warp_instructions, stalled = all(i.stalls) }
end

local function place(row) return ("%s %s:%d"):format(row["function"] or "", row.file or "", row.line) end

local function tables(name, report)
	local lines, code, by, rest = {}, {}, {}, {}
	for _, l in ipairs(report.total.lines) do
		add(lines, of_line(l))
		if l["function"] then by[place(l)] = of_line(l) else rest = of_line(l) end
	end
	same_sums(name .. ": lines", total_of(report), lines)
	local at = {}
	for _, k in ipairs(report.kernels) do
		for _, i in ipairs(k.code or {}) do
			add(code, of_code(i))
			at[place(i)] = add(at[place(i)] or {}, of_code(i))
		end
	end
	same_sums(name .. ": code", total_of(report), add(code, rest))
	for key in pairs(by) do same_sums(name .. ": code at " .. key, by[key], at[key] or {}) end
	for key in pairs(at) do same_sums(name .. ": line " .. key, by[key] or {}, at[key]) end
end

-- ---- what is printed ----

-- Where columns stand: { name, from, to } of each figure, and of each run where there are two.
local function columns(head, runs)
	local list, from = {}, 1
	for name, stop in head:gmatch("%s*(%S+)()") do
		if name == "mostly" then break end
		if runs == 1 then
			list[#list + 1] = { name = name, run = 1, from = from, to = stop - 1 }
		else
			list[#list + 1] = { name = name, run = 1, from = from, to = from + (stop - from + 1) // 2 - 1 }
			list[#list + 1] = { name = name, run = 2, from = list[#list].to + 1, to = stop - 1 }
		end
		from = stop
	end
	return list
end

-- Listings of the text: what each run's lines add up to, mean lanes times issues among them; of the sum that
-- is printed; lines of files.
local function listings(name, text, runs)
	local folder = name:match("(%S+/)[^/ ]+%.%a+") -- of the module
	local sum, printed, file, list = { {}, {} }, { {}, {} }, nil, nil
	local skip, seen = 0, 0
	for line in text:gmatch("([^\n]*)\n") do
		if skip > 0 then
			skip = skip - 1
		elseif line:match("^ +issued ") then
			list, skip = columns(line, runs), runs - 1
		elseif list and line == "" then
			list = nil
		elseif list then
			local row = { {}, {} }
			for _, c in ipairs(list) do row[c.run][c.name] = tonumber(line:sub(c.from, c.to)) end
			for k = 1, runs do row[k].lanes = row[k].lanes and row[k].lanes * (row[k].issued or 0) end
			if line:find("sum of the lines", 1, true) then
				printed = row
			else
				same(name .. ": a row for what the lines leave out", nil, line:match("the whole run"))
				for k = 1, runs do add(sum[k], row[k]) end
				local number, source = line:sub(list[#list].to + 1):match("^.-%f[%w](%d+)  (.*)$")
				if file and number and not source:match("^%^") then
					seen = seen + 1
					if file[tonumber(number)] ~= source then fail("%s: line %s reads %q, in the file %q", name, number, source, file[tonumber(number)]) end
				end
			end
		elseif line:match("%S") then
			file = nil
			local f = line:match("^[%w_./]+$") and (io.open(top .. "/" .. line) or io.open(top .. "/" .. folder .. line))
			if f then
				file = {}
				for l in f:lines() do
					local out = ""
					for c in l:gmatch(".") do out = out .. (c == "\t" and (" "):rep(4 - #out % 4) or c) end
					file[#file + 1] = out:gsub(" +$", "")
				end
				f:close()
			end
		end
	end
	return sum, printed, seen
end

local function near(what, want, got, by) if math.abs(want - got) > by then fail("%s: %s expected, %s found", what, want, got) end end

local function same_text(name, text, reports, source)
	local sum, printed, seen = listings(name, text, #reports)
	for k, report in ipairs(reports) do
		local want = total_of(report)
		for _, f in ipairs(FIGURES) do
			local by = f == "lanes" and 0.05 * want.issued + 0.01 or 0 -- means have one decimal
			near(("%s: %s of all lines, run %d"):format(name, f, k), want[f], sum[k][f] or 0, by)
			near(("%s: %s of the sum, run %d"):format(name, f, k), want[f], printed[k][f] or 0, by)
		end
	end
	if source and seen == 0 then fail("%s: no line of a file is shown", name) end
end

-- ---- runs ----

local function one(options)
	for _, what in ipairs { "source", "code" } do
		local report, text = gsim(("--annotate=%s %s"):format(what, options))
		tables(options, report)
		same_text(options .. " " .. what, text, { report }, what == "source")
	end
end

local function two(options)
	for _, what in ipairs { "source", "code" } do
		local report, text = gsim(("-b --annotate=%s %s"):format(what, options))
		tables(options .. ", before", report.before)
		tables(options .. ", after", report.after)
		same_text(options .. " -b " .. what, text, { report.before, report.after }, what == "source")
	end
end

for _, model in ipairs { "token", "ipdom", "its", "tf_stack", "exec_mask", "dwf", "mimd" } do
	one(("-m %s kernels/loop_exits/loop_exits.ptx"):format(model))
end
one("--functional kernels/short_circuit/short_circuit.ir")
one("--alone -m serial kernels/spin_lock/spin_lock.ptx") -- a livelock, also while caches are warmed
one("--alone -m serial -D launch.warm=true kernels/spin_lock/spin_lock.ptx")
one("-c kepler.lua -D launch.warm=true kernels/short_circuit/short_circuit.ir")
one("-c volta.lua kernels/device_calls/device_calls.ptx")
one("-c kepler.lua kernels/two_streams/two_streams.ir")
-- Of inlined functions: what the code says of an instruction is what its line says, and the line is one of
-- the list.
local function at(places, row)
	for _, p in ipairs(places or {}) do
		if p.file == row.file and p.line == row.line then return true end
	end
	return false
end
local function inlined(options)
	local report, text = gsim("--annotate " .. options)
	local lines, n = {}, 0
	for _, l in ipairs(report.total.lines) do lines[place(l)] = l end
	for _, i in ipairs(report.kernels[1].code) do
		if i.inlined then
			n = n + 1
			same(options .. ": the place of '" .. i.text .. "' is in its list", true, at(i.inlined, i))
			same(options .. ": the file of the place is the last one's", i.inlined[#i.inlined].file, i.file)
			same(options .. ": what the line of '" .. i.text .. "' has inlined", not at({ i.inlined[1] }, i), at(lines[place(i)].inlined, i.inlined[1]))
		end
	end
	if n == 0 then fail("%s: nothing is inlined", options) end
	return report, text
end
local compiled = "-w tests/isa/ptx/inlined.lua tests/isa/ptx/inlined.sm_75.ptx"
one("-c volta.lua " .. compiled)
for _, p in ipairs { "-c kepler.lua ", "-c volta.lua -p if-convert,copy-prop,dce ", "-c volta.lua -p linearize " } do inlined(p .. compiled) end
do
	local report, text = inlined("-c volta.lua " .. compiled)
	for _, want in ipairs { "^ inlined: inlined.h:3, inlined.h:4\n", "  inlined.cu:6 $L__BB0_3", "    (inlined at inlined.cu:14, at inlined.cu:20)\n",
		"    (inlined inlined.h:3, at inlined.cu:13, at inlined.cu:20)\n" } do
		if not text:find(want, 1, true) then fail("inlined: %q is not shown in\n%s", want, text) end
	end
	local f = io.popen(("cd %s && sed 's/rd1+4\\]/rd1+400000]/' tests/isa/ptx/inlined.sm_75.ptx >%s/far.ptx && gsim -q -c volta.lua -w tests/isa/ptx/inlined.lua %s/far.ptx 2>&1"):format(
		tool.quote(top), dir, dir))
	local message, want = f:read("a"), "inlined.cu:7 (inlined at inlined.cu:14, at inlined.cu:20), thread block (0,0,0), thread (2,0,0)"
	f:close()
	if not message:find(want, 1, true) then fail("inlined: %q is not in %q", want, message) end
	checked = checked + 5
end
two("-c kepler.lua -p linearize kernels/short_circuit/short_circuit.ir")
two("-c titan_rtx.lua -p kfcm --source kernels kernels/host_programs/path_regeneration.ir")
two("-c vega20.lua -p meld kernels/bitonic_sort/bitonic_sort.ptx")
-- A branch of one file whose lanes meet at a line of the other: a note names that file. The line of a file is
-- cut between characters and says so; lines that a file has not are told.
local function write(name, text)
	local f = assert(io.open(dir .. "/" .. name, "w"))
	f:write(text)
	f:close()
end
write("two.ir", [[
file 1 "one.h"
file 2 "two.cu"
kernel k()
{
	reg u32 %lane
	reg pred %p
A:
	%lane = mov.u32 %tid.x !loc 2:2
	%p = setp.lt.u32 %lane, 3 !loc 2:2
	bra %p, B, C !loc 1:1
B:
	%lane = add.u32 %lane, 1 !loc 1:1
	bra C !loc 1:1
C:
	%lane = add.u32 %lane, 1 !loc 2:1
	exit !loc 2:1
}
]])
write("two.lua", 'gpu.launch { kernel = "k", grid = 1, block = 32 }')
write("one.h", ("x"):rep(3) .. ("\u{e9}"):rep(400) .. "\n")
write("two.cu", "the only line\n")
local _, text = gsim(dir .. "/two.ir --annotate")
local function shows(what) if not text:find(what, 1, true) then fail("two files: %q is not shown in\n%s", what, text) end end
shows("together again in C (two.cu:1): 1\n")
shows("\u{e9} ...\n")
shows("two.cu: ends at line 1, before the last one of the module: it is not what the module was made from\n")
if not utf8.len(text) then fail("two files: the text is no UTF-8") end
-- What holds a byte 0 is no source text, and is not shown.
write("two.cu", "secret=1\0other=2\n")
_, text = gsim(dir .. "/two.ir --annotate")
shows("two.cu: is not to be read here, so its lines stand without their text (--source DIR names its folder)\n")
if text:find("secret", 1, true) then fail("two files: a file that is no text is shown") end
-- Where no source but the module can be read, in which an instruction without a place in the source stands,
-- the code is shown.
os.remove(dir .. "/one.h")
os.remove(dir .. "/two.cu")
write("two.ir", io.open(dir .. "/two.ir"):read("a"):gsub("\texit[^\n]*", "\texit"))
_, text = gsim(dir .. "/two.ir --annotate")
shows("code of kernel k\n")
-- Without timing no stalls are counted, and nothing is shown of them.
_, text = gsim(dir .. "/two.ir --functional --annotate=code")
if text:find("no instruction", 1, true) then fail("--functional: there are no stalls, but a section of them") end
os.execute("rm -rf " .. dir)
print(("%d figures compared, %d failed"):format(checked, failed))
os.exit(failed == 0)
