-- Tesla V100 SXM2 (GV100, compute capability 7.0): independent thread scheduling with convergence barriers.
-- Sources: [G] CUDA C++ Programming Guide, tables of compute capabilities and of arithmetic throughput; [W]
-- V100 white paper; [T] Volta tuning guide; [J] Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
-- microbenchmarking", 2018; [K] Khairy et al., "Accel-Sim", ISCA 2020, and its configuration of this card;
-- [A] A100 white paper, where it compares; [C] CUDA debugger API, CUDBGCbuWarpState; [N] Nsight Compute,
-- Kernel Profiling Guide, "Pipelines"; [P] NVIDIA developer forums, "INT 32 and FP64 can be used concurrently
-- in the Volta architecture?", 2019; [M] Mesa, NAK, sm75_instr_latencies.rs: scheduling tables that NVIDIA provided; [H] Huerta et al.,
-- "Analyzing modern NVIDIA GPU cores", MICRO 2025; [F] the forums, "Too much time for kernel launch latency", 2022: a launch
-- of an empty kernel takes about 3 us with recent hardware. What has no source is marked `assumption`; a
-- price of barriers among it is the default, 0.
local rates = include("tables/rates.lua")
return rates.machine("7.0", {
	warp_size = 32,                        -- [G]
	clock_mhz = 1530,                      -- [W]
	launch = {
		overhead_cycles = 4590,            -- [F] 3 us
		latency_cycles = 5000,             -- [K] from when the stream is free to the first block
		resident_grids = 128,              -- [G]
		grid_barrier_cycles = 2188,        -- (S) 1.43 us with one block of one warp an SM: Zhang et al., IPDPS 2020
		grid_barrier_block_cycles = 1139,  -- (S) 24.5 us with 32 blocks an SM: the same
	},
	sm = {
		count = 80,                        -- [W]
		max_warps = 64,                    -- [G]
		max_blocks = 32,                   -- [G]
		max_threads_per_block = 1024,      -- [G]
		registers = 65536,                 -- [G]
		max_registers_per_thread = 255,    -- [G]
		register_unit = 256,               -- [G]
		shared_bytes = 98304,              -- [G] the largest part of the 128 KB that it shares with L1
		shared_unit = 256,                 -- [G]
		max_shared_per_block = 98304,      -- [G]
		local_bytes = 524288,              -- [G]
	},
	scheduler = {
		count = 4,                         -- [W] one for each processing block
		policy = "gto",                    -- assumption
		issue_width = 1,                   -- [W] one warp instruction a clock
	},
	fetch = {
		instruction_bytes = 16,            -- [J] 128-bit words
		cache_bytes = 131072,              -- [J] the L1.5 cache; the L0 caches of 12 KB before it are not modelled
		line_bytes = 128,                  -- [J]
		ways = 4,                          -- assumption
		miss_cycles = 193,                 -- [J] an L2 hit
		-- assumption: the branch is decided in the cycle behind its issue; its target passes the fetch and
		-- the two stages between that and the issue [H]
		redirect_cycles = 4,
	},
	-- A processing block has its own units [W]: 4 x 32 / interval = operations per cycle of [G]. latency:
	-- of dependent instructions.
	units = {
		-- Who reads a result: [M]'s table for Turing, by which it schedules Volta's code, too (P). [J] has
		-- measured 4 cycles from one fp32 to the next, 5 for imul, 8 for fp64.
		alu = { per = "scheduler", count = 1, latency = 4, fma_latency = 5, guard_latency = 12, decoupled_latency = 6 }, -- [G] 64; [M]
		imul = { shares = "fp32", count = 1, latency = 5, fma_latency = 4, decoupled_latency = 6 },                       -- [G] 64; [M]; [N][P] the FMA pipe
		fp32 = { per = "scheduler", count = 1, latency = 5, fma_latency = 4, guard_latency = 12, decoupled_latency = 6 }, -- [G] 64; [M]
		fp64 = { per = "scheduler", count = 1, latency = 8, guard_latency = 15, decoupled_latency = 9 },                  -- [G] 32; [J]; [M] to others
		sfu = { per = "scheduler", count = 1, latency = 16 },                  -- [G] 16; latency: assumption
		cvt = { shares = "sfu", count = 1, latency = 14 },                     -- [G] 16; [N] the XU pipe; latency: assumption
		reverse = { shares = "sfu" },                                                        -- [N] the XU pipe, by the rate
		count_bits = { shares = "sfu" },                                                     -- [N] the XU pipe, by the rate
		match = { latency = 16 },                                                            -- assumption: Turing's
		shfl = { shares = "mem" },                                                           -- assumption: it crosses the load/store unit's switch
		mem = { count = 1, latency = 1, interval = 1 },                                      -- [W] 32 load/store units
		ctl = { per = "scheduler", count = 1, latency = 1, interval = 1 },                   -- assumption
	},
	shared = {
		banks = 32,                        -- [G]
		bank_bytes = 4,                    -- [G]
		latency = 19,                      -- [J]
	},
	l1 = {
		global = true,                     -- [T]
		bytes = 32768,                     -- [T] what shared memory leaves of 128 KB
		line_bytes = 128,                  -- [J]
		sector_bytes = 32,                 -- [J]
		ways = 64,                         -- [J] four sets
		latency = 28,                      -- [J]
		mshrs = 256,                       -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 256,                       -- assumption
	},
	barrier = { latency = 20, warp_latency = 5 }, -- 22 with the first warp: Zhang et al., IPDPS 2020, table II; warp_latency: assumption, Turing's
	fence = {                              -- with what else a fence costs on the cards measured; see turing.lua
		gpu_cycles = 205,                  -- assumption: as on an RTX 4070 Ti (MEMBAR.GPU alone: notes of its owner, 2026)
		sys_cycles = 1790,                 -- assumption: Turing's
		empties_l1 = true,                 -- since Volta compilers put CCTL.IVALL behind MEMBAR (SASS of __threadfence)
	},
	constant = {
		bytes = 2048,                      -- [J] first level
		line_bytes = 64,                   -- [J]
		ways = 4,                          -- [J]
		latency = 27,                      -- [J]
	},
	interconnect = {
		latency = 55,                      -- assumption: both ways, l2.latency and the ports take 193 cycles, an L2 hit of [J]
		bytes_per_cycle = 64,              -- assumption
	},
	l2 = {
		slices = 64,                       -- [K]
		bytes = 6291456,                   -- [W]
		line_bytes = 128,                  -- [K]
		sector_bytes = 32,                 -- [K]
		ways = 24,                         -- [K]
		latency = 80,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 32,              -- [A] 2048 over all slices
		atomic_cycles = 1,                 -- assumption
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {
		channels = 32,                     -- [W] 4096 bits, channels of 128 bits
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 75,                     -- assumption
		latency = 105,                     -- assumption: with the above 375 cycles, an L2 miss of [J]
		bytes_per_cycle = 18,              -- [W] 900 GB/s at 1530 MHz over 32 channels
	},
	divergence = {
		model = "its",                     -- [W]
		bar_partial = "whole_warp",        -- of mechanisms that cannot let part of a warp wait; of others each thread arrives by itself [G]
	},
	its = {
		policy = "its_fair",               -- [W] promises progress, so that threads of a warp may wait for each other; how: assumption
		registers = 16,                    -- [C]
	},
})
