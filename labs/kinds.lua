-- Kinds of answers: how each is shown, and whether what a person types means the same. A kind is made by one
-- of the functions below from the right value; it has `shown`, the value as solutions show it, `form`, what
-- is expected in words, and `accepts(typed)`: true, false, or nil when the text is no answer of this kind.
local kinds = {}

local function trim(s) return (s:match("^%s*(.-)%s*$")) end

-- The digits of 1,234,567 or 1.234; nil where they do not stand in threes.
local function ungroup(digits)
	local first, rest = digits:match("^(%d%d?%d?)([.,].*)$")
	if not first then return digits:match("^%d+$") end
	if rest:gsub("%" .. rest:sub(1, 1) .. "%d%d%d", "") ~= "" then return nil end
	return first .. rest:gsub("%D", "")
end

local spoken = { none = 0, zero = 0, never = 0, once = 1, twice = 2 }
for n, word in ipairs { "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve" } do spoken[word] = n end

-- The number that a person means: 54, 54.0, 54,0, 54 %, 54 cycles, about 54, 1234, 1,234, 1 234, three,
-- twice; nil: it is none. Where a whole number is asked for, a comma or point in front of three digits parts
-- thousands, else it is the decimal one.
local function number_of(typed, whole)
	local text, joined = trim(typed):lower():gsub("^about%s+", ""):gsub("^~%s*", "")
	repeat text, joined = text:gsub("(%d)[ '](%d%d%d)%f[%D]", "%1%2") until joined == 0
	local sign, digits = text:match("^([-+]?)(%d[%d.,]*)[%a%% ]*%.?$")
	if not digits then return spoken[text:match("^(%l+)[%a%% ]*%.?$")] end
	local all = whole and ungroup(digits)
	if all then return tonumber(sign .. all) end
	local integer, fraction = digits:match("^(.-)[.,](%d*)$")
	integer = ungroup(integer or digits)
	return integer and tonumber(("%s%s.%s0"):format(sign, integer, fraction or ""))
end

-- A number is right when it rounds to the right one at the number of decimals asked for; a count has to be
-- right.
function kinds.number(value, decimals)
	assert(type(value) == "number", "the right answer is no number")
	decimals = decimals or 0
	local shown = ("%%.%df"):format(decimals):format(value)
	return {
		shown = shown,
		form = decimals == 0 and "a whole number" or ("a number with %d decimal%s"):format(decimals, decimals == 1 and "" or "s"),
		accepts = function(typed)
			local number = number_of(typed, decimals == 0)
			if not number then return nil end
			if decimals == 0 and value == value // 1 then return number == value end
			return math.abs(number - value) <= 0.5 * 10 ^ -decimals + 1e-9 or number == tonumber(shown)
		end,
	}
end

-- B5, b5, block B5: a label. `same` lists further right ones.
function kinds.block(label, same)
	assert(type(label) == "string", "the right answer is no label")
	local right = { [label:lower()] = true }
	for _, other in ipairs(same or {}) do right[other:lower()] = true end
	return {
		shown = label,
		form = "the label of a block",
		accepts = function(typed)
			local name = trim(typed):lower():gsub("^block%s+", ""):match("^['\"`]?([%w_.$]+)['\"`]?[.:]?$")
			if not name then return nil end
			return right[name] == true
		end,
	}
end

-- The members of a set of lanes: 1.1., 1010 (lane 0 first, as wide as the warp), 0,2, "lanes 0 and 2", {0 2},
-- 1-3, "lanes 1 to 3", none, all.
local function lanes_of(typed, width)
	local text = trim(typed):lower():gsub("lanes?", " "):gsub("and", " "):gsub("[{}()%[%]`'\"&+]", " ")
	local set, compact = {}, text:gsub("%s", "")
	if compact == "none" or compact == "no" or compact == "-" then return set end
	if compact == "all" then compact = ("1"):rep(width) end
	if #compact == width and compact:find("^[01.]+$") then
		for i = 1, width do if compact:sub(i, i) == "1" then set[i - 1] = true end end
		return set
	end
	local function range(from, to)
		local list = {}
		for lane = tonumber(from), math.min(tonumber(to), width) do list[#list + 1] = lane end
		return table.concat(list, " ")
	end
	for _, between in ipairs { "%-", "to", "%.%.+" } do text = text:gsub("(%d+)%s*" .. between .. "%s*(%d+)", range) end
	if not text:find("%d") or text:find("[^%d%s,;]") then return nil end
	for number in text:gmatch("%d+") do
		if tonumber(number) >= width then return nil end
		set[tonumber(number)] = true
	end
	return set
end

-- mask: as traces show it, 1 and ., lane 0 first.
function kinds.lanes(mask)
	local right = assert(lanes_of(assert(mask, "no lanes"), #mask), "the right answer is no mask")
	return {
		shown = mask,
		form = ("lanes: %d characters, lane 0 first, 1 or . each, or the lanes' numbers"):format(#mask),
		accepts = function(typed)
			local given = lanes_of(typed, #mask)
			if not given then return nil end
			for lane = 0, #mask - 1 do if given[lane] ~= right[lane] then return false end end
			return true
		end,
	}
end

-- One of several words; choices are all that count as an answer. y and n stand for yes and no, behind which
-- more may follow.
function kinds.word(word, choices)
	local known = { [word:lower()] = true }
	for _, choice in ipairs(choices) do known[choice:lower()] = true end
	local function plain(typed)
		local text = trim(typed):lower():gsub("[%s-]+", "_"):gsub("[.`'\"]", "")
		return ({ y = "yes", n = "no" })[text] or text:match("^(yes)[_,;:]") or text:match("^(no)[_,;:]") or text
	end
	return {
		shown = word,
		form = table.concat(choices, ", "):gsub(", ([^,]+)$", " or %1"),
		accepts = function(typed)
			local given = plain(typed)
			if not known[given] then return nil end
			return given == word:lower()
		end,
	}
end

-- Labels in order: B1 B3 B6, b1, b3, b6, B1 -> B3 -> B6, "B1, B3, then B6".
function kinds.path(labels)
	return {
		shown = table.concat(labels, " "),
		form = "labels in their order",
		accepts = function(typed)
			local given = {}
			for name in typed:gsub("[^%w_.$]", " "):lower():gmatch("%S+") do
				if name ~= "and" and name ~= "then" then given[#given + 1] = name end
			end
			return table.concat(given, " ") == table.concat(labels, " "):lower()
		end,
	}
end

return kinds
