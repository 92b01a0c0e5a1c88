-- Tesla V100 SXM2 (GV100, compute capability 7.0): independent thread scheduling with convergence barriers.
-- (P): read in the source itself; (S): through others who quote it, or nobody noted how. Sources: [G] CUDA
-- C++ Programming Guide, tables of compute capabilities and of arithmetic throughput; [W] V100 white paper;
-- [T] Volta tuning guide; [J] Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
-- microbenchmarking", 2018; [K] Khairy et al., "Accel-Sim", ISCA 2020, its configuration of this card, and
-- what its tuner printed on a TITAN V; [E] Arafa et al., "Low overhead instruction latency characterization
-- for NVIDIA GPGPUs", 2019, its raw results for a TITAN V, and the tables of PPT-GPU; [Z] Zhang et al., "A
-- study of single and multi-device synchronization methods in Nvidia GPUs", IPDPS 2020; [Y] notes on
-- latencies of an RTX 4070 Ti in a public repository, 2026, the only source for some; [A] A100 white paper,
-- where it compares; [C] CUDA debugger API, CUDBGCbuWarpState; [N] Nsight Compute, Kernel Profiling Guide,
-- "Pipelines"; [H] Mesa's compiler NAK, sm75_instr_latencies.rs: scheduling tables that NVIDIA provided;
-- [U] Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025; [P] NVIDIA developer forums, "INT 32 and
-- FP64 can be used concurrently in the Volta architecture?", 2019. What has no source is marked `assumption`; a price of barriers among it is the
-- default, 0. A TITAN V has the same chip with three of its four memory controllers; where what was read of
-- it ([E], [K]) contradicts [J], it rules, because its logs can be opened and two programs agree.
local rates = include("tables/rates.lua")
return rates.machine("7.0", {
	warp_size = 32,                        -- [G] (S)
	clock_mhz = 1530,                      -- [W] (S)
	launch = {
		overhead_cycles = 1652,            -- [Z] (S) 1.08 us
		dependent_cycles = 1115,           -- assumption: with what an empty kernel takes itself 1.08 us [Z] (S)
		latency_cycles = 5000,             -- [K] (S)
		grid_barrier_cycles = 2188,        -- [Z] (S) 1.43 us, of one block of 32 threads on each SM
		resident_grids = 128,              -- [G] (S)
		grid_barrier_block_cycles = 1139,  -- (S) 24.5 us with 32 blocks an SM: the same
	},
	sm = {
		count = 80,                        -- [W] (S)
		max_warps = 64,                    -- [G] (S)
		max_blocks = 32,                   -- [G] (S)
		max_threads_per_block = 1024,      -- [G] (S)
		registers = 65536,                 -- [G] (S)
		max_registers_per_thread = 255,    -- [G] (S)
		register_unit = 256,               -- [G] (S)
		shared_bytes = 98304,              -- [G] (S) the largest part of the 128 KB that it shares with L1
		shared_unit = 256,                 -- [G] (S)
		max_shared_per_block = 98304,      -- [G] (S)
		local_bytes = 524288,              -- [G] (S)
	},
	scheduler = {
		count = 4,                         -- [W] (S) one for each processing block
		policy = "gto",                    -- assumption
		issue_width = 1,                   -- [W] (S) one warp instruction a clock
	},
	fetch = {
		instruction_bytes = 16,            -- [J] (S) 128-bit words
		cache_bytes = 131072,              -- [J] (S) the L1.5 cache; the L0 caches of 12 KB before it are not modelled
		line_bytes = 128,                  -- [J] (S)
		ways = 4,                          -- assumption
		miss_cycles = 213,                 -- [E] (P) an L2 hit
		-- assumption: the branch is decided in the cycle behind its issue; its target passes the fetch and
		-- the two stages between that and the issue [U]
		redirect_cycles = 4,
	},
	-- A processing block has its own units [W]. Rates are the guide's (rates.lua), latencies those of dependent
	-- instructions. Operations that are code (div to rootf64) take the pipe of the fma of their width for as many
	-- instructions as rates.lua says. "TITAN V": [E], the same chip.
	units = {
		-- Who reads a result: [H]'s table for Turing, by which it schedules Volta's code, too (P). [E] has measured 4 cycles from one
		-- imul to the next and 8 for fp64; [J] 4 for fp32, 5 for imul, 8 for fp64.
		alu = { per = "scheduler", count = 1,                   -- [W] (S)
			latency = 4, fma_latency = 5, guard_latency = 12, decoupled_latency = 6 }, -- [H] (P)
		imul = { shares = "fp32", count = 1,                    -- [N][P] (S) the FMA pipe
			latency = 5, fma_latency = 4, decoupled_latency = 6 }, -- [H] (P)
		fp32 = { per = "scheduler", count = 1,                  -- [W] (S)
			latency = 5, fma_latency = 4, guard_latency = 12, decoupled_latency = 6 }, -- [H] (P)
		fp64 = { per = "scheduler", count = 1,                  -- [W] (S)
			latency = 8, guard_latency = 15, decoupled_latency = 9 }, -- [E] (P) TITAN V, as [J]; guard_latency: [H] (P); decoupled_latency: [H] (P)
		sfu = { per = "scheduler", count = 1,                   -- [W] (S)
			latency = 16 },                                 -- [E] (P) TITAN V, ex2
		rcp = { latency = 23 },                                 -- [E] (P) TITAN V, with what a compiler puts around it
		root = { latency = 18 },                                -- [E] (P) TITAN V, with what a compiler puts around it
		cvt = { shares = "sfu", count = 1, latency = 12 },      -- assumption: as an RTX 4070 Ti [Y], half of 23.5, there and back; shares: [N] (S) the XU pipe
		cvt64 = { latency = 12 },                               -- assumption: as other conversions
		widen = { shares = "alu", count = 1, latency = 4, interval = 2 }, -- assumption: a move or a shift of the other half
		bits = { latency = 8, interval = 4 },                   -- assumption: as an RTX 4070 Ti [Y], 8.5, a shift and a logic operation, two of the ALU's; [G] has several instructions
		reverse = { shares = "sfu", latency = 15 },             -- assumption: Turing's; shares: [N] (S) the XU pipe, by the rate
		count_bits = { shares = "sfu", latency = 15 },          -- assumption: Turing's; shares: [N] (S) the XU pipe, by the rate
		shfl = { shares = "mem", latency = 22 },                -- [Z] (S); shares: assumption, it crosses the load/store unit's switch
		vote = { latency = 6 },                                 -- assumption: Turing's
		match = { latency = 16, interval = 2 },                 -- assumption: Turing's
		redux = { latency = 18, interval = 8 },                 -- assumption: Ampere's; the chip has none
		div32 = { latency = 71 },                               -- [E] (P) TITAN V, div.u32, div.s32; rem.u32 72
		div64 = { latency = 284 },                              -- assumption: four times div32
		divf32 = { latency = 84 },                              -- assumption: rcp and six fma behind it; [E] measured 504 (P), which must be the path of denormal operands
		rootf32 = { latency = 60 },                             -- [E] (P) TITAN V, rcp and sqrt
		divf64 = { latency = 606 },                             -- [E] (P) TITAN V
		rcpf64 = { latency = 57 },                              -- [E] (P) TITAN V
		rootf64 = { latency = 106 },                            -- [E] (P) TITAN V
		cvtf64 = { latency = 12 },                              -- assumption: as other conversions
		mem = { count = 1, latency = 1, interval = 1 },         -- [W] (S) 32 load/store units
		ctl = { per = "scheduler", count = 1, latency = 1, interval = 1 }, -- assumption
	},
	barrier = {
		latency = 20,                      -- [Z] (S) 22 cycles of one warp, less its turn at the rate
		warp_latency = 5,                  -- assumption: Turing's; [Z] has 14 of a tile
	},
	shared = {
		banks = 32,                        -- [G] (S)
		bank_bytes = 4,                    -- [G] (S)
		latency = 27,                      -- [K] (P) TITAN V, 27.0; [J] has 19, below every other chip's
		conflict_cycles = 1,               -- assumption
	},
	l1 = {
		global = true,                     -- [T] (S)
		bytes = 32768,                     -- [T] (S) what shared memory leaves of 128 KB
		line_bytes = 128,                  -- [J] (S)
		sector_bytes = 32,                 -- [J] (S)
		ways = 64,                         -- [J] (S) four sets
		latency = 33,                      -- [E] (P), and 33.7 in [K], both of a TITAN V; [J] has 28
		mshrs = 256,                       -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 256,                       -- assumption
	},
	fence = {                              -- with what else a fence costs on the cards measured; see turing.lua
		gpu_cycles = 205,                  -- assumption: as on an RTX 4070 Ti (MEMBAR.GPU alone: notes of its owner, 2026)
		sys_cycles = 1790,                 -- assumption: Turing's
		empties_l1 = true,                 -- assumption: since Volta compilers put CCTL.IVALL behind MEMBAR (SASS of __threadfence)
	},
	constant = {
		bytes = 2048,                      -- [J] (S) first level
		line_bytes = 64,                   -- [J] (S)
		ways = 4,                          -- [J] (S)
		latency = 27,                      -- [J] (S)
	},
	interconnect = {
		latency = 55,                      -- assumption: both ways, l2.latency and the ports take 213 cycles, an L2 hit of [E]; [K] has 211 to 220, [J] 193
		bytes_per_cycle = 64,              -- assumption
	},
	l2 = {
		slices = 64,                       -- [K] (S)
		bytes = 6291456,                   -- [W] (S)
		line_bytes = 128,                  -- [K] (S)
		sector_bytes = 32,                 -- [K] (S)
		ways = 24,                         -- [K] (S)
		latency = 100,                     -- assumption, see interconnect.latency
		bytes_per_cycle = 32,              -- [A] (S) 2048 over all slices
		atomic_cycles = 1,                 -- assumption
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {
		channels = 32,                     -- [W] (S) 4096 bits, channels of 128 bits
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 75,                     -- assumption
		latency = 23,                      -- assumption: with the above 313 cycles, an L2 miss of [K], TITAN V; [J] has 375
		bytes_per_cycle = 18,              -- [W] (S) 900 GB/s at 1530 MHz over 32 channels
	},
	divergence = {
		model = "its",                     -- [W] (S)
		bar_partial = "whole_warp",        -- [G] (S) each thread arrives by itself; this is for mechanisms that cannot let part of a warp wait
	},
	its = {
		policy = "its_fair",               -- assumption: how they do; [W] (S) promises progress, so that threads of a warp may wait for each other
		registers = 16,                    -- [C] (S)
	},
})
