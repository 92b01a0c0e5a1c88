-- GeForce GTX 770 (GK104, compute capability 3.0). (P): read in the source itself; (S): through others who
-- quote it, or nobody noted how. Sources: [G] CUDA C Programming Guide, tables of compute capabilities and
-- of arithmetic throughput; [W] GK104 white paper and product data; [B] Bialas and Strzelecki, "Benchmarking
-- the cost of thread divergence in CUDA", 2015; [M] Mei and Chu, "Dissecting GPU memory hierarchy through
-- microbenchmarking", 2017; [J] Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
-- microbenchmarking", 2018, which compares older cards; [V] University of Virginia, "CUDA kernel overhead":
-- at best 334,000 launches a second on cards before Fermi; [I] PTX ISA 5.0, bar; [H] latencies of Mesa's
-- compiler NAK for Kepler; [Z] Zhang et al., "A study of single and multi-device synchronization methods in
-- Nvidia GPUs", IPDPS 2020. Where a card stands behind a source, that one was measured. What has no source
-- is marked `assumption`.
local rates = include("tables/rates.lua")
return rates.machine("3.0", {
	warp_size = 32,                        -- [G] (S)
	clock_mhz = 1046,                      -- [W] (S)
	launch = {
		overhead_cycles = 3138,            -- [V] (S) 3.0 us
		dependent_cycles = 2550,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
		latency_cycles = 5000,             -- assumption: Volta's, see volta.lua
		resident_grids = 16,               -- [G] (S)
	},
	sm = {
		count = 8,                         -- [W] (S)
		max_warps = 64,                    -- [G] (S)
		max_blocks = 16,                   -- [G] (S)
		max_threads_per_block = 1024,      -- [G] (S)
		registers = 65536,                 -- [G] (S)
		max_registers_per_thread = 63,     -- [G] (S)
		register_unit = 256,               -- [G] (S)
		shared_bytes = 49152,              -- [G] (S)
		shared_unit = 256,                 -- [G] (S)
		max_shared_per_block = 49152,      -- [G] (S)
		local_bytes = 524288,              -- [G] (S)
	},
	scheduler = {
		count = 4,                         -- [W] (S)
		policy = "gto",                    -- assumption
		issue_width = 2,                   -- [W] (S) two dispatch units a scheduler
	},
	fetch = {
		instruction_bytes = 8,             -- [B] (P) addresses in the listings
		cache_bytes = 8192,                -- assumption
		line_bytes = 128,                  -- assumption
		ways = 4,                          -- assumption
		miss_cycles = 100,                 -- assumption
		-- [B] (P), calibrated on it: 14 divergent threads cost 448 cycles, about 25 %, so the single loop
		-- takes 1792 cycles, 56 a turn (add, add, setp, bra); 23 of them are the latencies above.
		-- Check: its double loop gives 55.8 a turn.
		redirect_cycles = 33,
	},
	units = {                              -- rates are the guide's (rates.lua)
		alu = { shares = "fp32", count = 5,  -- [W] (S) in the same 192 cores
			latency = 9, guard_latency = 13 }, -- [J] (S) 9 to 11 cycles, as [G]; guard_latency: [H] (P)
		imul = { count = 1, latency = 9 },   -- [J] (S) 9 to 11 cycles
		fp32 = { count = 6, latency = 9 },   -- [J] (S) 9 to 11 cycles
		fp64 = { count = 1,                  -- assumption: one for the rate
			latency = 20 },              -- [H] (P), and Accel-Sim's KEPLER_TITAN
		sfu = { count = 1, latency = 18 },   -- assumption
		cvt = { count = 1, latency = 11 },   -- assumption
		cvt8 = { shares = "fp32", latency = 11 }, -- assumption: in the cores, by the rate
		cvt64 = { latency = 11 },            -- assumption: as other conversions
		widen = { shares = "fp32", count = 5, latency = 9, interval = 1 }, -- assumption: a move or a shift of the other half
		cvtf64 = { latency = 20 },           -- assumption: as fp64
		shfl = { shares = "mem", latency = 31 }, -- [Z] (S) P100; shares: assumption, it crosses the load/store units' switch
		vote = { shares = "fp32", count = 5, latency = 9, interval = 1 },  -- assumption: as the ALU
		match = { shares = "fp32", count = 5, latency = 23, interval = 1 }, -- assumption: Ampere's; the chip has none
		redux = { shares = "fp32", count = 5, latency = 44, interval = 1 }, -- assumption: Ampere's; the chip has none
		div32 = { latency = 195 },           -- assumption: Maxwell's, by the latencies of an addition
		div64 = { latency = 780 },           -- assumption: four times div32
		divf32 = { latency = 189 },          -- assumption: Volta's, by the latencies of an fma
		rootf32 = { latency = 135 },         -- assumption: Volta's, by the latencies of an fma
		divf64 = { latency = 787 },          -- assumption: between Volta's and Turing's, by the latencies of an fma
		rcpf64 = { latency = 120 },          -- assumption: between Volta's and Turing's, by the latencies of an fma
		rootf64 = { latency = 190 },         -- assumption: between Volta's and Turing's, by the latencies of an fma
		mem = { count = 1, latency = 1, interval = 1 }, -- [W] (S) 32 load/store units
		ctl = { count = 4, latency = 1, interval = 1 }, -- assumption
	},
	barrier = {
		latency = 20,                        -- assumption: Turing's
		warp_latency = 1,                    -- assumption: warps run in lockstep
	},
	shared = {
		banks = 32,                        -- [G] (S)
		bank_bytes = 4,                    -- [G] (S) the default mode
		latency = 47,                      -- [M] (S) GTX 780
	},
	l1 = {
		global = false,                    -- [G] (S) L1 serves local memory only
		bytes = 16384,                     -- [G] (S)
		line_bytes = 128,                  -- [G] (S)
		sector_bytes = 32,                 -- assumption
		ways = 4,                          -- assumption: Fermi's, of [M] (S)
		latency = 35,                      -- [J] (S) K80
		mshrs = 64,                        -- assumption
		mshr_merge = 8,                    -- assumption
		queue = 64,                        -- assumption, as mshrs; DRAM's rate for an SM x 376 cycles is 79 lines, so it bounds streams
	},
	constant = {
		bytes = 2048,                      -- [J] (S) K80, first level
		line_bytes = 64,                   -- [J] (S)
		ways = 4,                          -- [J] (S)
		latency = 16,                      -- assumption
	},
	interconnect = {
		latency = 66,                      -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [J] (S), K80
		bytes_per_cycle = 32,              -- assumption
	},
	l2 = {
		slices = 4,                        -- [W] (S) one for each memory controller
		bytes = 524288,                    -- [W] (S)
		line_bytes = 128,                  -- assumption
		sector_bytes = 32,                 -- [B] (P) unit of its traffic
		ways = 16,                         -- assumption
		latency = 65,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- assumption
		atomic_cycles = 1,                 -- [W] (S) one per clock on one address
		mshrs = 128,                       -- assumption
		write_buffer = 64,                 -- assumption
	},
	dram = {
		channels = 4,                      -- [W] (S) 256 bits
		banks = 16,                        -- assumption
		row_bytes = 2048,                  -- assumption
		row_hit = 30,                      -- assumption
		row_miss = 75,                     -- assumption
		latency = 100,                     -- assumption
		bytes_per_cycle = 54,              -- [W] (S) 224.3 GB/s at 1046 MHz over four channels
	},
	divergence = {
		model = "token",                   -- [B] (P)
		depth = 16,                        -- [B] (P)
		chunk = 4,                         -- [B] (P)
		spill = "constant",                -- [B] (P) measured as constants
		entry_bytes = 8,                   -- [B] (P)
		bar_partial = "whole_warp",        -- [I] (S) a warp is taken to arrive with all its threads
	},
	token = {
		unwind_cycles = 32,                -- [B] (P) exactly
		spill_push = 42,                   -- [B] (P) about 40 on the branch ...
		reload_pop = 42,                   -- [B] (P) ... and 42 on the unwinding, 84 together
		loop_codegen = "ssy_div",          -- [B] (P) listing of the compiled loop
	},
})
