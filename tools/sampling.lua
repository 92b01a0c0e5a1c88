-- gsim --sample against whole runs. Arguments: source tree, machine, its changes, error in percent, seeds, blocks, seconds of a run,
-- kernels. Run by tools/sampling.
local top, machine, set, allowed, seeds, blocks, seconds = table.unpack(arg, 1, 7)
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
tool.program = "tools/sampling"
local folder = tool.capture("mktemp -d"):match("[^\n]+")

-- Workloads that only launch: checks of their results would take longer than the runs. N is the number of blocks.
local START <const> = "local N = gpu.argument(1, 1)\nlocal n = N * 128\nlocal random = gpu.random(23)\n"
local function launch(kernel, args) return ('gpu.launch { kernel = "%s", grid = N, block = 128, args = { %s } }\n'):format(kernel, args) end
local workloads = {
	arithmetic = { "bench/arithmetic", 'gpu.launch { kernel = "arithmetic", grid = N, block = 256, args = { gpu.buffer("u32", 2 * n), 200 } }' },
	divergent = { "bench/divergent", 'gpu.launch { kernel = "divergent", grid = N, block = 256, args = { gpu.buffer("u32", 2 * n), 256 } }' },
	blocks = { "bench/blocks", 'gpu.launch { kernel = "blocks", grid = N, block = 32, args = { gpu.buffer("u32", 32 * N), gpu.buffer("u32", 32 * N) } }' },
	black_scholes = { "black_scholes/black_scholes", [[
local function between(a, b, k) return gpu.buffer("f32", n, function(i) return a + (b - a) * (i * k % 997) / 997 end) end
]] .. launch("black_scholes", 'between(5, 30, 7919), between(1, 100, 131), between(0.25, 10, 37), gpu.buffer("f32", n), gpu.buffer("f32", n), 0.02, 0.3, n') },
	collatz = { "collatz/collatz", launch("collatz", '9000, gpu.buffer("u32", n), gpu.buffer("u64", n)') },
	compaction = { "compaction/compaction", launch("compaction", [[
gpu.buffer("u32", n, function(i) return i * 2654435761 % 65536 end), n, gpu.buffer("u32", n), gpu.buffer("u32", 1)]]) },
	convolution = { "convolution/convolution", launch("convolution", 'gpu.buffer("s16", n, function(i) return i * 7919 % 2001 - 1000 end), gpu.buffer("s32", n), n') },
	device_calls = { "device_calls/device_calls", [[
local function numbers() return gpu.buffer("u32", n, function() return 1 + random(100000) end) end
]] .. launch("device_calls", 'numbers(), numbers(), gpu.buffer("u32", n), gpu.buffer("u32", n), gpu.buffer("s32", 2 * n)') },
	hash64 = { "hash64/hash64", launch("hash64", 'gpu.buffer("u64", n, function(i) return i end), gpu.buffer("u64", n), 20') },
	mandelbrot = { "mandelbrot/mandelbrot", [[
local side = math.floor(N ^ 0.5)
gpu.launch { kernel = "mandelbrot", grid = { side, side }, block = { 16, 16 },
	args = { gpu.buffer("u32", 256 * side * side), 16 * side, 16 * side, -2, -1.25, 2.5 / (16 * side), 48 } }]] },
	match_count = { "match_count/match_count", launch("match_count", [[
gpu.buffer("u32", n, function(i) return (i // 32 % 5 == 0 and i // 160 or i * 2654435761 // 65536) % 16 end), gpu.buffer("u32", 16), gpu.buffer("u32", n // 32)]]) },
	spmv = { "spmv/spmv", [[
local rows, first, column = N * 4, { 0 }, {}
for r = 1, rows do
	for _ = 1, random(16) == 0 and 60 or random(12) do column[#column + 1] = random(rows) end
	first[r + 1] = #column
end
]] .. launch("spmv_warp", 'gpu.buffer("s32", rows + 1, first), gpu.buffer("s32", #column, column), gpu.buffer("f32", #column), gpu.buffer("f32", rows), gpu.buffer("f32", rows), rows') },
	stencil_1d = { "stencil_1d/stencil_1d", 'local a, b = gpu.buffer("f32", 4 * n + 2), gpu.buffer("f32", 4 * n + 2)\n' ..
		launch("strided", "a, b, 4 * n, 4") .. launch("contiguous", "a, b, 4 * n, 4") },
	transpose = { "transpose/transpose", [[
local side = math.floor(N ^ 0.5)
local a, b = gpu.buffer("f32", 1024 * side * side), gpu.buffer("f32", 1024 * side * side)
for _, kernel in ipairs { "transpose_naive", "transpose_padded" } do
	gpu.launch { kernel = kernel, grid = { side, side }, block = { 32, 8 }, args = { a, b, 32 * side, 32 * side } }
end]] },
	warp_reduce = { "warp_reduce/warp_reduce", [[
local function results(k) return gpu.buffer("u32", k) end
]] .. launch("warp_reduce", 'results(n), results(n), results(n), results(n), results(n), results(n)') },
}

local function run(name, options, report)
	local module = ("%s/kernels/%s.ptx"):format(top, workloads[name][1])
	os.remove(report)
	os.execute(("timeout %s gsim -q -c %s%s%s -w %s -s %s %s -- %s >%s/out 2>&1"):format(seconds, tool.quote(machine), set, options,
		tool.quote(("%s/%s.lua"):format(folder, name)), tool.quote(report), tool.quote(module), blocks, folder))
	local f = io.open(report)
	local read = f and f:close() and json.read(report)
	for _, l in ipairs(read and read.launches or {}) do
		if not l.completed then return end -- it was interrupted, or failed
	end
	return read
end

local held, judged, wrong, failed, fast = 0, 0, 0, 0, 0
local function compare(name, seed, whole, sampled)
	for k, a in ipairs(whole.launches) do
		local b = sampled.launches[k]
		local s, grid = b.sampled, a.grid[1] * a.grid[2] * a.grid[3]
		local equal = a.warp_instructions == b.warp_instructions and a.thread_instructions == b.thread_instructions and a.lanes.parted == b.lanes.parted
		wrong = wrong + (equal and 0 or 1)
		local text = s.whole and ("whole: " .. s.whole) or ("%+6.2f %%  +-%.2f %%  %-3s %5.1f %% timed  %5.1f times as fast"):format(
			100 * (b.cycles / a.cycles - 1), 100 * s.within, s.cycles_low <= a.cycles and a.cycles <= s.cycles_high and "in" or "OUT",
			100 * s.timed_blocks / s.blocks, whole.host.seconds / sampled.host.seconds)
		if not s.whole then
			judged = judged + 1
			held = held + (s.cycles_low <= a.cycles and a.cycles <= s.cycles_high and 1 or 0)
			fast = fast + (whole.host.seconds >= 20 * sampled.host.seconds and 1 or 0)
		end
		print(("%-18s %4d %8d %11d  %s%s"):format(a.kernel, seed, grid, a.cycles, text, equal and "" or "  COUNTS DIFFER"))
		io.flush()
	end
end

print(("%-18s %4s %8s %11s  estimate"):format("kernel", "seed", "blocks", "cycles"))
for _, name in ipairs(table.pack(table.unpack(arg, 8))) do
	if not workloads[name] then
		io.stderr:write(("tools/sampling: there is no kernel %s\n"):format(name))
		os.exit(2)
	end
	tool.write(("%s/%s.lua"):format(folder, name), START .. workloads[name][2] .. "\n")
	local whole = run(name, "", folder .. "/whole.json")
	for seed = 1, whole and tonumber(seeds) or 0 do
		local sampled = run(name, (" --sample=%s --sample-seed %d"):format(allowed, seed), folder .. "/sampled.json")
		if sampled then compare(name, seed, whole, sampled) else failed = failed + 1 end
	end
	if not whole then
		failed = failed + 1
		print(("%-18s left out: %s"):format(name, tool.read(folder .. "/out"):match("[^\n]+") or "it takes too long"))
	end
end
os.execute("rm -rf " .. tool.quote(folder))
print(("\n%d of %d intervals have the truth; %d launches were at least 20 times as fast; counts differ in %d; %d runs left out"):format(
	held, judged, fast, wrong, failed))
os.exit(wrong == 0 and held >= 0.95 * judged)
