-- GeForce GTX 770 (GK104, compute capability 3.0). Sources: [G] CUDA C Programming Guide, tables of compute
-- capabilities and of arithmetic throughput; [W] GK104 white paper and product data; [B] Bialas and
-- Strzelecki, "Benchmarking the cost of thread divergence in CUDA", 2015; [M] Mei and Chu, "Dissecting GPU
-- memory hierarchy through microbenchmarking", 2017; [J] Jia et al., "Dissecting the NVIDIA Volta GPU
-- architecture via microbenchmarking", 2018, which compares older cards; [V] University of Virginia, "CUDA
-- kernel overhead": at best 334,000 launches a second on cards before Fermi; [I] PTX ISA 5.0, bar. Where a
-- card stands behind a source, that one was measured. What has no source is marked `assumption`.
local rates = include("tables/rates.lua")
return rates.machine("3.0", {
	warp_size = 32,                        -- [G]
	clock_mhz = 1046,                      -- [W]
	launch = {
		overhead_cycles = 3138,            -- [V] 3.0 us
		latency_cycles = 5000,             -- assumption: Volta's, see volta.lua
		resident_grids = 16,               -- [G]
	},
	sm = {
		count = 8,                         -- [W]
		max_warps = 64,                    -- [G]
		max_blocks = 16,                   -- [G]
		max_threads_per_block = 1024,      -- [G]
		registers = 65536,                 -- [G]
		max_registers_per_thread = 63,     -- [G]
		register_unit = 256,               -- [G]
		shared_bytes = 49152,              -- [G]
		shared_unit = 256,                 -- [G]
		max_shared_per_block = 49152,      -- [G]
		local_bytes = 524288,              -- [G]
	},
	scheduler = {
		count = 4,                         -- [W]
		policy = "gto",                    -- assumption
		issue_width = 2,                   -- [W] two dispatch units a scheduler
	},
	fetch = {
		instruction_bytes = 8,             -- [B] addresses in the listings
		cache_bytes = 8192,                -- assumption
		line_bytes = 128,                  -- assumption
		ways = 4,                          -- assumption
		miss_cycles = 100,                 -- assumption
		-- Calibrated on [B]: 14 divergent threads cost 448 cycles, about 25 %, so the single loop
		-- takes 1792 cycles, 56 a turn (add, add, setp, bra); 23 of them are the latencies above.
		-- Check: its double loop gives 55.8 a turn.
		redirect_cycles = 33,
	},
	units = {                              -- count x 32 / interval = operations per cycle of [G]; latencies: 9 to 11 cycles [G][J]
		alu = { shares = "fp32", count = 5, latency = 9, guard_latency = 13 }, -- [G] 160 additions; [W] in the same 192 cores; a comparison: Mesa, NAK, Kepler's table (P)
		imul = { count = 1, latency = 9 },  -- [G] 32 multiplications
		fp32 = { count = 6, latency = 9 },  -- [G] 192
		fp64 = { count = 1, latency = 16 }, -- [G] 8; latency: assumption
		sfu = { count = 1, latency = 18 },  -- [G] 32; latency: assumption
		cvt = { count = 1, latency = 11 },  -- [G] 32; latency: assumption
		cvt8 = { shares = "fp32" },                       -- assumption: in the cores, by the rate
		shfl = { shares = "mem" },                        -- assumption: it crosses the load/store units' switch
		mem = { count = 1, latency = 1, interval = 1 },   -- [W] 32 load/store units
		ctl = { count = 4, latency = 1, interval = 1 },   -- assumption
	},
	shared = {
		banks = 32,                        -- [G]
		bank_bytes = 4,                    -- [G] the default mode
		latency = 47,                      -- [M] GTX 780
	},
	l1 = {
		global = false,                    -- [G] L1 serves local memory only
		bytes = 16384,                     -- [G]
		line_bytes = 128,                  -- [G]
		sector_bytes = 32,                 -- assumption
		ways = 4,                          -- assumption: Fermi's, of [M]
		latency = 35,                      -- [J] K80
		mshrs = 64,                        -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 64,                        -- assumption, as mshrs; DRAM's rate for an SM x 376 cycles is 79 lines, so it bounds streams
	},
	constant = {
		bytes = 2048,                      -- [J] K80, first level
		line_bytes = 64,                   -- [J]
		ways = 4,                          -- [J]
		latency = 16,                      -- assumption
	},
	interconnect = {
		latency = 66,                      -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [J], K80
		bytes_per_cycle = 32,              -- assumption
	},
	l2 = {
		slices = 4,                        -- [W] one for each memory controller
		bytes = 524288,                    -- [W]
		line_bytes = 128,                  -- assumption
		sector_bytes = 32,                 -- [B] unit of its traffic
		ways = 16,                         -- assumption
		latency = 65,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- assumption
		atomic_cycles = 1,                 -- [W] one per clock on one address
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {
		channels = 4,                      -- [W] 256 bits
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 75,                     -- assumption
		latency = 100,                     -- assumption
		bytes_per_cycle = 54,              -- [W] 224.3 GB/s at 1046 MHz over four channels
	},
	divergence = {
		model = "token",                   -- [B]
		depth = 16,                        -- [B]
		chunk = 4,                         -- [B]
		spill = "constant",                -- [B] measured as constants
		entry_bytes = 8,                   -- [B]
		bar_partial = "whole_warp",        -- [I] a warp is taken to arrive with all its threads
	},
	token = {
		unwind_cycles = 32,                -- [B] exactly
		spill_push = 42,                   -- [B] about 40 on the branch ...
		reload_pop = 42,                   -- [B] ... and 42 on the unwinding, 84 together
		loop_codegen = "ssy_div",          -- [B] listing of the compiled loop
	},
})
