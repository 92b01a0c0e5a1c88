-- The work of tools/mutate, which see. usage: lua mutate.lua TREE OPTION... FILE...
local tree = table.remove(arg, 1)
local count, skip, seed, seconds, tests, files = 3, 0, 1, 10, nil, {}

local function die(...)
	io.stderr:write("tools/mutate: ", string.format(...), "\n")
	os.exit(2)
end

local function lines_of(command)
	local out, p = {}, io.popen(command)
	for line in p:lines() do out[#out + 1] = line end
	return out, p:close()
end

-- FILE, FOLDER or FILE:LINE as rows of a file and, perhaps, its line.
local function add_files(word)
	local name, line = word:match("^(.*):(%d+)$")
	name = (name or word):gsub("^%./", ""):gsub("/$", "")
	local found = lines_of(("cd '%s' && find '%s' -name '*.c' 2>/dev/null | LC_ALL=C sort"):format(tree, name))
	if #found == 0 then die("%s: no C file of the tree", name) end
	for _, file in ipairs(found) do files[#files + 1] = { name = file, line = tonumber(line) } end
end

while arg[1] do
	local word = table.remove(arg, 1)
	local function number() return math.tointeger(table.remove(arg, 1)) or die("%s: expected a number", word) end
	if word == "--count" then count = number()
	elseif word == "--skip" then skip = number()
	elseif word == "--seed" then seed = number()
	elseif word == "--seconds" then seconds = number()
	elseif word == "--tests" then tests = table.remove(arg, 1) or die("--tests: expected names")
	elseif word:find("^%-") then die("unknown option %s", word)
	else add_files(word) end
end
if #files == 0 then die("expected a FILE") end

local function contents(path)
	local f = assert(io.open(path, "rb"))
	local s = f:read("a")
	f:close()
	return s
end

local function write(path, s)
	local f = assert(io.open(path, "wb"))
	f:write(s)
	f:close()
end

-- ---- the changes ----

local OTHERS = {
	["=="] = "!=", ["!="] = "==", ["<"] = "<=", ["<="] = "<", [">"] = ">=", [">="] = ">", ["&&"] = "||", ["||"] = "&&",
	["+"] = "-", ["-"] = "+", ["&"] = "|", ["|"] = "&", ["<<"] = ">>", [">>"] = "<<", ["!"] = "", ["+="] = "-=", ["-="] = "+=",
	["|="] = "&=", ["&="] = "|=",
}
local OPERATORS = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=" }
local BINARY_ALONE = { ["+"] = true, ["-"] = true, ["&"] = true } -- without a value in front, a sign or an address

-- Calls take(at, operator) for each operator of the text that has another; comments, strings and the
-- preprocessor's lines have none.
local function each_operator(s, take)
	local at, value, line_start = 1, false, true
	while at <= #s do
		local c, last = s:sub(at, at), at
		if c == "\n" then
			line_start = true
		elseif c:find("%s") then
		elseif line_start and c == "#" then
			repeat last = s:find("\n", last + 1, true) or #s until s:sub(last - 1, last - 1) ~= "\\"
			last = last - 1
		elseif s:find("^/%*", at) then
			_, last = s:find("*/", at + 2, true)
		elseif s:find("^//", at) then
			last = (s:find("\n", at, true) or #s + 1) - 1
		elseif c == '"' or c == "'" then
			last = at + 1
			while s:sub(last, last) ~= c do last = last + (s:sub(last, last) == "\\" and 2 or 1) end
			value, line_start = true, false
		elseif c:find("[%w_]") then
			_, last = s:find("^[%w_.]+", at)
			local word = s:sub(at, last)
			value, line_start = word ~= "return" and word ~= "case", false
		else
			local operator = c
			for _, o in ipairs(OPERATORS) do
				if s:sub(at, at + #o - 1) == o then operator = o break end
			end
			last = at + #operator - 1
			if OTHERS[operator] and (value or not BINARY_ALONE[operator]) then take(at, operator) end
			value, line_start = c == ")" or c == "]", false
		end
		at = last + 1
	end
end

-- Of each file those behind `skip` of an order that the seed makes, `count` of them; of a line all.
local changes = {}
for _, file in ipairs(files) do
	local text, all = contents(tree .. "/" .. file.name), {}
	each_operator(text, function(at, operator)
		local _, before = text:sub(1, at):gsub("\n", "")
		if before + 1 == (file.line or before + 1) then
			all[#all + 1] = { file = file.name, at = at, line = before + 1, from = operator, to = OTHERS[operator] }
		end
	end)
	local first, last = 1, #all
	if not file.line then
		math.randomseed(seed)
		for i = 1, #all do
			local k = math.random(i, #all)
			all[i], all[k] = all[k], all[i]
		end
		first, last = skip + 1, math.min(skip + count, #all)
	end
	local chosen = table.move(all, first, last, 1, {})
	table.sort(chosen, function(a, b) return a.at < b.at end)
	table.move(chosen, 1, #chosen, #changes + 1, changes)
end

-- ---- do the tests notice? ----

local build = tree .. "/build"
local log = build .. "/mutate.log"

local function make(goals, jobs)
	return os.execute(("make -s -j%d -C '%s' %s >'%s' 2>&1"):format(jobs, build, goals, log))
end

local function words_of_make(variable)
	local out = {}
	local rule = ("printf 'words:\\n\\t@echo $(%s)\\n' | make -s -C '%s' -f Makefile -f - words"):format(variable, build)
	for word in lines_of(rule)[1]:gmatch("%S+") do out[#out + 1] = word end
	return out
end

if not make("all", 2) then die("the tree as it is does not build (%s)", log) end
local all_tests, programs = words_of_make("TESTS"), words_of_make("check_PROGRAMS")

local function source_of(test) return tree .. "/" .. (test:find("%.sh$") and test or test:gsub("%.%d.*", "") .. ".c") end

-- What has to be built for a test: itself; for a script the programs of the tree, and those of the tests that
-- it names.
local function goals_of(test)
	if not test:find("%.sh$") and not test:find("%.part$") then return test end
	local goals, text = { "all", test:find("%.part$") and test }, test:find("%.sh$") and contents(tree .. "/" .. test) or ""
	for _, program in ipairs(programs) do
		if test:find(program, 1, true) or text:find(program, 1, true) then goals[#goals + 1] = program end
	end
	return table.concat(goals, " ")
end

-- Runs a test with so many seconds of processor time for each process, and more for all of them. Returns
-- whether it passed, the processor time that it took, and whether the time for all was over.
local function run(test, most)
	local command = "cd '%s' && srcdir=.. TEST_SECONDS=%d timeout %d ../tests/limited %s >'%s' 2>&1; s=$?; times; exit $s"
	local path = test:find("%.sh$") and "../" .. test or test
	local out, passed, _, status = lines_of(command:format(build, most, 10 + 4 * most, path, log))
	local spent = 0
	for minutes, s in (out[2] or ""):gmatch("(%d+)m([%d.]+)s") do spent = spent + 60 * minutes + s end
	return passed or status == 77, spent, status == 124
end

-- The tests of the nearest folder of tests/ that is laid out as the file's, and random kernels.
local function candidates(file)
	local folder, found = file:match("^(.*)/"), {}
	if tests then
		for test in tests:gmatch("%S+") do found[#found + 1] = test end
		return found
	end
	while folder and #found == 0 do
		for _, test in ipairs(all_tests) do
			if test:sub(1, #folder + 7) == "tests/" .. folder .. "/" then found[#found + 1] = test end
		end
		folder = folder:match("^(.*)/")
	end
	found[#found + 1] = "tests/random/check_properties"
	return found
end

-- How long each test takes on the tree as it is, and which are left out as they take longer.
local took, too_long = {}, {}
local function measure(test)
	if took[test] or too_long[test] then return end
	if not make(goals_of(test), 2) then die("%s does not build (%s)", test, log) end
	local passed, spent, over = run(test, tests and 300 or seconds + 2)
	if not tests and (over or spent > seconds) then
		too_long[test] = true
		too_long[#too_long + 1] = test
	elseif not passed then
		die("the tree as it is fails %s (%s)", test, log)
	end
	took[test] = not too_long[test] and spent
end

-- Does the test's name, or what it says, name the file or its folder?
local function names_area(test, file)
	local folder, base = file:match("([^/]+)/([^/]+)%.c$")
	local name, text = test:match("[^/]+$"), contents(source_of(test))
	return name:find(folder, 1, true) or name:find(base, 1, true) or text:find(base, 1, true) or text:find(base:gsub("_", "-"), 1, true)
end

-- Those that name the area first, of these and of the others the fastest.
local function tests_for(file)
	local found, first = {}, {}
	for _, test in ipairs(candidates(file)) do
		measure(test)
		if took[test] then
			found[#found + 1] = test
			first[test] = names_area(test, file) and 0 or 1000
		end
	end
	if #found == 0 then die("%s: no test is left that takes no more than %d seconds", file, seconds) end
	table.sort(found, function(a, b) return first[a] + took[a] < first[b] + took[b] end)
	return found
end

-- The test that notices; nil: none; "build": it does not compile.
local function noticed_by(names)
	if not make("libgsim.a", 1) then return "build" end
	for _, test in ipairs(names) do
		if not make(goals_of(test), 1) then die("%s does not link (%s)", test, log) end
		if not run(test, math.ceil(3 * took[test]) + 2) then return test end
	end
end

local changed = assert(io.open(build .. "/mutate.changed", "w")) -- read by tools/mutate
local names = {}
for _, c in ipairs(changes) do names[c.file] = names[c.file] or tests_for(c.file) end

local noticed, broken, survivors = 0, 0, {}
for i, c in ipairs(changes) do
	local path = tree .. "/" .. c.file
	local text = contents(path)
	changed:write(c.file, "\n")
	changed:flush()
	write(path, text:sub(1, c.at - 1) .. c.to .. text:sub(c.at + #c.from))
	local test = noticed_by(names[c.file])
	write(path, text)
	local line = text:sub(text:sub(1, c.at - 1):match(".*()\n") or 1):match("^\n?%s*([^\n]*)")
	local what = ("%s:%d: %s -> %s: %s"):format(c.file, c.line, c.from, c.to == "" and "nothing" or c.to, line)
	if not test then survivors[#survivors + 1] = what
	elseif test == "build" then broken = broken + 1
	else noticed = noticed + 1 end
	local state = not test and "SURVIVES" or test == "build" and "does not compile" or "noticed by " .. test
	print(("%d of %d: %s: %s"):format(i, #changes, state, what))
	io.stdout:flush()
end
print()
for _, s in ipairs(survivors) do print("survives: " .. s) end
if #too_long > 0 then print(("not run, as they take longer than %d seconds: %s"):format(seconds, table.concat(too_long, " "))) end
print(("%d changes: %d noticed, %d survive, %d do not compile"):format(#changes, noticed, #survivors, broken))
os.exit(#survivors == 0)
