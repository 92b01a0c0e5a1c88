-- A100 SXM4 40 GB (GA100, compute capability 8.0). Sources as in volta.lua, but [W] the A100 white paper, [T]
-- the Ampere tuning guide; [D] Abdelkhalik et al., "Demystifying the Nvidia Ampere architecture through
-- microbenchmarking and instruction-level analysis", 2022.
local rates = include("tables/rates.lua")
return rates.machine("8.0", derive("volta.lua", {
	clock_mhz = 1410,                      -- [W]
	launch = {
		overhead_cycles = 4230,            -- [F] 3 us
		grid_barrier_cycles = 1580,        -- (S) 1.12 us with one block an SM: Zhang et al., 2023
		grid_barrier_block_cycles = 1050,  -- assumption: 0.74 us, as Volta's
	},
	sm = {
		count = 108,                       -- [W]
		shared_bytes = 167936,             -- [G] 164 KB of the 192 KB that it shares with L1
		shared_unit = 128,                 -- [G]
		max_shared_per_block = 166912,     -- [G] 163 KB
	},
	scheduler = { policy = "gty" },        -- Huerta et al., MICRO 2025, of an RTX A6000: greedy, then youngest (through others who quote it)
	fetch = { miss_cycles = 200 },         -- [D] an L2 hit; the cache: assumption, Volta's
	units = {                              -- operations per cycle of [G]; latency of dependent instructions of [D]
		-- Who reads a result: [M], sm80_instr_latencies.rs, for Ampere and Ada (P); what Volta's file says
		-- of others holds, too. [D] has measured 4 cycles from one alu, imul or fp32 to the next.
		alu = { guard_latency = 13, decoupled_latency = 5 },  -- [G] 64; [M]
		imul = { decoupled_latency = 5 },                     -- [G] 64; [M] runs where fp32 does, as Volta's
		fp32 = { guard_latency = 13, decoupled_latency = 5 }, -- [G] 64; [M]
		cvt8 = { shares = "alu", count = 1 },   -- [G] by the rate
		match = { latency = 34 }, -- match.any of one value, see below
		redux = { latency = 18 }, -- assumption, see below
		fp64 = { guard_latency = 14, decoupled_latency = 7 }, -- [G] 32; [M]; latency: assumption, Volta's
	},
	shared = { latency = 23 },             -- [D]
	l1 = {
		bytes = 28672,                     -- [T] what shared memory leaves of 192 KB
		ways = 56,                         -- assumption: four sets, as Volta has
		latency = 33,                      -- [D]
	},
	barrier = { latency = 21, warp_latency = 5 }, -- an A100: Burtchell and Burtscher, IISWC 2024, raw logs: 21 cycles and 2 a warp; __syncwarp 5
	match = { value_cycles = 11, most_values = 16, all_cycles = 6 }, -- the same: any 23 + 11 for each value, 199 from 16 on; all 29 + 11
	redux = { add_cycles = 26 },           -- assumption: as on a B300 (QuickRunCUDA's catalogue: add 44, minimum and maximum 18)
	fence = {                              -- the same card and logs: 764 and 3148 cycles for a fence between two updates,
		gpu_cycles = 205,                  -- assumption: with a store's way to L2 and back and two loads that miss L1 745 cycles
		sys_cycles = 2617,                 -- assumption: ... 3157
	},
	interconnect = { latency = 58 },       -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [D]
	l2 = {
		slices = 80,                       -- [W] with bytes_per_cycle
		bytes = 41943040,                  -- [W]
		ways = 16,                         -- assumption
		latency = 81,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- [W] 5120 over all slices
	},
	dram = {
		channels = 40,                     -- [W] 5120 bits, channels of 128 bits
		latency = 13,                      -- assumption: with the above 290 cycles, an access to global memory of [D]
		bytes_per_cycle = 27,              -- [W] 1555 GB/s at 1410 MHz over 40 channels
	},
}))
