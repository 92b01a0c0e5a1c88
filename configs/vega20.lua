-- AMD Radeon Instinct MI50 (Vega 20, gfx906): wavefronts of 64 lanes, EXEC masks. Sources: [R] AMD ROCm
-- documentation, accelerator hardware specifications; [H] AMD HIP documentation, hardware implementation of
-- GCN; [G] AMD Graphics Cores Next architecture white paper, 2012; [I] AMD, Vega 7nm Instruction Set
-- Architecture, 2020; [P] product data of the MI50; [L] LLVM, AMDGPU back end. What has no source is marked
-- `assumption`.
local rates = include("tables/rates.lua")
return rates.divisions({
	warp_size = 64,                        -- [R] (S)
	clock_mhz = 1725,                      -- [P] (S) peak
	launch = {
		overhead_cycles = 5175,            -- assumption: 3 us, as volta.lua has
		latency_cycles = 5000,             -- assumption: as volta.lua
		resident_grids = 8,                -- assumption
	},
	sm = {                                 -- a compute unit
		count = 60,                        -- [R] (S)
		max_warps = 40,                    -- [H] (S) ten for each SIMD
		max_blocks = 16,                   -- [H] (S) work-groups of more than one wave
		max_threads_per_block = 1024,      -- [H] (S)
		registers = 65536,                 -- [R] (S) 256 KiB
		max_registers_per_thread = 256,    -- [I] (S)
		register_unit = 256,               -- [L] (S) four registers of 64 lanes
		shared_bytes = 65536,              -- [R] (S)
		shared_unit = 512,                 -- [L] (S) 128 dwords
		max_shared_per_block = 65536,      -- [R] (S)
		local_bytes = 131072,              -- assumption
	},
	scheduler = {
		count = 4,                         -- [G] (S) one for each SIMD
		policy = "oldest",                 -- assumption
		issue_width = 1,                   -- [G] (S) one instruction of a wave
	},
	fetch = {
		instruction_bytes = 8,             -- [I] (S) four or eight
		cache_bytes = 32768,               -- [R] (S) here for each unit, there for three
		line_bytes = 64,                   -- [G] (S)
		ways = 4,                          -- [G] (S)
		miss_cycles = 100,                 -- assumption
		redirect_cycles = 12,              -- assumption: a taken branch takes four turns of the SIMDs
	},
	units = {                              -- [G] (S) a SIMD of 16 lanes for each scheduler: a wave has it for four cycles, whatever it computes
		alu = { shares = "fp32", count = 1, latency = 4, interval = 4 },          -- [G] (S)
		imul = { shares = "fp32", count = 1, latency = 16, interval = 16 },       -- [G] (S) a quarter of the rate
		fp32 = { per = "scheduler", count = 1, latency = 4, interval = 4 },       -- [G] (S)
		fp64 = { shares = "fp32", count = 1, latency = 8, interval = 8 },         -- [P] (S) half the rate: 6.7 and 13.4 Tflop/s
		sfu = { shares = "fp32", count = 1, latency = 16, interval = 16 },        -- [G] (S) a quarter of the rate
		cvt = { shares = "fp32", count = 1, latency = 4, interval = 4 },          -- assumption: the full rate
		mem = { count = 1, latency = 4, interval = 4 },    -- [G] (S) 16 addresses a cycle
		ctl = { count = 1, latency = 4, interval = 1 },    -- [G] (S) the scalar unit that the SIMDs share
		uniform = { shares = "ctl", count = 1, latency = 4, interval = 1 }, -- [G] (S) the scalar unit, too
	},
	uniform = {
		datapath = true,                   -- [G] (S) the scalar unit
		registers = 102,                   -- [L] (P) AMDGPUBaseInfo.cpp
	},
	shared = {
		banks = 32,                        -- [G] (S)
		bank_bytes = 4,                    -- [G] (S)
		latency = 64,                      -- assumption
	},
	l1 = {
		global = true,                     -- [G] (S)
		bytes = 16384,                     -- [R] (S)
		line_bytes = 64,                   -- [G] (S)
		sector_bytes = 64,                 -- [G] (S)
		ways = 4,                          -- [G] (S)
		latency = 116,                     -- assumption
		mshrs = 64,                        -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 64,                        -- assumption, as mshrs; of stores
	},
	constant = {                           -- the scalar cache
		bytes = 16384,                     -- [R] (S) here for each unit, there for three
		line_bytes = 64,                   -- [G] (S)
		ways = 4,                          -- [G] (S)
		latency = 50,                      -- assumption
	},
	interconnect = {
		latency = 40,                      -- assumption
		bytes_per_cycle = 64,              -- [G] (S) a line
	},
	l2 = {
		slices = 16,                       -- assumption: as Vega 10
		bytes = 4194304,                   -- [R] (S)
		line_bytes = 64,                   -- [G] (S)
		sector_bytes = 64,                 -- [G] (S)
		ways = 16,                         -- [G] (S)
		latency = 80,                      -- assumption
		bytes_per_cycle = 64,              -- [G] (S)
		atomic_cycles = 1,                 -- assumption
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {                               -- HBM2
		channels = 32,                     -- [P] (S) 4096 bits, channels of 128
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 80,                     -- assumption
		latency = 150,                     -- assumption
		bytes_per_cycle = 18,              -- [P] (S) 1024 GB/s at 1725 MHz over 32 channels
	},
	divergence = {
		model = "exec_mask",               -- [I] [L] (S)
		bar_partial = "whole_warp",        -- [I] (S) s_barrier counts waves
	},
	exec_mask = {
		skip_threshold = 12,               -- [L] (S) amdgpu-skip-threshold
	},
})
