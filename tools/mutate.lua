-- The work of tools/mutate, which see. usage: lua mutate.lua TREE OPTION... FILE...
local tree = table.remove(arg, 1)
local count, seed, tests, files = nil, 1, nil, {}

local function die(...)
	io.stderr:write("tools/mutate: ", string.format(...), "\n")
	os.exit(2)
end

local function lines_of(command)
	local out, p = {}, io.popen(command)
	for line in p:lines() do out[#out + 1] = line end
	return out, p:close()
end

while arg[1] do
	local word = table.remove(arg, 1)
	local function number() return math.tointeger(table.remove(arg, 1)) or die("%s: expected a number", word) end
	if word == "--count" then count = number()
	elseif word == "--seed" then seed = number()
	elseif word == "--tests" then tests = table.remove(arg, 1) or die("--tests: expected names")
	elseif word:find("^%-") then die("unknown option %s", word)
	else
		word = word:gsub("^%./", ""):gsub("/$", "")
		local found = lines_of(("cd '%s' && find '%s' -name '*.c' 2>/dev/null | LC_ALL=C sort"):format(tree, word))
		if #found == 0 then die("%s: no C file of the tree", word) end
		table.move(found, 1, #found, #files + 1, files)
	end
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

-- Calls take(at, operator) for each operator of the text that has another; comments, strings and the preprocessor's lines have none.
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

local changes = {}
for _, file in ipairs(files) do
	local text = contents(tree .. "/" .. file)
	each_operator(text, function(at, operator)
		local _, line = text:sub(1, at):gsub("\n", "")
		changes[#changes + 1] = { file = file, at = at, line = line + 1, from = operator, to = OTHERS[operator] }
	end)
end
if count and count < #changes then
	math.randomseed(seed)
	for i = 1, count do
		local k = math.random(i, #changes)
		changes[i], changes[k] = changes[k], changes[i]
	end
	changes = table.move(changes, 1, count, 1, {})
	table.sort(changes, function(a, b) return a.file < b.file or a.file == b.file and a.at < b.at end)
end

-- ---- do the tests notice? ----

-- The tests of the nearest folder of tests/ that is laid out as the file's, and random kernels.
local function tests_for(file)
	if tests then return tests end
	local folder, found = file:match("^(.*)/"), {}
	while folder and #found == 0 do
		found = lines_of(("cd '%s/tests/%s' 2>/dev/null && ls check_*.c *.sh 2>/dev/null | sed -e 's/[.]c$//' -e 's,^,tests/%s/,'"):format(tree, folder, folder))
		folder = folder:match("^(.*)/")
	end
	found[#found + 1] = "tests/random/check_properties"
	if file:find("^sim/") then found[#found + 1] = "tests/sim/reconv/check_mechanisms" end
	return table.concat(found, " ")
end

-- True: all pass. "build": it does not compile. Else the tests that noticed.
local function run(names)
	local log = tree .. "/build/mutate.log"
	if not os.execute(("make -s -j2 -C '%s/build' all >'%s' 2>&1"):format(tree, log)) then return "build" end
	if os.execute(("make -s -k -j2 -C '%s/build' check TESTS='%s' >'%s' 2>&1"):format(tree, names, log)) then return true end
	local noticed = lines_of(("sed -n 's/^FAIL: //p' '%s'"):format(log))
	return #noticed > 0 and table.concat(noticed, " ") or "build"
end

local before = {}
for _, c in ipairs(changes) do
	local names = tests_for(c.file)
	if not before[names] then
		local state = run(names)
		if state ~= true then die("the tree as it is: %s (%s)", state, tree .. "/build/mutate.log") end
		before[names] = true
	end
end
local noticed, broken, survivors = 0, 0, {}
for i, c in ipairs(changes) do
	local path = tree .. "/" .. c.file
	local text = contents(path)
	write(path, text:sub(1, c.at - 1) .. c.to .. text:sub(c.at + #c.from))
	local state = run(tests_for(c.file))
	write(path, text)
	local what = ("%s:%d: %s -> %s: %s"):format(c.file, c.line, c.from, c.to == "" and "nothing" or c.to,
		(text:match("[^\n]*", text:sub(1, c.at):match(".*()\n") and text:sub(1, c.at):match(".*()\n") + 1 or 1):gsub("^%s+", "")))
	if state == true then survivors[#survivors + 1] = what
	elseif state == "build" then broken = broken + 1
	else noticed = noticed + 1 end
	print(("%d of %d: %s: %s"):format(i, #changes, state == true and "SURVIVES" or state == "build" and "does not compile" or "noticed by " .. state, what))
	io.stdout:flush()
end
print()
for _, s in ipairs(survivors) do print("survives: " .. s) end
print(("%d changes: %d noticed, %d survive, %d do not compile"):format(#changes, noticed, #survivors, broken))
os.exit(#survivors == 0)
