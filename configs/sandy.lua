-- Intel HD Graphics 3000 (Sandybridge GT2), the setting of the thread-frontier paper: a pc for each lane, one
-- for the warp. The chip ran no compute kernels: shared memory, block barriers and atomics are as if it did.
-- A warp is an EU's thread. Sources: [D] Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011;
-- [R] D. Kanter, Intel's Sandy Bridge Graphics Architecture, Real World Technologies 2011; [A] AnandTech,
-- Intel's Sandy Bridge Architecture Exposed, 2010; [M] Mesa's table of Intel devices; [W] WikiChip, Sandy
-- Bridge (client); [E] ExtremeTech, Sandy Bridge: Intel's Next-Generation Microarchitecture Revealed, 2010;
-- [P] product data, with a Core i7-2600K. What has no source is marked `assumption`.
local rates = include("tables/rates.lua")
return rates.divisions({
	warp_size = 16,                        -- assumption: SIMD16, the widest that a thread is compiled for
	clock_mhz = 1350,                      -- [P] (S) highest
	launch = {
		overhead_cycles = 4050,            -- assumption: 3 us, as volta.lua has
		latency_cycles = 5000,             -- assumption: as volta.lua
		resident_grids = 1,                -- assumption
	},
	sm = {                                 -- half of the array: six EUs, which GT1 is made of
		count = 2,                         -- [M] (S) 12 EUs
		max_warps = 30,                    -- [M] (S) 60 threads on 12 EUs: five each
		max_blocks = 16,                   -- assumption
		max_threads_per_block = 480,       -- assumption: what is resident
		registers = 28800,                 -- [A] (S) 120 registers of 256 bits for each thread
		max_registers_per_thread = 60,     -- [A] (S) the same by lane
		register_unit = 960,               -- [A] (S) not shared out: a thread has its own 120
		shared_bytes = 65536,              -- assumption: there is none; as its successor's
		shared_unit = 1024,                -- assumption
		max_shared_per_block = 65536,      -- assumption
		local_bytes = 131072,              -- assumption
	},
	scheduler = {
		count = 6,                         -- [R] (S) each EU schedules its threads
		policy = "oldest",                 -- assumption: age; [R] (S) by priority
		issue_width = 1,                   -- assumption
	},
	fetch = {
		instruction_bytes = 16,            -- [R] (S) four in a line of 64
		cache_bytes = 8192,                -- [R] (S) 4096 for each row of three EUs
		line_bytes = 64,                   -- [R] (S)
		ways = 4,                          -- assumption
		miss_cycles = 40,                  -- assumption: the second level's 24 KiB hold every kernel
		redirect_cycles = 8,               -- assumption
	},
	units = {                              -- an EU: four lanes of 32 bits, so a warp takes four cycles
		alu = { shares = "fp32", count = 1, latency = 8, interval = 4 },        -- [R] (S) rate; latency: assumption
		imul = { shares = "fp32", count = 1, latency = 16, interval = 8 },      -- assumption
		fp32 = { per = "scheduler", count = 1, latency = 8, interval = 4 },     -- [R] (S) rate; latency: assumption
		fp64 = { shares = "fp32", count = 1, latency = 128, interval = 64 },    -- assumption: there is none, software
		sfu = { per = "scheduler", count = 1, latency = 32, interval = 16 },    -- assumption: the rate; [A] (S) it is in the EU
		cvt = { shares = "fp32", count = 1, latency = 8, interval = 4 },        -- assumption
		mem = { per = "scheduler", count = 1, latency = 8, interval = 4 },      -- assumption: a message for sixteen addresses
		ctl = { per = "scheduler", count = 1, latency = 8, interval = 1 },      -- assumption
	},
	shared = {
		banks = 16,                        -- assumption
		bank_bytes = 4,                    -- assumption
		latency = 80,                      -- assumption
	},
	l1 = {
		global = false,                    -- assumption: data go through the last-level cache
		bytes = 0,                         -- assumption
		line_bytes = 64,                   -- assumption
		sector_bytes = 64,                 -- assumption
		latency = 40,                      -- assumption
		mshrs = 32,                        -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 64,                        -- assumption; of all accesses, for want of an L1
	},
	constant = {
		bytes = 8192,                      -- assumption
		line_bytes = 64,                   -- assumption
		ways = 4,                          -- assumption
		latency = 40,                      -- assumption
	},
	interconnect = {                       -- the ring
		latency = 30,                      -- assumption
		bytes_per_cycle = 32,              -- [E] (S) of the data ring
	},
	l2 = {                                 -- the last-level cache, which the processor's cores share
		slices = 4,                        -- [W] (S) one for each core
		bytes = 8388608,                   -- [P] (S)
		line_bytes = 64,                   -- assumption: the processor's
		sector_bytes = 64,                 -- assumption
		ways = 16,                         -- assumption
		latency = 30,                      -- assumption
		bytes_per_cycle = 32,              -- [E] (S) as the ring
		atomic_cycles = 4,                 -- assumption
		mshrs = 32,                        -- assumption
		write_buffer = 32,                 -- assumption
	},
	dram = {                               -- DDR3-1333
		channels = 2,                      -- [P] (S)
		banks = 8,                         -- assumption: one rank
		row_bytes = 8192,                  -- assumption: eight chips, 1 KiB of each
		row_hit = 18,                      -- assumption: 13.5 ns
		row_miss = 54,                     -- assumption: 40.5 ns
		latency = 60,                      -- assumption
		bytes_per_cycle = 8,               -- [P] (S) 21.3 GB/s over two channels at 1350 MHz
	},
	divergence = {
		model = "tf_sandy",                -- [D] (S) section 5
		bar_partial = "whole_warp",        -- assumption: as the barrier of its successors, which counts EU threads
	},
	tf_sandy = {
		priority = "rpo",                  -- assumption: [D] (S) asks for an order that respects barriers, and gives another
		rule = "static",                   -- [D] (S)
		conservative_cycles = 0,           -- [D] (S) counts fetches; none is known
	},
})
