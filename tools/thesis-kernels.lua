-- What tools/reproduce-code-motion.lua and tools/reproduce-queries.lua run: kernels in kind for those of J.
-- Fukuhara's thesis (2023), and machines in kind. Returns a function of tools/measure.lua's table. A program:
-- { name, theirs = its name in the thesis, module, kernels, all, block, size, small, long }: `size` and
-- `small` are the workload's arguments, the latter with -q; `long`: these are begun first. See
-- kernels/README.md.
return function(m)
local set = {}

-- Parts of the thesis' cards, so that inputs which a simulator can run fill them: 2 of 15 SMs of a TITAN
-- Black with a sixth of L2 and of the memory's channels, a fifth slower; and a 24th of a TITAN RTX.
local BLACK = "-c titan_black.lua -D sm.count=2 -D l2.slices=1 -D l2.bytes=262144 -D dram.channels=1 -D dram.bytes_per_cycle=50"
local RTX = "-c titan_rtx.lua -D sm.count=3 -D l2.slices=2 -D l2.bytes=262144 -D dram.channels=1"
set.units = 2 -- SMs of the first
set.machines = {
	{ name = "titan_black", model = "ipdom", options = BLACK, environment = 1, most = 255 },
	{ name = "titan_rtx", model = "its", options = RTX, environment = 2 },
	{ name = "titan_rtx", model = "ipdom", options = RTX },
}
set.few_registers = { name = "titan_black (63 registers)", model = "ipdom", options = BLACK .. " -D sm.max_registers_per_thread=63", most = 63 }

-- A pass with the clean-ups around it; "": these alone.
function set.around(pass) return "webs,cse," .. (pass == "" and "" or pass .. ",") .. "copy-prop,dce,simplify-cfg" end

local KERNELS = {
	barnes_hut = { theirs = "barnshut", block = 64, size = "64 256", small = "64 64", long = 3 },
	nearest_neighbours = { theirs = "knn", block = 64, size = "64 256 1000", small = "64 64 250", long = 3 },
	fluid = { theirs = "cfd", all = true, block = 64, size = "64 40 1", small = "64 16 1", long = 2 },
	finite_differences = { theirs = "FDTD3D", block = 64, size = "64 32 8 1", small = "32 16 6 1", long = 1 },
	several_intervals = { theirs = "eigenvalues (MultiIntervals)", module = "eigenvalues/eigenvalues", kernels = { "^several_intervals$" }, block = 32, size = "32 42 5 1" },
	saturating_histogram = { theirs = "histo", kernels = { "^count$" }, block = 128, size = "128 20 40000", small = "128 8 8000" },
	bisect = { theirs = "eigenvalues (bisectKernelLarge)", module = "eigenvalues/eigenvalues", kernels = { "^bisect$" }, block = 32, size = "32 42 5 1" },
	mri_q = { theirs = "mri-q", kernels = { "^add_chunk$" }, block = 128, size = "128 1280 75", small = "128 256 75", long = 1 },
	photons = { theirs = "MCML", kernels = { "^photons_nest$" }, block = 64, size = "64 6 7 64 1 nest", long = 1 },
	b_plus_tree = { theirs = "b+tree", all = true, block = 64, size = "64 4000 128", small = "64 1000 32" },
	bfs = { theirs = "bfs", all = true, block = 128, size = "4000 masks", small = "1000 masks", long = 1 },
	huffman = { theirs = "huffman", all = true, block = 64, size = "64 4096", small = "64 1024" },
	boxes = { theirs = "lavaMD", block = 64, size = "64 2 40", small = "64 2 20", long = 1 },
	cells = { theirs = "leukocyte", all = true, block = 64, size = "64 48 40 12", small = "64 24 20 12", long = 1 },
	backprop = { theirs = "backprop", all = true, block = 256, size = "512 1", small = "128 1" },
	srad = { theirs = "srad", all = true, block = 256, size = "16 96 1", small = "16 48 1" },
	hot_spot = { theirs = "hotspot", block = 144, size = "64 3 1 2", small = "32 3 1 2" },
	lu = { theirs = "lud", all = true, block = 64, size = "64 96", small = "64 64", long = 2 },
	particle_filter = { theirs = "particlefilter", module = "particle_filter/particle_filter_float", all = true, block = 64, size = "64 512 1", small = "64 128 1" },
	sobel_strided = { theirs = "SobelFilter", module = "sobel/sobel", kernels = { "^sobel_strided$" }, block = 64, size = "64 1000 16 strided", small = "64 300 8 strided" },
	sobel_contiguous = { theirs = "SobelFilter, modified", module = "sobel/sobel", kernels = { "^sobel_contiguous$" }, block = 64, size = "64 1000 16 contiguous",
		small = "64 300 8 contiguous" },
	bilateral_strided = { theirs = "bilateralFilter", module = "bilateral/bilateral", kernels = { "^bilateral_strided$" }, block = 64, size = "64 500 12 strided",
		small = "64 300 4 strided" },
	bilateral_contiguous = { theirs = "bilateralFilter, modified", module = "bilateral/bilateral", kernels = { "^bilateral_contiguous$" }, block = 64,
		size = "64 500 12 contiguous", small = "64 300 4 contiguous" },
	stencil_1d_strided = { theirs = "figure 4.18 (a)", module = "stencil_1d/stencil_1d", kernels = { "^strided$" }, block = 64, size = "64 32000 16 strided",
		small = "64 8000 8 strided" },
	stencil_1d_contiguous = { theirs = "figure 4.18 (b)", module = "stencil_1d/stencil_1d", kernels = { "^contiguous$" }, block = 64, size = "64 32000 16 contiguous",
		small = "64 8000 8 contiguous" },
	kmeans = { theirs = "kmeans", kernels = { "^kmeans_tree$" }, block = 128, size = "2000 10 tree", small = "500 10 tree" },
}
for name, p in pairs(KERNELS) do
	p.name, p.file = name, ("kernels/%s.ptx"):format(p.module or name .. "/" .. name)
	p.kernels = p.kernels or { "." }
	p.arguments = function() return m.quick > 0 and p.small or p.size end
end
local function list(names)
	local programs = {}
	for name in names:gmatch("%S+") do programs[#programs + 1] = assert(KERNELS[name], name) end
	return programs
end

-- Chapter 4.2: first those of figure 4.7 in its order, and experiment B's; then the kernels of chapter 4.3,
-- which are no worse for being moved in.
set.motion = list "barnes_hut nearest_neighbours fluid finite_differences several_intervals saturating_histogram bisect mri_q photons b_plus_tree bfs huffman boxes cells backprop srad hot_spot lu particle_filter kmeans"
-- Chapter 4.3: figures 4.14 to 4.17, and 4.18 to 4.20: kernels with two access patterns.
set.patterns = { "stencil_1d", "sobel", "bilateral" }
set.queries = list "b_plus_tree bfs huffman boxes cells backprop srad hot_spot lu particle_filter barnes_hut nearest_neighbours kmeans"
for _, name in ipairs(set.patterns) do
	for _, p in ipairs(list(("%s_strided %s_contiguous"):format(name, name))) do
		p.pattern = true
		set.queries[#set.queries + 1] = p
	end
end

-- Experiment B: as many photons as threads, in a job's grid.
set.photons = { name = "photons", theirs = "MCML", file = KERNELS.photons.file, kernels = { "^photons_nest$" },
	arguments = function(block, j) return j.grid * block, 6, 7, block, j.grid, "nest" end }
-- Figures 4.11 and 4.13, as a kernel.
set.figure = { name = "figure", theirs = "figure 4.11", file = "tests/passes/queries/figure.ir", kernels = { "." }, block = 32, figure = true, pattern = true,
	arguments = function() return "" end }
-- Small kernels whose branches are as uniform and divergent as the thesis says of two of its own
-- (tests/passes/check_motion_kernels.sh).
for i, name in ipairs { "differences", "histogram" } do
	table.insert(set.motion, i, { name = name, theirs = name, file = "tests/passes/motion/loops.ir", kernels = { "^" .. name .. "$" }, block = 32,
		arguments = function() return "" end })
end

return set
end
