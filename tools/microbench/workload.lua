-- Written by tools/reproduce microbench.
-- Arguments, in any order: part of a figure's name, to run only those; "=" and a figure's whole name, to run it alone; "stacks": leave out rows whose diverged lanes must make
-- progress by themselves; "lanes=N": a warp has N threads, not 32; "sweep=N": read N MiB before what has to find caches empty; "quick": leave out what takes long.
-- Prints a CSV line figure,unit,value for each row.
local rows = {
ROWS
}
local want, exact, stacks, quick, sweep, lanes = "", nil, false, false, 0, 32
for _, word in ipairs(gpu.args) do
	local mib, threads = word:match("^sweep=(%d+)$"), word:match("^lanes=(%d+)$")
	if mib then sweep = tonumber(mib)
	elseif threads then lanes = tonumber(threads)
	elseif word == "stacks" then stacks = true
	elseif word == "quick" then quick = true
	elseif word:find("^=") then exact = word:sub(2)
	else want = word end
end

-- What a row needs of another row's figure is measured, too.
local needed = {}
for k = #rows, 1, -1 do
	local r = rows[k]
	r.shown = r.figure:find(want, 1, true) and (not exact or r.figure == exact) and not (stacks and r.independent) and not (quick and r.slow)
	if r.shown or needed[r.figure] then
		needed[r.figure] = true
		for _, other in ipairs { r.less or false, r.upper or false, r.lower or false } do
			if other then needed[other] = true end
		end
	end
end

-- Threads of a block. Where the row says what a block does, it is counted for 32 threads a warp.
local function threads_of(r) return r.threads or (r.amount and 32 or lanes) * (r.warps or 1) end

local most, large = 1024, 65536
for _, r in ipairs(rows) do
	if needed[r.figure] then
		most = math.max(most, (r.blocks or 1) * threads_of(r))
		if r.big then large = math.max(large, r.big) end
	end
end
local out, buf = gpu.buffer("u64", 3 * most), gpu.buffer("u64", large)
local swept = sweep > 0 and gpu.buffer("u64", sweep * 131072)
local known = {}

local function prepare(r)
	if r.init then gpu.launch { kernel = r.init, grid = r.init_blocks or 1, block = r.init_threads or 1024, args = { out, buf, 0, 0, 0 } } end
	if r.cold and swept then gpu.launch { kernel = "sweep", grid = sweep * 256, block = 512, args = { out, swept, 0, 0, 0 } } end
end

local function start(r, kernel, n, a)
	local threads = threads_of(r)
	gpu.launch { kernel = kernel, grid = r.blocks or 1, block = threads, args = { out, buf, n or 0, a or 0, 0 } }
	return threads * (r.blocks or 1)
end

-- Cycles between the first start and the last end of those threads of a launch that ran on the first one's SM, and their number.
local function span(r, kernel, n, a)
	local threads = start(r, kernel, n, a)
	local sm, from, to, count = out:get(2), math.huge, 0, 0
	for k = 0, threads - 1 do
		if threads <= 1024 or out:get(3 * k + 2) == sm then
			from, to, count = math.min(from, out:get(3 * k)), math.max(to, out:get(3 * k + 1)), count + 1
		end
	end
	return to - from, count
end

local measure = {}
function measure.steps(r)
	return (span(r, r.long, r.n, r.a) - span(r, r.short, r.less_n or (r.long ~= r.short and r.n), r.less_a or r.a)) / r.steps
end
function measure.rate(r)
	local cycles = span(r, r.long, r.n, r.a) - span(r, r.short, r.less_n, r.a)
	return r.steps * threads_of(r) / cycles
end
function measure.ratio(r)
	local cycles = span(r, r.long, r.n, r.a)
	if r.cold then prepare(r) end
	return cycles / span(r, r.short, r.less_n or r.n, r.less_a)
end
function measure.sum(r)
	local threads, sum = start(r, r.long, r.n, r.a), 0
	for k = 0, threads - 1 do sum = sum + out:get(3 * k + 1) end
	return sum
end
function measure.chip(r) return r.amount * r.blocks / span(r, r.long, r.n, r.a) end
function measure.inverse(r) return 1 / measure.chip(r) end
function measure.turns(r)
	local cycles, count = span(r, r.long, r.n, r.a)
	return cycles * threads_of(r) / count
end
function measure.slope(r) return r.steps * lanes / (known[r.upper] - known[r.lower]) end
function measure.launches(r)
	for k = 0, 20 do gpu.launch { kernel = "stamp", grid = 1, block = 1, stream = 1, args = { out, buf, k, 0, 0 } } end
	return (out:get(20) - out:get(4)) / 16
end

for _, r in ipairs(rows) do
	if needed[r.figure] then
		prepare(r)
		local value = measure[r.mode or "steps"](r)
		if r.less then value = value - known[r.less] * (r.less_by or 1) end
		value = value - (r.less_cycles or 0)
		known[r.figure] = value
		if r.shown then print(("%s,%s,%.4g"):format(r.figure, r.unit, value)) end
	end
end
