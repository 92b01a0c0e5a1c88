-- Random programs that never run the stack of eight words over or under, whichever words are skipped.
-- gpu.args: threads (default 256).
gpu.sizes(function(size) return size.threads end)
local threads, length = gpu.argument(1, 256, { multiple_of = 64 }), 40
local END, PUSH, ADD, SUB, MUL, SWAP, DUP, SKIP = 0, 1, 2, 3, 4, 5, 6, 7
local random = gpu.random(31)
local words = {}
for t = 0, threads - 1 do
	local depth, n = 1, 1
	local last = 8 + random(length - 10)
	words[t * length + 1] = random(1000) << 3 | PUSH
	while n < last do
		local op = PUSH + random(7)
		if op == SKIP then -- the word that may be skipped leaves the depth as it is
			if depth >= 2 and n + 1 < last then
				words[t * length + n + 1] = SKIP
				words[t * length + n + 2] = SWAP
				n = n + 2
			end
		elseif op == PUSH or op == DUP then
			if depth < 8 then
				n, depth = n + 1, depth + 1
				words[t * length + n] = op == PUSH and random(1000) << 3 | PUSH or DUP
			end
		elseif depth >= 2 then
			n = n + 1
			words[t * length + n] = op
			if op ~= SWAP then depth = depth - 1 end
		end
	end
	for i = n + 1, length do words[t * length + i] = END end
end
local program = gpu.buffer("u32", threads * length, words)
local result = gpu.buffer("u32", threads)

gpu.launch { kernel = "calculator", grid = threads // 64, block = 64, args = { program, result, length } }

for t = 0, threads - 1 do
	local stack, pc = {}, t * length + 1
	local function pop() return table.remove(stack) end
	while words[pc] & 7 ~= END do
		local w = words[pc]
		local op = w & 7
		pc = pc + 1
		if op == PUSH then
			stack[#stack + 1] = w >> 3
		elseif op == DUP then
			stack[#stack + 1] = stack[#stack]
		elseif op == SKIP then
			pc = pc + (stack[#stack] & 1)
		else
			local y, x = pop(), pop()
			if op == SWAP then
				stack[#stack + 1] = y
				stack[#stack + 1] = x
			else
				stack[#stack + 1] = (op == ADD and x + y or op == SUB and x - y or x * y) & 0xffffffff
			end
		end
	end
	gpu.check(result:get(t) == stack[#stack], "thread %d: %d, not %d", t, result:get(t), stack[#stack])
end
