-- The workload of every module here: gsim -w melding.lua diamond.ir -- BLOCK THREADS ROUNDS [KERNEL]. Threads
-- of a block (default 64), threads in all (default 256, as many blocks as it takes), turns of each kernel's
-- loop (default 12, one at least), one kernel (default: all of the module). What a turn does to a thread's
-- four words, by kernel: w = { a, b, c, d }, turn r, bits = way >> r.
local MASK <const> = 0xffffffff
local turn = {}

local function scramble(w, k, r) -- what each way of sb4 begins with
	local x = (w[k] * 5 + r) & MASK
	return x ~ x >> 13
end
local function unlike(w, k, r) -- the second way of sb1r and sb4r
	return ((w[k] ~ r) * 9 + 7) * 7 & MASK ~ w.d
end
function turn.sb1(w, r, bits) w.c = w.c + scramble(w, bits & 1 == 1 and "a" or "b", r) & MASK end
function turn.sb1r(w, r, bits)
	if bits & 1 == 1 then w.a = scramble(w, "a", r) + w.c & MASK else w.b = unlike(w, "b", r) end
end

local function if_then(w, k, l, r)
	local x = w[k]
	if x & 8 ~= 0 then w[l] = w[l] * 3 + x & MASK end
	w[k] = x * 5 + r & MASK
end
function turn.sb2(w, r, bits)
	if bits & 1 == 1 then if_then(w, "a", "c", r) else if_then(w, "b", "d", r) end
end
function turn.sb2r(w, r, bits)
	if bits & 1 == 1 then return if_then(w, "a", "c", r) end
	local x = w.b ~ r
	if x > 0x60000000 then w.d = (w.d + x & MASK) ~ w.d >> 3 end
	w.b = x * 3 & MASK
end

local function nested(w, k, l, r)
	local x = w[k]
	if x & 3 ~= 0 then
		local y = w[l] + x & MASK
		w[l] = y & 4 == 0 and y or (y ~ y >> 13) * 3 + r & MASK
	end
	w[k] = x * 5 + r & MASK
end
function turn.sb3(w, r, bits)
	if bits & 1 == 1 then nested(w, "a", "c", r) else nested(w, "b", "d", r) end
end
function turn.sb3r(w, r, bits)
	if bits & 1 == 1 then return nested(w, "a", "c", r) end
	local x = w.b + r & MASK
	if x > 0x40000000 then
		local y = math.max(w.d - x, 0)
		w.d = ~(y < 0x30000000 and (y | y << 5) + r or y) & MASK
	end
	w.b = (x ~ x >> 7) * 9 + 1 & MASK
end

function turn.sb4(w, r, bits)
	local k = ({ [0] = "a", "b" })[bits & 3] or "c"
	w[k] = scramble(w, k, r) + w.d & MASK
end
function turn.sb4r(w, r, bits)
	local way = bits & 3
	if way == 0 then
		w.a = scramble(w, "a", r) + w.d & MASK
	elseif way == 1 then
		w.b = unlike(w, "b", r)
	else
		local m = math.max(w.c, w.d)
		w.c, w.d = (m + (m >> 3)) * 17 + r & MASK, m >> 3
	end
end

local function loop(w, k, l, r)
	for n = w[k] & 7, 0, -1 do w[l] = w[l] * 3 + n & MASK end
	w[k] = w[k] * 5 + r & MASK
end
function turn.loops(w, r, bits)
	if bits & 1 == 1 then loop(w, "a", "c", r) else loop(w, "b", "d", r) end
end
function turn.loops_r(w, r, bits)
	if bits & 1 == 1 then return loop(w, "a", "c", r) end
	for n = w.b >> 30, 0, -1 do w.b, w.d = w.b + w.d & MASK, w.d ~ n end
	w.b = w.b * 9 + 1 & MASK
end

function turn.block_region(w, r, bits)
	local k, l = "b", "d"
	if bits & 1 == 1 then k, l = "a", "c" end
	if k == "a" or w[l] & 3 ~= 0 then
		local x = w[k] * 5 + w[l] & MASK
		w[k] = x ~ x >> 13
	end
	if k == "b" then w.d = w.d + 1 & MASK end
end
function turn.sequences(w, r, bits)
	local k, l = "b", "d"
	if bits & 1 == 1 then k, l = "a", "c" end
	local x, y = w[k], w[l]
	if x & 8 ~= 0 then
		x = x * 7 + 3 & MASK
		x = x ~ x >> 11
	end
	if k == "b" then
		x = x ~ math.max(x - w.a, 0)
		x = (x | x << 1) & MASK
	end
	for _ = 0, y & 3 do y = y * 3 + x & MASK end
	w[k], w[l] = x, y
end

gpu.sizes(function(size) return 128, size.threads, 4 end)
local block, threads, rounds = gpu.argument(1, 64, { to = 1024 }), gpu.argument(2, 256), gpu.argument(3, 12)
local only = gpu.argument(4, nil, { one_of = gpu.kernels() })
local blocks = (threads + block - 1) // block
threads = blocks * block
local state = 51
local function random() -- 32 bits: the high half of a linear congruential generator
	state = state * 6364136223846793005 + 1442695040888963407
	return state >> 32
end

for _, name in ipairs(only and { only } or gpu.kernels()) do
	local step = assert(turn[name], name .. ": no such kernel")
	local way, data = gpu.buffer("u32", threads, random), gpu.buffer("u32", 4 * threads, random)
	local before = data:table()
	gpu.launch { kernel = name, grid = blocks, block = block, shared = 16 * block, args = { way, data, rounds } }
	for t = 0, threads - 1 do
		local w, bits = {}, way:get(t)
		for k, letter in ipairs { "a", "b", "c", "d" } do w[letter] = before[4 * t + k] end
		for r = 0, rounds - 1 do step(w, r, bits >> (r & 31)) end
		for k, letter in ipairs { "a", "b", "c", "d" } do
			local have = data:get(4 * t + k - 1)
			gpu.check(have == w[letter], "%s: thread %d has %x in %s, not %x", name, t, have, letter, w[letter])
		end
	end
end
