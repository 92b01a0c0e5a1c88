-- check_labs.lua SPELLING SHEET SOLUTIONS: answers in another spelling, or wrong ones; kinds FILE: the kinds
-- of answers themselves.
local spelling, first, second = table.unpack(arg)

local function close(text) return text:gsub("%s+$", "") end

-- The form of each question, from the sheet's comments.
local function forms()
	local form, comment = {}, ""
	for line in io.lines(first) do
		if line:find("^#") then
			comment = comment .. line:sub(2)
		elseif line:find("=") then
			form[line:match("^%S+")] = comment:match("%(([^()]*)%)%s*$")
			comment = ""
		else
			comment = ""
		end
	end
	return form
end

local function numbers_of(mask)
	local list = {}
	for i = 1, #mask do if mask:sub(i, i) == "1" then list[#list + 1] = tostring(i - 1) end end
	return #list == 0 and "none" or table.concat(list, ", ")
end

local spell = {
	plain = function(value) return value end,
	plain_lower = function(value) return "  " .. value:lower() .. "  " end,
	units = function(value, form)
		if form:find("^a whole number") then return value .. ".0 cycles" end
		if form:find("^a number") then return value .. " %" end
		if form:find("^lanes") then return (value:gsub("%.", "0")) end
		if form:find("^the label") then return "block " .. value end
		if form:find("^labels") then return (value:gsub(" ", " -> ")) end
		return value:upper()
	end,
	listed = function(value, form)
		if form:find("^a number") then return (value:gsub("%.", ",") .. "%") end
		if form:find("^lanes") then return "lanes " .. numbers_of(value) end
		if form:find("^labels") then return (value:lower():gsub(" ", ", ")) end
		return value
	end,
	wrong = function(value, form)
		if form:find("^a whole number") then return tostring(tonumber(value) + 1) end
		if form:find("^a number") then return tostring(tonumber(value) + 0.2) end
		if form:find("^lanes") then return (value:sub(1, 1) == "1" and "." or "1") .. value:sub(2) end
		if form:find("^label") or form:find("^the label") then return value .. "x" end
		for choice in form:gsub(" or ", ", "):gmatch("[^,%s]+") do if choice ~= value then return choice end end
	end,
}

if spell[spelling] then
	local form = forms()
	for line in io.lines(second) do
		local key, value = line:match("^(%S+) = (.+)$")
		assert(form[key], "no form of " .. line)
		print(key .. " = " .. spell[spelling](close(value), form[key]))
	end
	os.exit(true)
end

local kinds, failed = dofile(first), false
local function expect(kind, typed, want)
	local got = kind.accepts(typed)
	if got ~= want then
		print(("%s: '%s' is %s, expected %s"):format(kind.shown, typed, tostring(got), tostring(want)))
		failed = true
	end
end
for _, typed in ipairs { "54", "54 %", "54%", "54.0", " 54.0 % ", "54,0", "54.04", "about 54 %", "54 %.", "~54", "54 percent", "54 percent of all" } do expect(kinds.number(54.04, 1), typed, true) end
for _, typed in ipairs { "53", "54.2", "5.4", "0.54", "540" } do expect(kinds.number(54.04, 1), typed, false) end
for _, typed in ipairs { "B5", "many", "", "5 4", "%", "54 55", "5.4.0", "1,2,3" } do expect(kinds.number(54.04, 1), typed, nil) end
for _, typed in ipairs { "7", "7.0", "7 fetches", "+7", "seven", "Seven fetches" } do expect(kinds.number(7), typed, true) end
for _, typed in ipairs { "0", "none", "never", "zero", "0 %" } do expect(kinds.number(0), typed, true) end
expect(kinds.number(2), "twice", true)
expect(kinds.number(2), "three times", false)
expect(kinds.number(2), "often", nil)
for _, typed in ipairs { "8", "-7", "77", "7.5" } do expect(kinds.number(7), typed, false) end
for _, typed in ipairs { "3504", "3,504", "3.504", "3 504", "3'504", "3504.0", "3,504 cycles" } do expect(kinds.number(3504), typed, true) end
for _, typed in ipairs { "3.5", "3,50", "35,04", "3504504" } do expect(kinds.number(3504), typed, false) end
for _, typed in ipairs { "1234567", "1,234,567", "1 234 567" } do expect(kinds.number(1234567), typed, true) end
for _, typed in ipairs { "1234.5", "1,234.5", "1.234,5", "1 234,5 %" } do expect(kinds.number(1234.5, 1), typed, true) end
expect(kinds.number(-2), "-2", true)
expect(kinds.number(66.66666, 1), "66.7", true)
expect(kinds.number(66.66666, 1), "66.6", false)
for _, typed in ipairs { "B5", "b5", " b5 ", "block B5", "`B5`", "B5:" } do expect(kinds.block("B5"), typed, true) end
for _, typed in ipairs { "B3", "B", "B55" } do expect(kinds.block("B5"), typed, false) end
expect(kinds.block("B5"), "B5 and B3", nil)
for _, typed in ipairs { "1.1.", "1010", "0,2", "0 2", "{0, 2}", "lanes 0 and 2", "2, 0", "1 . 1 .", "`1.1.`", "0 & 2", "lanes 0, 2" } do expect(kinds.lanes("1.1."), typed, true) end
for _, typed in ipairs { "0101", ".1.1", "0", "0,1,2", "none", "all" } do expect(kinds.lanes("1.1."), typed, false) end
for _, typed in ipairs { "4", "B5", "x", "" } do expect(kinds.lanes("1.1."), typed, nil) end
expect(kinds.lanes("1111"), "all", true)
for _, typed in ipairs { "0-3", "0 to 3", "lanes 0 to 3", "0..3", "0, 1, 2 and 3" } do expect(kinds.lanes("1111"), typed, true) end
for _, typed in ipairs { "1-3", "lanes 1 to 2 and 3", "lane 1, 2, 3" } do expect(kinds.lanes(".111"), typed, true) end
expect(kinds.lanes(".111"), "0-3", false)
expect(kinds.lanes(".111"), "1-4", nil)
expect(kinds.lanes("...."), "none", true)
expect(kinds.lanes("....1111"), "4 5 6 7", true)
for _, typed in ipairs { "yes", "Yes", "y", " YES." } do expect(kinds.word("yes", { "yes", "no" }), typed, true) end
expect(kinds.word("yes", { "yes", "no" }), "n", false)
expect(kinds.word("no", { "yes", "no" }), "No, it hangs", true)
expect(kinds.word("no", { "yes", "no" }), "yes: it ends", false)
expect(kinds.word("none", { "none", "all" }), "None.", true)
expect(kinds.word("yes", { "yes", "no" }), "perhaps", nil)
expect(kinds.word("tf_stack", { "ipdom", "tf_stack" }), "TF-stack", true)
for _, typed in ipairs { "A B C", "a, b, c", "A -> B -> C", "a, b and c", "A, then B, then C" } do expect(kinds.path { "A", "B", "C" }, typed, true) end
for _, typed in ipairs { "A B", "A C B", "ABC" } do expect(kinds.path { "A", "B", "C" }, typed, false) end
os.exit(not failed)
