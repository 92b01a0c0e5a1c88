-- Runs one kernel of partly.*.ptx, the last argument for `chooses`: -- KERNEL [WHAT]
local name, what = gpu.args[1], tonumber(gpu.args[2] or "0")
local out = gpu.buffer("f32", 64)
local args = { out, 64 }
if name == "chooses" then args[3] = what end
if name == "matrix" then args = { out, out, out } end
if name == "halves" then args = { out, "\0\0" } end
if name == "external" then args = { out } end
gpu.launch { kernel = name, grid = 1, block = 64, args = args }
for i = 0, 63 do
	local want = name == "plain" and 2 * i or 2 * (64 + i) + 7
	gpu.check(out:get(i) == want, name .. " gave " .. out:get(i) .. ", not " .. want)
end
