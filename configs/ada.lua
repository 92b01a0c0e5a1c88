-- GeForce RTX 4090 (AD102, compute capability 8.9). Sources as in ampere.lua, but [W] the Ada white paper and
-- product data; [S] Burtchell and Burtscher, "Characterizing CUDA and OpenMP Synchronization Primitives", 2024,
-- raw logs of this card; [L] Luo et al., "Benchmarking and dissecting the Nvidia Hopper GPU architecture via
-- microbenchmarking", 2024, which measures it, too; [R] "SASS Reverse Engineering Results", a private person's
-- measurements of an RTX 4070 Ti, 2026; [K] Accel-Sim's configuration of an RTX 4060, SM89_RTX4060_LAPTOP.
local rates = include("tables/rates.lua")
return rates.machine("8.9", derive("ampere.lua", {
	clock_mhz = 2520,                      -- [W] (S) boost; the card of [S] ran at up to 2625
	launch = {
		overhead_cycles = 2600,            -- assumption: 1.03 us, measured on an RTX 3090 [Z] (S)
		dependent_cycles = 1779,           -- assumption: with what an empty kernel takes itself 1.03 us [Z] (S), an RTX 3090's
		latency_cycles = 5000,             -- [K] (P)
	},
	sm = {
		count = 128,                       -- [S] (P)
		max_warps = 48,                    -- [S] (P)
		max_blocks = 24,                   -- [K] (P)
		registers = 65536,                 -- [S] (P)
		shared_bytes = 102400,             -- [K] (P) 100 KB of the 128 KB that it shares with L1
		max_shared_per_block = 101376,     -- [G] (S) 99 KB
	},
	fetch = { miss_cycles = 273 },         -- [L] (S) an L2 hit; cache_bytes, ways: assumption, Volta's
	units = {
		fp32 = { count = 2 },              -- [G] (S) two pipes in a processing block
		fp64 = { per = "sm", count = 1, guard_latency = 0, decoupled_latency = 0, -- assumption: one for the rate; whoever reads waits as long
			latency = 51 },            -- [R] (P) between 48.5 and, a fused one, 54.5
		divf64 = { latency = 1165 },       -- assumption: Turing's, whose fp64 is as slow
		rcpf64 = { latency = 251 },        -- assumption: Turing's, whose fp64 is as slow
		rootf64 = { latency = 366 },       -- assumption: Turing's, whose fp64 is as slow
		cvtf64 = { latency = 51 },         -- assumption: as fp64
		rcp = { latency = 42 },            -- [R] (P) 41.6, with the code around it
		sfu = { latency = 18 },            -- [R] (P) ex2 17.6; a sine has 23.5, a reciprocal 41.6, with the code around it
		cvt = { latency = 12 },            -- [R] (P) 23.5 there and back
		bits = { latency = 8 },            -- [R] (P) 8.5
		reverse = { latency = 17 },        -- [R] (P) 17.5
		count_bits = { latency = 19 },     -- [R] (P)
		shfl = { latency = 25 },           -- [R] (P) 24.96; 26 with what the loop of [S] adds
	},
	shared = { latency = 30 },             -- [L] (S) 30.1
	l1 = {
		bytes = 28672,                     -- [K] (P) what shared memory leaves of 128 KB
		latency = 43,                      -- [L] (S) 43.4
	},
	barrier = {
		latency = 22,                      -- [S] (P) 22 + 2 cycles a warp
		warp_latency = 5,                  -- [S] (P)
	},
	match = { value_cycles = 11, most_values = 16 }, -- [S] (P) 23 + 11 for each value, 199 from 16 on
	fence = {                              -- [S] (P) between two updates 892 and 3561 cycles, with a store's way to L2 and back and two loads that miss L1
		gpu_cycles = 205,                  -- [R] (P) MEMBAR.GPU alone
		sys_cycles = 2583,                 -- [R] (P) MEMBAR.SYS alone
	},
	interconnect = { latency = 80 },       -- assumption: both ways, l2.latency and the ports take 273 cycles, an L2 hit of [L] (S)
	l2 = {
		slices = 48,                       -- assumption: two for each channel of 16 bits
		bytes = 75497472,                  -- [W] (S) 72 MB
		latency = 110,                     -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- assumption, Ampere's
	},
	dram = {
		channels = 24,                     -- [W] (S) 384 bits of GDDR6X, whose channels have 16
		latency = 191,                     -- assumption: with the above 541 cycles, an access to global memory of [L] (S)
		bytes_per_cycle = 17,              -- [W] (S) 1008 GB/s at 2520 MHz over 24 channels
	},
}))
