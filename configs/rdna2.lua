-- Radeon RX 6900 XT (Navi 21, gfx1030): waves of 32 lanes, EXEC masks. A workgroup processor, which is two
-- compute units, makes an SM. Sources: [L] LLVM, AMDGPU back end, SISchedule.td (GFX10), AMDGPUBaseInfo.cpp,
-- options; [C] C. Lam, "AMD's RDNA 2: Shooting for the Top", Chips and Cheese, 2023, and [M] "Measuring GPU
-- Memory Latency", the same, 2021; [U] "unofficial_amdgpu_docs", cache.md, which collects AMD's documents; [P]
-- product data. The Infinity Cache of 128 MB between L2 and DRAM is not modelled: [M] finds 20 ns more than an
-- L2 hit there. What has no source is marked `assumption`.
local rates = include("tables/rates.lua")
return rates.divisions({
	warp_size = 32,                        -- [L] (P) the default of gfx1030
	clock_mhz = 2250,                      -- [P] (S) boost
	launch = {
		overhead_cycles = 6750,            -- assumption: 3 us, as vega20.lua has
		latency_cycles = 5000,             -- assumption: as vega20.lua
		resident_grids = 8,                -- assumption
	},
	sm = {                                 -- a workgroup processor
		count = 40,                        -- [C] (S)
		max_warps = 64,                    -- [C] (S) 16 for each SIMD
		max_blocks = 32,                   -- assumption
		max_threads_per_block = 1024,      -- [P] (S)
		registers = 131072,                -- [C] (S) 128 KB for each SIMD
		max_registers_per_thread = 256,    -- [L] (P)
		register_unit = 512,               -- [L] (P) sixteen registers of 32 lanes
		shared_bytes = 131072,             -- [C] (S)
		shared_unit = 1024,                -- assumption
		max_shared_per_block = 65536,      -- [P] (S)
		local_bytes = 131072,              -- assumption
	},
	scheduler = {
		count = 4,                         -- [C] (S) one for each SIMD
		policy = "oldest",                 -- assumption
		issue_width = 1,                   -- [L] (P)
	},
	fetch = {
		instruction_bytes = 8,             -- assumption: four or eight, with literals more
		cache_bytes = 32768,               -- [U] (S)
		line_bytes = 64,                   -- [U] (S)
		ways = 4,                          -- [U] (S)
		miss_cycles = 150,                 -- assumption: 66 ns, from L0 to L2 [M]
		redirect_cycles = 31,              -- [L] (P) 32 with the cycle that it issues; the model says it may not be accurate
	},
	units = {                              -- a SIMD of 32 lanes for each scheduler [C]; latencies of [L], one cycle for registers among them
		alu = { shares = "fp32", count = 1, latency = 5, interval = 1 },        -- [L] (P)
		imul = { shares = "fp32", count = 1, latency = 8, interval = 4 },       -- [L] (P) quarter rate
		fp32 = { per = "scheduler", count = 1, latency = 5, interval = 1 },     -- [L] (P); count: [C] (S)
		fp64 = { shares = "fp32", count = 1, latency = 22, interval = 16 },     -- [L] (P); interval: [P] (S) a sixteenth of the rate
		sfu = { per = "scheduler", count = 1, latency = 10, interval = 4 },     -- [L] (P) a unit of its own; interval: [C] (S) quarter rate
		cvt = { shares = "fp32", count = 1, latency = 5, interval = 1 },        -- [L] (P)
		mem = { count = 2, latency = 1, interval = 1 },                         -- [C] (S) a memory pipeline for each compute unit; latency: assumption; interval: assumption
		ctl = { per = "scheduler", count = 1, latency = 2, interval = 1 },      -- [L] (P) of the scalar unit
		uniform = { shares = "ctl", count = 1, latency = 2, interval = 1 },     -- [L] (P) the scalar unit, too
	},
	uniform = {
		datapath = true,                   -- [L] (P) the scalar unit
		registers = 106,                   -- [L] (P)
	},
	shared = {
		banks = 64,                        -- [U] (S)
		bank_bytes = 4,                    -- [U] (S)
		latency = 44,                      -- [C] (S) 19.5 ns; [L] has 20 cycles
	},
	l1 = {                                 -- the two L0 caches, as one; the L1 of a shader array is not modelled
		global = true,                     -- [U] (S)
		bytes = 32768,                     -- [C] (S)
		line_bytes = 128,                  -- [U] (S)
		sector_bytes = 128,                -- assumption: whole lines
		ways = 32,                         -- [U] (S)
		latency = 90,                      -- assumption
		mshrs = 64,                        -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 64,                        -- assumption, as mshrs; of stores
	},
	constant = {                           -- the scalar cache
		bytes = 16384,                     -- [U] (S)
		line_bytes = 64,                   -- [U] (S)
		ways = 4,                          -- [U] (S)
		latency = 20,                      -- [L] (P)
	},
	interconnect = {
		latency = 70,                      -- assumption: both ways, l2.latency and the ports take 240 cycles: 66 ns [M] (S) beyond L0
		bytes_per_cycle = 128,             -- assumption: a line
	},
	l2 = {
		slices = 16,                       -- [U] (S) 256 KB each
		bytes = 4194304,                   -- [C] (S)
		line_bytes = 128,                  -- assumption: as L0's
		sector_bytes = 128,                -- assumption
		ways = 16,                         -- [U] (S)
		latency = 96,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- assumption
		atomic_cycles = 1,                 -- assumption
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {
		channels = 16,                     -- [P] (S) 256 bits of GDDR6, whose channels have 16
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 80,                     -- assumption
		latency = 180,                     -- assumption: with the above about 508 cycles, 226 ns of [M] (S)
		bytes_per_cycle = 14,              -- [P] (S) 512 GB/s at 2250 MHz over 16 channels
	},
	divergence = {
		model = "exec_mask",               -- [L] (P)
		bar_partial = "whole_warp",        -- assumption: as vega20.lua, s_barrier counts waves
	},
	exec_mask = {
		skip_threshold = 12,               -- [L] (P) amdgpu-skip-threshold
	},
})
