-- Arguments: kernel, bytes of the buffer, turns (2). Two launches go through it so many times each; the second finds in the caches what fits. Prints what the
-- second waited for, by level.
local kernel, words = gpu.args[1], tonumber(gpu.args[2]) // 4
local buf, out = gpu.buffer("u32", words, function(i) return (i + 16) % words end), gpu.buffer("u32", 1)
local turns = tonumber(gpu.args[3] or 2)
local function run()
	return gpu.launch { kernel = kernel, grid = 1, block = 1, args = { buf, out, words // 16 * turns } }
end
run()
local l = run()
local names, sum = {}, 0
for name, n in pairs(l.issue.memory_stalls) do
	names[#names + 1] = name
	sum = sum + n
end
table.sort(names)
gpu.check(sum == l.issue.stalls.memory, ("levels add up to %d, memory is %d"):format(sum, l.issue.stalls.memory))
for _, name in ipairs(names) do print(name, l.issue.memory_stalls[name]) end
