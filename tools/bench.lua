-- Arguments: source tree, machine, repeats, parts, by what sizes are divided, another gsim and its machine files (empty: none),
-- kernels. Run by tools/bench.
local top, machine, repeats, parts, shrink, against, configs = table.unpack(arg, 1, 7)
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
tool.program = "tools/bench"
repeats, shrink = tonumber(repeats), tonumber(shrink)
local started, folder = os.time(), tool.capture("mktemp -d"):match("[^\n]+")
local quote = tool.quote

-- Name, module, size (threads, rows or nodes), what it is like.
local KERNELS <const> = {
	{ "arithmetic", "kernels/bench/arithmetic.ptx", 65536, "registers only, uniform loop" },
	{ "barriers", "kernels/bench/barriers.ptx", 65536, "shared memory and barriers" },
	{ "scattered", "kernels/bench/scattered.ptx", 49152, "every lane its own address" },
	{ "blocks", "kernels/bench/blocks.ptx", 2097152, "many small blocks" },
	{ "local", "kernels/bench/local.ptx", 4096, "arrays in local memory" },
	{ "divergent", "kernels/bench/divergent.ptx", 16384, "loops of different length in a warp" },
	{ "saxpy", "tests/isa/ptx/saxpy.sm_75.ptx", 1048576, "streams of consecutive addresses" },
	{ "collatz", "kernels/collatz/collatz.ptx", 32768, "a branch in a loop, both differ by lane" },
	{ "bitonic", "kernels/bitonic_sort/bitonic_sort.ptx", 65536, "two arms in shared memory, barriers" },
	{ "mandelbrot", "kernels/mandelbrot/mandelbrot.ptx", 147456, "loops that end by lane, doubles" },
	{ "spmv", "kernels/spmv/spmv.ptx", 32768, "rows of different lengths, gathers" },
	{ "bfs", "kernels/bfs/bfs.ptx", 16384, "irregular graph, a launch a level" },
}
local FIRST_OF_HALF <const> = 6 -- the parts that take long leave the ones before out

local function fail(text)
	os.execute("rm -rf " .. quote(folder))
	io.stderr:write("tools/bench: ", text, "\n")
	os.exit(1)
end

-- ---- runs ----

-- A command that runs a kernel: `extra` is `none` to leave the launches out.
local function command(program, options, k, extra)
	return ("%s -q %s -w %s %s -- %s %d %s"):format(program, options, quote(top .. "/tools/bench-workload.lua"), quote(top .. "/" .. k[2]),
		k[1], k[3] // shrink, extra or "")
end

local shell = os.execute("command -v bash >/dev/null") and "bash" or "sh" -- bash's times have three digits

-- User and system seconds of one run.
local function seconds(line)
	local pipe = io.popen(("%s -c %s"):format(shell, quote(line .. (" >%s/out 2>&1 || exit 1; times"):format(folder))))
	local text = pipe:read("a")
	if not pipe:close() then fail("failed: " .. line .. "\n" .. tool.read(folder .. "/out")) end
	local minutes, user, more, system = text:match("\n(%d+)m([%d.]+)s (%d+)m([%d.]+)s")
	return 60 * minutes + user, 60 * more + system
end

-- Runs commands in turn, `repeats` times. The least user seconds of each, or what `measured` says of a run.
local function alternate(lines, measured)
	local best = {}
	for _ = 1, repeats do
		for k, line in ipairs(lines) do
			local user, system = seconds(line)
			best[k] = math.min(best[k] or math.huge, measured and measured(user, system) or user)
		end
	end
	return best
end

-- The least user seconds of runs with these programs and options, less those without launches: { program, options }...
local function launches(k, runs)
	local lines, own = {}, {}
	for i, r in ipairs(runs) do
		lines[i] = command(r[1], r[2], k)
		lines[#runs + i] = command(r[1], r[2], k, "none")
	end
	local best = alternate(lines)
	for i = 1, #runs do own[i] = math.max(best[i] - best[#runs + i], 1e-3) end
	return own
end

local function mean(list)
	local sum = 0
	for _, v in ipairs(list) do sum = sum + math.log(v) end
	return math.exp(sum / #list)
end

local function rate(v) return v >= 1e6 and ("%.2f M"):format(v / 1e6) or ("%.0f k"):format(v / 1e3) end

local function show(...)
	print(string.format(...))
	io.flush()
end

-- What one run's JSON report says.
local function report(k, options)
	local path = folder .. "/report.json"
	seconds(command("gsim", ("%s -s %s"):format(options, quote(path)), k))
	return json.read(path)
end

-- ---- kernels that were asked for ----

local chosen, known = {}, {}
for _, k in ipairs(KERNELS) do known[k[1]] = true end
for i = 8, #arg do
	chosen[arg[i]] = true
	if not known[arg[i]] then
		os.execute("rm -rf " .. quote(folder))
		io.stderr:write(("tools/bench: there is no kernel %s\n"):format(arg[i]))
		os.exit(2)
	end
end
local function selected(from)
	local list = {}
	for i = from, #KERNELS do
		if next(chosen) == nil or chosen[KERNELS[i][1]] then list[#list + 1] = KERNELS[i] end
	end
	return list
end

-- ---- parts ----

local TIMED <const> = ("-c %s -m ipdom"):format(quote(machine))
local FUNCTIONAL <const> = TIMED .. " --functional"
local VOLTA <const>, ITS <const> = "-c volta.lua -m ipdom", "-c volta.lua -m its"
local part = {}

function part.speed()
	show("warp instructions a user second, best of %d: ipdom timed and functional on %s, its timed on volta.lua; its time there as a ratio of ipdom's",
		repeats, machine)
	show("%-11s %-40s %11s %10s %9s %10s %8s %9s %9s", "kernel", "", "warp instr.", "cycles", "timed", "functional", "ratio", "its timed", "its/ipdom")
	local timed, functional, its, cost = {}, {}, {}, {}
	for i, k in ipairs(selected(1)) do
		local r, on_volta = report(k, TIMED).total, report(k, ITS).total
		local t = launches(k, { { "gsim", TIMED }, { "gsim", FUNCTIONAL }, { "gsim", ITS }, { "gsim", VOLTA } })
		timed[i], functional[i] = r.warp_instructions / t[1], r.warp_instructions / t[2]
		its[i], cost[i] = on_volta.warp_instructions / t[3], t[3] / t[4]
		show("%-11s %-40s %11d %10d %9s %10s %8.1f %9s %9.2f", k[1], k[4], r.warp_instructions, r.cycles, rate(timed[i]), rate(functional[i]),
			t[1] / t[2], rate(its[i]), cost[i])
	end
	if #timed == 0 then return end
	show("%-11s %-40s %11s %10s %9s %10s %8.1f %9s %9.2f", "mean", "geometric", "", "", rate(mean(timed)), rate(mean(functional)),
		mean(functional) / mean(timed), rate(mean(its)), mean(cost))
	show("timed: slowest %s", rate(math.min(table.unpack(timed))))
end

function part.mechanisms()
	local kernels, rows = selected(FIRST_OF_HALF), {}
	if #kernels == 0 then return end
	local names, runs = tool.mechanisms(), {}
	for i, name in ipairs(names) do runs[i] = { "gsim", "-c volta.lua -m " .. name } end
	for i, k in ipairs(kernels) do
		rows[i] = launches({ k[1], k[2], k[3] // 2 }, runs)
	end
	show("time of each mechanism as a ratio of ipdom's, timed on volta.lua, best of %d", repeats)
	local head = { ("%-12s"):format("mechanism") }
	for _, k in ipairs(kernels) do head[#head + 1] = ("%10s"):format(k[1]) end
	show("%s %10s", table.concat(head, " "), "mean")
	for m, name in ipairs(names) do
		local line, ratios = { ("%-12s"):format(name) }, {}
		for i in ipairs(kernels) do
			ratios[i] = rows[i][m] / rows[i][1]
			line[#line + 1] = ("%10.2f"):format(ratios[i])
		end
		show("%s %10.2f", table.concat(line, " "), mean(ratios))
	end
end

function part.traces()
	show("a run that records a trace as a ratio of one that does not, ipdom on %s, best of %d", machine, repeats)
	local ratios = {}
	for i, k in ipairs(selected(FIRST_OF_HALF)) do
		local t = launches(k, { { "gsim", TIMED }, { "gsim", ("%s -t %s/trace"):format(TIMED, folder) } })
		ratios[i] = t[2] / t[1]
		show("%-11s %6.2f", k[1], ratios[i])
	end
	if #ratios > 0 then show("%-11s %6.2f", "mean", mean(ratios)) end
end

local BLOCKS <const> = { "blocks", "kernels/bench/blocks.ptx", 32 * 10000 }

function part.sms()
	show("%d blocks of one warp on volta.lua: user and system seconds, and their ratio to one SM's, best of %d", BLOCKS[3] // shrink // 32, repeats)
	for _, mechanism in ipairs { "ipdom", "its" } do
		local counts, lines = { 1, 80, 256 }, {}
		for i, n in ipairs(counts) do lines[i] = command("gsim", ("-c volta.lua -m %s -D sm.count=%d"):format(mechanism, n), BLOCKS) end
		local t = alternate(lines, function(user, system) return user + system end)
		for i, n in ipairs(counts) do show("%-5s %3d SMs %7.3f s %6.2f", mechanism, n, t[i], t[i] / t[1]) end
	end
end

-- Elapsed seconds of the run itself: user seconds do not tell how long two threads take.
function part.threads()
	show("-j 2 as a ratio of -j 1's speed, ipdom on %s, elapsed seconds, best of %d", machine, repeats)
	local ratios = {}
	for i, k in ipairs(selected(FIRST_OF_HALF)) do
		local best = { math.huge, math.huge }
		for _ = 1, repeats do
			for j = 1, 2 do best[j] = math.min(best[j], report(k, ("%s -j %d"):format(TIMED, j)).host.seconds) end
		end
		ratios[i] = best[1] / best[2]
		show("%-11s %6.2f", k[1], ratios[i])
	end
	if #ratios > 0 then show("%-11s %6.2f", "mean", mean(ratios)) end
end

-- This gsim beside another one, in turn.
local function compare()
	local other = configs == "" and quote(against) or ("env GSIM_PATH=%s %s"):format(quote(configs), quote(against))
	local modes = { { "timed", TIMED }, { "functional", FUNCTIONAL }, { "its", ITS } }
	show("user seconds of %s and of this gsim, best of %d in turn; ipdom timed and functional on %s, its timed on volta.lua", against, repeats, machine)
	show("%-11s %8s %8s %6s   %8s %8s %6s   %8s %8s %6s", "kernel", "timed", "this", "ratio", "funct.", "this", "ratio", "its", "this", "ratio")
	local ratios = { {}, {}, {} }
	for _, k in ipairs(selected(1)) do
		local runs, cells = {}, {}
		for _, mode in ipairs(modes) do
			runs[#runs + 1], runs[#runs + 2] = { other, mode[2] }, { "gsim", mode[2] }
		end
		local t = launches(k, runs)
		for i, list in ipairs(ratios) do
			list[#list + 1] = t[2 * i - 1] / t[2 * i]
			cells[i] = ("%8.3f %8.3f %6.2f"):format(t[2 * i - 1], t[2 * i], list[#list])
		end
		show("%-11s %s", k[1], table.concat(cells, "   "))
	end
	if #ratios[1] > 0 then
		show("%-11s %17s %6.2f   %17s %6.2f   %17s %6.2f", "mean", "", mean(ratios[1]), "", mean(ratios[2]), "", mean(ratios[3]))
	end
end

if against ~= "" then
	compare()
else
	for name in parts:gmatch("[^,]+") do
		part[name]()
		print()
	end
end
os.execute("rm -rf " .. quote(folder))
show("%d s in all", os.time() - started)
