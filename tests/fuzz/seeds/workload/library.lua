-- A call of everything that the sandbox lets a workload have.
local text = "one two, three: 4 5.6 0x7f (a(b)c) \t\n"
local words = {}
for word, rest in text:gmatch("(%a+)(%s*)") do words[#words + 1] = word .. #rest end
assert(text:find("two", 1, true) == 5 and text:find("^one") and not text:find("[^%w%s%p]"))
assert(text:match("%((.-)%)") == "a(b" and text:match("%b()") == "(a(b)c)" and text:match("()three") == 10)
assert(text:match("%f[%d]%d+") == "4" and text:match("(%d)%.(%d)") == "5" and text:match("(o)ne.-%1"))
assert(text:gsub("%s+", " "):gsub("(%w)(%w*)", "%2%1", 3):gsub("[a-c]", { a = "A", b = false }):gsub(".", function(c) return c end))
assert(text:rep(2, "-"):sub(-4, -2):upper():lower():reverse():byte(1, -1) and string.char(65, 66) == "AB" and #text == text:len())
assert(("%5d %-5s|%05.1f %x %q %g %c %i %u %%"):gsub("%%u", ""):format(3, "a", 2.5, 255, "q\n", 1e300, 65, 7))
assert(string.pack("<i4d z s1", 1, 2.5, "z", "s"):len() > 10 and string.unpack("<i4", string.pack("<i4", 7)) == 7 and string.packsize("i4i8") >= 12)
table.sort(words, function(a, b) return a > b end)
table.insert(words, "x")
table.insert(words, 1, "y")
table.remove(words, 1)
table.move(words, 1, 2, 2, {})
assert(table.concat(words, ",", 1, 2) and select("#", table.unpack(table.pack(1, nil, 3))) >= 1)
for p, c in utf8.codes("aé\u{20ac}") do assert(p > 0 and c > 0) end
assert(utf8.char(8364) == "\u{20ac}" and utf8.len("aé") == 2 and utf8.codepoint("é") == 233 and utf8.offset("aé", 2) == 2 and utf8.charpattern)
assert(math.max(1, 2) == 2 and math.floor(2.5) == 2 and math.type(1) == "integer" and math.random(3) <= 3 and math.tointeger(3.0) == 3)
assert(math.fmod(5, 3) == 2 and math.ult(1, -1) and math.huge > math.maxinteger and math.abs(-1) == 1 and math.sqrt(4) == 2)
local ok, why = pcall(error, { 1 })
assert(not ok and type(why) == "table" and select(2, xpcall(function() error("at", 2) end, function(m) return m .. "!" end)))
for k, v in pairs({ 1, 2, b = 3, a = 4, [2.5] = 5, [true] = 6 }) do print(k, v, tostring(k), tonumber("10", 16), rawequal(k, v)) end
for i, v in ipairs(words) do rawset(words, i, rawget(words, i) .. rawlen(words)) end
local co = coroutine and coroutine.wrap(function(a) local b = coroutine.yield(a) return b end)
local out = gpu.buffer("u32", 40, function(i) return i * i end)
local floats = gpu.buffer("f64", 4, { 1, 2.5, -0.0, 1e308 })
out:set(3, 7)
out:fill(1)
gpu.compare(out, { how = "tolerance", tolerance = 1e-6 })
gpu.compare(floats, { how = "set" })
local stats = gpu.launch { kernel = "loop", grid = { 1, 1, 1 }, block = 32, shared = 0, args = { out, 5 } }
gpu.check(stats.thread_instructions > 0 and out:get(3) == 5 and #out == 40 and floats:table()[2] == 2.5, "what the kernel left")
local table_of_module = gpu.symbol("table")
print(table_of_module, gpu.kernels()[1], #gpu.args, table_of_module:get(0))
