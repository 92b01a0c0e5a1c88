-- The CSV reader of gsim-tune on changed and random texts: each is read, or refused with its place; what is read has finite values and
-- makes comments that are one part of one line, with the mark that the row gives. Needs no gsim.
-- usage: lua5.4 tests/tools/fuzz_tune.lua SOURCE-TREE [TEXTS [SEED]]
local top, count, seed = arg[1], tonumber(arg[2] or 2000), tonumber(arg[3] or 1)
local rows, figures = dofile(top .. "/tools/tune/rows.lua"), dofile(top .. "/tools/tune/figures.lua")
local keys = dofile(top .. "/tools/machine-keys.lua")
local path = os.tmpname()
math.randomseed(seed)

local SEEDS = {
	"chip,figure,value,unit,seen\nA,latency/add.u32,4,cycles,P\nB,\"rate/add.u32\",64,results/cycle/SM,S\n",
	"machine,chip,figure,value,unit,seen,source,least,greatest,runs\nturing,\"Card, 1\",latency/ld.global L1,32.5,cycles,P,\"tools: a, b\",1,2,7\n",
	"figure,gsim\r\nlatency/add.u32,4\r\nlatency/add.u32,5\r\n\r\n", "\xEF\xBB\xBFfigure,value\nrate/fma.f32,1e2\n", "", "\n", "figure,value\n", "figure,value",
	"figure,value\nlatency/add.u32,1e308\nlatency/add.u32,1e308\n", "chip,figure,value\nStand-in, 1 GPU,latency/add.u32,1\n",
	"chip,figure,value,seen\nA;B\rerror(1),latency/add.u32,4,Q\n",
}
local WORDS = { "nan", "inf", "-1", "1e308", "1e309", "0x10", "1e-400", "\"", "\"\"", ",", "\r\n", "\n", "\0", ";", "--[[", "]]", "%d", "Stand-in", "P", "S", "Q", "figure",
	"value", "chip", "seen", "latency/add.u32", "\xFF", ("9"):rep(400), "" }

local function changed(text)
	for _ = 1, math.random(0, 6) do
		local at, length = math.random(1, #text + 1), math.random(0, 6)
		local how, word = math.random(4), WORDS[math.random(#WORDS)]
		if how == 1 then
			text = text:sub(1, at - 1) .. word .. text:sub(at)
		elseif how == 2 then
			text = text:sub(1, at - 1) .. word .. text:sub(at + length)
		elseif how == 3 then
			text = text:sub(1, at - 1) .. text:sub(at + length)
		else
			text = text .. text:sub(at, at + 40)
		end
	end
	return text
end

local failed, read, refused = 0, 0, 0
local function check(good, text, what)
	if good then return end
	failed = failed + 1
	print(("FAILED: %s: %q"):format(what, text))
end

local function check_read(text, list, chip)
	for _, row in ipairs(list) do
		check(row.value == row.value and math.abs(row.value) < math.huge, text, "a value that is no number is read")
		check(keys.of[row.figure] or row.figure ~= "", text, "a row without a name is read")
		check(not row.names[1]:find("^Stand%-in"), text, "a row of the stand-in is read")
	end
	for _, w in ipairs((figures.of(list, keys, chip))) do
		local comment = figures.comment(w)
		check(not comment:find("[%c;]"), text, "the comment has several lines or parts: " .. comment)
		local seen, weakest = { P = true }, "P"
		for _, row in ipairs(list) do
			if row.figure == w.figure then seen[row.seen] = true end
		end
		for s in pairs(seen) do
			if s ~= "P" and s ~= "S" then weakest = "other" elseif s == "S" and weakest == "P" then weakest = "S" end
		end
		check(comment:find(weakest == "other" and "^assumption: " or "^%[T%] %(" .. weakest .. "%) "), text, "the mark is not that of the row: " .. comment)
	end
end

for k = 1, count do
	local text = k <= #SEEDS and SEEDS[k] or changed(SEEDS[math.random(#SEEDS)])
	local f = assert(io.open(path, "wb"))
	f:write(text)
	f:close()
	local ok, list, chip = pcall(rows.read, path, math.random(4) == 1 and "A" or nil)
	if ok then
		read = read + 1
		check_read(text, list, chip)
	else
		refused = refused + 1
		local said = type(list) == "table" and list.text or tostring(list)
		local line, column = said:match("^" .. path:gsub("%p", "%%%0") .. ":(%d+):(%d+): error: .+, expected .+")
		local _, lines = text:gsub("\n", "")
		check(line and tonumber(line) <= lines + 1 and tonumber(column) >= 1, text, said)
	end
end
os.remove(path)
print(("%d texts from seed %d: %d read, %d refused, %d faults"):format(count, seed, read, refused, failed))
os.exit(failed == 0 and read > count // 20 and refused > count // 20 and 0 or 1)
