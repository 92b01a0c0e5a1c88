-- a (b | cd)* e, longest by construction: the automaton has one way through.
-- gpu.args: letters of the text (default 4000).
gpu.sizes(function(size) return math.max(size.threads, 1000) end)
local n, random = gpu.argument(1, 4000, { from = 1000 }), gpu.random(29)
local letters = "aabbcdcdbecdaee"
local text = gpu.buffer("u8", n, function(i)
	local seed = random()
	local k = seed // 65536 % 8 == 0 and seed // 1048576 % #letters or i * 7 % #letters
	return letters:byte(k + 1)
end)
local length, count = gpu.buffer("u32", n), gpu.buffer("u32", 1)

gpu.launch { kernel = "string_search", grid = (n + 127) // 128, block = 128, args = { text, n, length, count } }

local function char(i) return i < n and string.char(text:get(i)) or "" end
local function match(i)
	if char(i) ~= "a" then return 0 end
	local k = i + 1
	while true do
		local c = char(k)
		if c == "b" then
			k = k + 1
		elseif c == "c" and char(k + 1) == "d" then
			k = k + 2
		else
			return c == "e" and k + 1 - i or 0
		end
	end
end
local matches = 0
for i = 0, n - 1 do
	local len = match(i)
	gpu.check(length:get(i) == len, "position %d: length %d, not %d", i, length:get(i), len)
	if len > 0 then matches = matches + 1 end
end
gpu.check(matches > 20, "too few matches to test anything")
gpu.check(count:get(0) == matches, "%d matches, not %d", count:get(0), matches)
