-- Runs one kernel of printing.*.ptx: -- KERNEL [NUMBER]
local name, n = gpu.args[1], tonumber(gpu.args[2] or "0")
local function text(s)
	local b = gpu.buffer("u8", #s + 1)
	for i = 1, #s do b:set(i - 1, s:byte(i)) end
	return b
end
if name == "formats" then
	gpu.launch { kernel = name, grid = 1, block = 1, args = { 37, 1234567890123, -2.718281828, text("a string") } }
elseif name == "order" then
	gpu.launch { kernel = name, grid = 4, block = 48, args = { n } }
elseif name == "strings" then
	local out = gpu.buffer("s32", 9)
	gpu.launch { kernel = name, grid = 1, block = 3, args = { out, 0 } }
	for t = 0, 2 do
		local a, b, c = out:get(3 * t), out:get(3 * t + 1), out:get(3 * t + 2)
		gpu.check(a == 6 and b == 1 and c == -1, "printf gave %d %d %d", a, b, c)
	end
elseif name == "often" then
	gpu.launch { kernel = name, grid = 1, block = 2, args = { n } }
elseif name == "bad_string" then
	gpu.launch { kernel = name, grid = 1, block = 8, args = { n } }
elseif name == "asserts" then
	gpu.launch { kernel = name, grid = 2, block = 32, args = { n, gpu.buffer("s32", 64) } }
elseif name == "allocates" then
	gpu.launch { kernel = name, grid = 1, block = 1, args = { 0 } }
end
print("after " .. name)
