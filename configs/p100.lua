-- Tesla P100 SXM2 (GP100, compute capability 6.0). Sources as in pascal.lua, but [W] the Pascal white paper
-- and product data; [J] Jia et al. measured a P100 (as remembered, so an assumption); [Z] Zhang et al., "A Study of Single and Multi-device
-- Synchronization Methods in Nvidia GPUs", 2020; [H] PPT-GPU's description of the card, hardware/P100.py.
local rates = include("tables/rates.lua")
return rates.machine("6.0", derive("pascal.lua", {
	clock_mhz = 1480,                      -- [W] (S) boost
	launch = {
		overhead_cycles = 4440,            -- assumption: 3.0 us, as [V] has of older cards
		dependent_cycles = 3778,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
		grid_barrier_cycles = 2620,        -- [Z] (S) 1.77 us, one block of one warp an SM
		resident_grids = 128,              -- [G] (S)
	},
	sm = {
		count = 56,                        -- [H] (P)
		shared_bytes = 65536,              -- [H] (P)
	},
	scheduler = { count = 2 },             -- [H] (P)
	units = {                              -- two processing blocks of 32 cores each [W]
		fp32 = { per = "scheduler", count = 1, latency = 6 },   -- [H] (P) count; latency: assumption, [J] as remembered
		fp64 = { per = "scheduler", count = 1, latency = 8 },   -- [H] (P) count; latency: assumption, Volta's
		divf64 = { latency = 606 },        -- assumption: Volta's, as fp64
		rcpf64 = { latency = 57 },         -- assumption: Volta's, as fp64
		rootf64 = { latency = 106 },       -- assumption: Volta's, as fp64
		cvtf64 = { latency = 12 },         -- assumption: Volta's, as fp64
		shfl = { latency = 31 },           -- [Z] (S)
		mem = { interval = 2 },            -- [H] (P) 16 load/store units
	},
	shared = { latency = 24 },             -- assumption: [J], as remembered
	barrier = { latency = 186 },           -- [Z] (S) 218 for 32 warps
	l1 = {
		global = true,                     -- [G] (S) unlike GP104
		bytes = 24576,                     -- [G] (S) unified with the texture cache
		ways = 24,                         -- assumption: eight sets, as GP104's
	},
	constant = { latency = 24 },           -- assumption: [J], as remembered
	interconnect = { latency = 87 },       -- assumption: both ways, l2.latency and the ports take 234 cycles, an L2 hit of [J], as remembered
	l2 = {
		slices = 32,                       -- assumption: 128 KB each, as GP104's
		bytes = 4194304,                   -- [H] (P)
		latency = 57,                      -- assumption, see interconnect.latency
	},
	dram = {
		channels = 32,                     -- [W] (S) 4096 bits, channels of 128
		bytes_per_cycle = 15,              -- [W] (S) 732 GB/s at 1480 MHz over 32 channels
	},
}))
