-- A100 SXM4 40 GB (GA100, compute capability 8.0). Sources as in volta.lua, but [W] the A100 white paper,
-- [T] the Ampere tuning guide; [D] Abdelkhalik et al., "Demystifying the Nvidia Ampere architecture through
-- microbenchmarking and instruction-level analysis", 2022; [H] Mesa's compiler NAK, whose tables of
-- latencies (sm80_instr_latencies.rs) NVIDIA provided; [Q] Burtchell and Burtscher, "Characterizing CUDA and
-- OpenMP synchronization primitives", IISWC 2024, raw logs of an A100 PCIe; [R] Sun et al., "Dissecting
-- tensor cores via microbenchmarks", 2023; [X] QuickRunCUDA's catalogue of a B300, one person's
-- measurements.
local rates = include("tables/rates.lua")
return rates.machine("8.0", derive("volta.lua", {
	clock_mhz = 1410,                      -- [W] (S)
	launch = {
		overhead_cycles = 2115,            -- [Z] (S) 1.50 us
		dependent_cycles = 1617,           -- assumption: with what an empty kernel takes itself 1.50 us [Z] (S)
		grid_barrier_cycles = 1579,        -- [Z] (S) 1.12 us
		grid_barrier_block_cycles = 1050,  -- assumption: 0.74 us, as Volta's
	},
	sm = {
		count = 108,                       -- [W] (S)
		shared_bytes = 167936,             -- [G] (S) 164 KB of the 192 KB that it shares with L1
		shared_unit = 128,                 -- [G] (S)
		max_shared_per_block = 166912,     -- [G] (S) 163 KB
	},
	scheduler = { policy = "gty" },        -- [U] (S) an RTX A6000: greedy, then youngest
	fetch = { miss_cycles = 200 },         -- [D] (S) an L2 hit; cache_bytes, ways: assumption, Volta's
	units = {                              -- rates are the guide's (rates.lua); latency of dependent instructions
		-- Who reads a result: [H], for Ampere and Ada (P); what Volta's file says of others holds, too. [D] has measured 4 cycles from one
		-- alu, imul or fp32 to the next.
		alu = { guard_latency = 13, decoupled_latency = 5 },  -- [H] (P)
		imul = { decoupled_latency = 5 },                     -- [H] (P); it runs where fp32 does, as Volta's
		fp32 = { guard_latency = 13, decoupled_latency = 5 }, -- [H] (P)
		fp64 = { guard_latency = 14, decoupled_latency = 7 }, -- [H] (P)
		sfu = { latency = 17 },            -- [Y] (P) RTX 4070 Ti, ex2 17.6; 17 also on sm_86
		rcp = { latency = 38 },            -- assumption: Turing's
		root = { latency = 25 },           -- assumption: Turing's
		cvt8 = { shares = "alu", count = 1, latency = 4 }, -- assumption: a byte permutation, by the rate
		shfl = { latency = 25 },           -- [Q] (P) A100
		vote = { latency = 4 },            -- assumption: as the ALU; [Q] (P) A100: one in 6 cycles with the addition behind it
		match = { latency = 34 },          -- [Q] (P) A100, match.any of one value
		redux = { latency = 18 },          -- assumption: as on a B300 [X], minimum and maximum
		div32 = { latency = 79 },          -- assumption: Turing's
		div64 = { latency = 316 },         -- assumption: four times div32
		divf32 = { latency = 94 },         -- assumption: Turing's
		rootf32 = { latency = 71 },        -- assumption: Turing's
		uniform = {
			per = "scheduler", count = 1, -- assumption: each processing block has one
			latency = 6,               -- [H] (P) uniform registers, to the threads' instructions
			guard_latency = 9,  -- [H] (P) a uniform predicate, to a branch
			decoupled_latency = 9,     -- [H] (P) to addresses, conversions, operations of the warp
			interval = 2,              -- assumption: as alu
		},
	},
	uniform = {
		datapath = true,                   -- [H] (P)
		registers = 63,                    -- assumption: Turing's
		latency = 4,                       -- [H] (P)
	},
	barrier = {
		latency = 21,                      -- [Q] (P) A100: 21 + 2 cycles a warp
		warp_latency = 5,                  -- [Q] (P) A100
	},
	shared = {
		latency = 23,                      -- [D] (S)
		conflict_cycles = 2,               -- [R] (S) 23, 25, 29, 37 cycles with 1, 2, 4, 8 ways
	},
	l1 = {
		bytes = 28672,                     -- [T] (S) what shared memory leaves of 192 KB
		ways = 56,                         -- assumption: four sets, as Volta has
		latency = 33,                      -- [D] (S)
	},
	match = { value_cycles = 11, most_values = 16, all_cycles = 6 }, -- [Q] (P) A100: any 23 + 11 for each value, 199 from 16 on; all 29 + 11
	redux = { add_cycles = 26 },           -- assumption: as on a B300 [X], an addition 44
	fence = {                              -- an A100: Burtchell and Burtscher, IISWC 2024, raw logs: 764 and 3148 cycles for a fence between two updates,
		gpu_cycles = 205,                  -- assumption: with a store's way to L2 and back and two loads that miss L1 745 cycles
		sys_cycles = 2617,                 -- assumption: ... 3157
	},
	interconnect = { latency = 58 },       -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [D] (S)
	l2 = {
		slices = 80,                       -- [W] (S) with bytes_per_cycle
		bytes = 41943040,                  -- [W] (S)
		ways = 16,                         -- assumption
		latency = 81,                      -- assumption, see interconnect.latency
		atomic_cycles = 1,                 -- [Q] (P) 1.305
		bytes_per_cycle = 64,              -- [W] (S) 5120 over all slices
	},
	dram = {
		channels = 40,                     -- [W] (S) 5120 bits, channels of 128 bits
		latency = 13,                      -- assumption: with the above 290 cycles, an access to global memory of [D] (S)
		bytes_per_cycle = 27,              -- [W] (S) 1555 GB/s at 1410 MHz over 40 channels
	},
}))
