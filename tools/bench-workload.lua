-- The host side of the kernels that tools/bench runs: buffers and one or more launches, without the checks of results, which would take
-- longer than the runs. Arguments: kernel, its size, and "none" to leave the launches out (what the rest takes).
-- Only what gsim has always had is used here: tools/bench --against runs it in older ones.
local name, n, run = gpu.args[1], tonumber(gpu.args[2]), gpu.args[3] ~= "none"

local function launch(kernel, grid, block, args, shared)
	if run then gpu.launch { kernel = kernel, grid = grid, block = block, args = args, shared = shared } end
end
local function words(k, value) return gpu.buffer("u32", k, value) end

-- Rows or nodes whose degrees differ: the n + 1 places where theirs begin, and where each of their edges leads.
local function graph(most, every, degree)
	local first, edge, x = { 0 }, {}, 23
	for v = 1, n do
		x = (x * 1103515245 + 12345) & 0x7fffffff
		for k = 1, v % every == 0 and most or 1 + (x >> 16) % degree do edge[#edge + 1] = (x >> 3) * (2 * k + 1) % n end
		first[v + 1] = #edge
	end
	return gpu.buffer("s32", n + 1, first), gpu.buffer("s32", #edge, edge), #edge
end

local workloads = {
	arithmetic = function() launch("arithmetic", n // 256, 256, { words(n), 200 }) end,
	divergent = function() launch("divergent", n // 256, 256, { words(n), 256 }) end,
	barriers = function() launch("barriers", n // 128, 128, { words(n), 60 }) end,
	scattered = function()
		launch("scattered", n // 256, 256, { words(n, function(i) return (i * 5021 + 4423) % n end), words(n), 40 })
	end,
	blocks = function() launch("blocks", n // 32, 32, { words(n, 1), words(n) }) end,
	["local"] = function() launch("local", n // 128, 128, { words(n), 10 }) end,
	saxpy = function()
		local x, y = gpu.buffer("f32", n, 1.5), gpu.buffer("f32", n, 0.5)
		launch("saxpy", n // 256, 256, { n, 2.0, x, y })
	end,
	collatz = function() launch("collatz", n // 128, 128, { 9000, words(n), gpu.buffer("u64", n) }) end,
	bitonic = function()
		launch("bitonic_sort", n // 256, 256, { words(n, function(i) return i * 2654435761 & 0xfffffff end) }, 1024)
	end,
	mandelbrot = function()
		local side = math.floor(n ^ 0.5) // 16
		launch("mandelbrot", { side, side }, { 16, 16 }, { words(256 * side * side), 16 * side, 16 * side, -2.0, -1.25, 2.5 / (16 * side), 96 })
	end,
	spmv = function()
		local first, column, k = graph(60, 16, 12)
		launch("spmv_scalar", (n + 127) // 128, 128, { first, column, gpu.buffer("f32", k, 2.0), gpu.buffer("f32", n, 0.5), gpu.buffer("f32", n), n })
	end,
	bfs = function()
		local first, edge = graph(24, 20, 4)
		local level, more = gpu.buffer("s32", n, -1), gpu.buffer("s32", 1)
		level:set(0, 0)
		for now = 0, run and n or -1 do
			more:set(0, 0)
			launch("bfs", (n + 127) // 128, 128, { first, edge, level, now, n, more })
			if more:get(0) == 0 then break end
		end
	end,
}
workloads[name]()
