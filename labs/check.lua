-- Arguments: source tree, name of the lab's folder, mode ("", --sheet, --solutions), files of answers. Run by
-- labs/check. questions.lua of the lab gets `lab`: functions that run the simulator, and one for each kind of
-- answer (labs/kinds.lua) that asks a question: lab.number(NAME, TEXT, VALUE, DECIMALS), lab.block(NAME,
-- TEXT, LABEL), ... Right values are computed from runs. Of what a student has to write, lab.law(TEXT, HOLDS,
-- WHY) says whether it does what it should; what is asked behind laws that do not hold counts as not
-- answered.
local top, name, mode = table.unpack(arg)
local json = dofile(top .. "/tools/json.lua")
local kinds = dofile(top .. "/labs/kinds.lua")
local scratch = os.tmpname()
local trace, report = scratch .. ".trace", scratch .. ".json"

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local plugins = {}                      -- their files
local function remove()
	for _, path in ipairs { scratch, trace, report, table.unpack(plugins) } do os.remove(path) end
end

local function fail(...)
	io.stderr:write("labs/check: ", ...)
	io.stderr:write("\n")
	remove()
	os.exit(2)
end

-- What a command prints when it is run in the source tree, and its status.
local function attempt(command)
	local pipe = assert(io.popen(("cd %s && %s"):format(quote(top), command)))
	local text = pipe:read("a")
	local _, _, status = pipe:close()
	return text, status or 0
end

-- What it prints; its status has to be 0, or `other`.
local function output(command, other)
	local text, status = attempt(command)
	if status ~= 0 and status ~= other then fail("failed: ", command) end
	return text
end

-- What the trace says of a warp in the first launch: its issues in order, and of each block how often it is
-- fetched, with which lanes each time (`visits`), and lanes and cycle of its first issue; `fetched` is the
-- sum of all fetches, `depth` the greatest, `meetings` the blocks at which the mechanism has made groups one.
local function warp_of(number)
	local warp = { issues = {}, fetches = {}, fetched = 0, lanes = {}, cycle = {}, visits = {}, meetings = {} }
	local first = {}
	for line in output(("gsim-trace --summary --launch 0 --warp %d %s"):format(number, quote(trace))):gmatch("[^\n]+") do
		warp.depth = warp.depth or tonumber(line:match("max_depth%s+(%d+)"))
		warp.instructions = warp.instructions or tonumber(line:match("warp_instructions%s+(%d+)"))
		warp.active = warp.active or tonumber(line:match("^  lanes%s+(%d+)"))
		local block, n = line:match("block [%w_.$]+ ([%w_.$]+): fetches (%d+)")
		if block then
			warp.fetches[block] = tonumber(n)
			warp.fetched = warp.fetched + tonumber(n)
		end
	end
	for line in output(("gsim-trace --text --launch 0 --warp %d --events issue,reconverge %s"):format(number, quote(trace))):gmatch("[^\n]+") do
		local cycle, depth, lanes, pc, block, text = line:match("^%s*(%d+)%s+%d+%s+%d+%s+%d+%s+(%d+) issue%s+(%S+)%s+(%d+) ([%w_.$]+): (.*)")
		local met = line:match(" reconverge%s+%S+%s+%d+ ([%w_.$]+)")
		if met then warp.meetings[#warp.meetings + 1] = met end
		if block then
			local issue = { cycle = tonumber(cycle), depth = tonumber(depth), lanes = lanes, pc = pc, block = block, text = text }
			warp.issues[#warp.issues + 1] = issue
			if not first[block] then
				first[block], warp.lanes[block], warp.cycle[block], warp.visits[block] = pc, lanes, issue.cycle, {}
			end
			if first[block] == pc then table.insert(warp.visits[block], lanes) end
		end
	end
	return warp
end

local lab = { output = output, attempt = attempt, fail = fail, trace = trace, solving = mode ~= "" }
local questions, laws = {}, {}
local broken = false                    -- a law so far

-- Compiles a file to a plug-in of gsim; returns the options that load it, or nil when it does not compile, and why
-- stands on standard error. more: options of the compiler.
function lab.plugin(source, more)
	local object = ("%s.%d.so"):format(scratch, #plugins)
	plugins[#plugins + 1] = object
	local flags, missing = attempt("pkg-config --cflags gsim-internal")
	if missing ~= 0 then fail("nothing can be compiled here: pkg-config does not find gsim-internal") end
	local _, failed = attempt(("${CC:-cc} -Wall -O2 %s %s -shared -o %s %s >&2"):format(flags:gsub("%s+$", ""), more, quote(object), quote(source)))
	return failed == 0 and ("--load %s "):format(quote(object)) or nil
end
function lab.law(text, holds, why)
	laws[#laws + 1] = { text = text, holds = holds, why = why }
	broken = broken or not holds
end
-- Another part of the lab begins, with laws of its own. True: the laws so far hold, or nobody asks.
function lab.part() broken = false end
function lab.holds() return not broken end

-- Runs gsim with these options and this module (with arguments behind it): `report` is the JSON report,
-- `total` its total, `fetches` and `branches` are its blocks and branches by label, `utilization` in percent.
-- The trace of the last run is in the file lab.trace. A run that the simulated program ends with a failure
-- has `report.status` "failed".
function lab.run(options, module)
	output(("gsim -q --alone %s -s %s -t %s %s 2>/dev/null"):format(options, quote(report), quote(trace), module), 1)
	local got = json.read(report)
	got = got.after or got
	local run = { report = got, total = got.total, launches = got.launches, fetches = {}, branches = {} }
	for _, b in ipairs(got.total.blocks or {}) do run.fetches[b.label] = b.fetches end
	for _, b in ipairs(got.total.branches or {}) do run.branches[b.label] = b end
	run.utilization = 100 * (got.total.simd_utilization or 0)
	return run
end

-- The same, and the trace of warp `number` (0) in `warp`.
function lab.traced(options, module, number)
	local run = lab.run(options, module)
	run.warp = warp_of(number or 0)
	return run
end

for kind, make in pairs(kinds) do
	lab[kind] = function(key, text, ...)
		questions[#questions + 1] = { key = key, text = text, answer = not broken and make(...) }
	end
end

-- A text in lines of at most 110 characters, each behind a mark of a comment.
local function comment(text)
	local lines, line = {}, "#"
	for word in text:gmatch("%S+") do
		if #line + #word > 109 then
			lines[#lines + 1] = line
			line = "#"
		end
		line = line .. " " .. word
	end
	lines[#lines + 1] = line
	return table.concat(lines, "\n")
end

local function show_sheet(filled)
	if not filled then
		print(("# Your answers: one a line, after the =. Then run labs/check labs/%s.\n"):format(name))
	end
	for k, q in ipairs(questions) do
		if not filled then print(comment(("%d. %s (%s)"):format(k, q.text, q.answer.form))) end
		print(q.key .. " =" .. (filled and " " .. q.answer.shown or ""))
	end
end

local function verdict(q, typed)
	if not q.answer then return "later: first the code" end
	if typed == nil or typed.value == "" then return "no answer yet" end
	if typed.again then return ("answered twice, in lines %d and %d: one answer counts"):format(typed.line, typed.again) end
	local right = q.answer.accepts(typed.value)
	if right == nil then return "not understood: expected " .. q.answer.form end
	return right and "right" or "not right: look again"
end

-- A sheet's answers, { value, line, again = a second line with the name } by name, and how many lines are
-- none. nil: it cannot be read.
local function sheet(file)
	local typed, known, number, bad = {}, {}, 0, 0
	local f = io.open(file)
	local text = f and f:read("a")
	if f then f:close() end
	if not text then
		io.stderr:write("labs/check: cannot read ", file, "\n")
		return nil
	end
	local function wrong(...)
		io.stderr:write("labs/check: ", file, ":", number, ": error: ", ...)
		io.stderr:write("\n")
		bad = bad + 1
	end
	for _, q in ipairs(questions) do known[q.key] = true end
	for line in text:gsub("^\xef\xbb\xbf", ""):gmatch("([^\n]*)\n?") do -- editors put a mark of the byte order in front
		number = number + 1
		local key, value = line:match("^%s*([%w_]+)%s*=%s*(.-)%s*$")
		if key and not known[key] then
			wrong("no question '", key, "'")
		elseif not key and not line:find("^%s*#") and line:find("%S") then
			wrong("expected NAME = ANSWER or # and a comment")
		elseif key and typed[key] then
			typed[key].again = number
		elseif key then
			typed[key] = { value = value, line = number }
		end
	end
	return typed, bad
end

-- The sheet's verdict: as the exit status has it.
local function check(file)
	local wrong = 0
	local typed, bad = sheet(file)
	if not typed then return 2 end
	for _, law in ipairs(laws) do
		if not law.holds then wrong = wrong + 1 end
		print(("    %s: %s"):format(law.text, law.holds and "holds" or "does not hold: " .. law.why))
	end
	for k, q in ipairs(questions) do
		local answer = typed[q.key]
		local said = verdict(q, answer)
		if said ~= "right" then wrong = wrong + 1 end
		print(("%2d. %-14s %-12s %s"):format(k, q.key, answer and answer.value or "", said))
	end
	return bad > 0 and 2 or wrong > 0 and 1 or 0
end

assert(loadfile(("%s/labs/%s/questions.lua"):format(top, name)))(lab)
remove()
for _, law in ipairs(lab.solving and laws or {}) do
	if not law.holds then fail(law.text, ": ", law.why) end
end
if mode == "--sheet" or mode == "--solutions" then
	show_sheet(mode == "--solutions")
else
	local status = 0
	for k = 4, #arg do
		if #arg > 4 then print(arg[k] .. ":") end
		io.stdout:flush()
		status = math.max(status, check(arg[k]))
	end
	os.exit(status)
end
