-- GeForce RTX 2060 (TU106, compute capability 7.5). Sources as in volta.lua, but [W] the Turing white paper
-- and product data, [T] the Turing tuning guide; [J] Jia et al., "Dissecting the NVidia Turing T4 GPU via
-- microbenchmarking", 2019, who measured a T4 (TU104); [I] Arafa et al., "Low overhead instruction latency
-- characterization for NVIDIA GPGPUs", 2019, and its results for a TITAN RTX; [K] Accel-Sim's configuration
-- of this card; [H] Abaie Shoushtary et al., "Control flow management in modern GPUs", 2024, who compared their
-- mechanism with Turing's.
local rates = include("tables/rates.lua")
return rates.machine("7.5", derive("volta.lua", {
	clock_mhz = 1680,                      -- [W] boost
	launch = { overhead_cycles = 5040 },   -- [F] 3 us
	sm = {
		count = 30,                        -- [W]
		max_warps = 32,                    -- [G]
		max_blocks = 16,                   -- [G]
		shared_bytes = 65536,              -- [G] the largest part of the 96 KB that it shares with L1
		max_shared_per_block = 65536,      -- [G]
	},
	fetch = {
		cache_bytes = 47104,               -- [J] the L1 instruction cache; the L0 caches of 16 KB before it are not modelled
		ways = 23,                         -- assumption: sixteen sets
		miss_cycles = 188,                 -- [J] an L2 hit
	},
	units = {                              -- a processing block has its own, as Volta's [W]; operations per cycle of [G]; latencies of [J] and [I]
		fp64 = { per = "sm", count = 1, latency = 48, guard_latency = 0, decoupled_latency = 0 }, -- [G] 2; [J] DADD and DMUL (DFMA 54; [I] 45)
		sfu = { latency = 15 },            -- [J] MUFU
		cvt = { latency = 15 },            -- [J]
		mem = { interval = 2 },            -- [W][J] 16 load/store units
		match = { latency = 16 },          -- match.all: Burtchell and Burtscher, see below; any: assumption, the same
	},
	l1 = {                                 -- line and sectors: [J] as Volta's
		bytes = 32768,                     -- [T] what shared memory leaves of 96 KB
		latency = 32,                      -- [J]
	},
	barrier = { latency = 20, warp_latency = 5 }, -- an RTX 2070 SUPER: Burtchell and Burtscher, IISWC 2024, raw logs: 20 cycles and 2 a warp; __syncwarp 5
	fence = {                              -- the same card and logs: 666 and 2287 cycles for a fence between two updates,
		gpu_cycles = 205,                  -- assumption: with a store's way to L2 and back and two loads that miss L1 719 cycles
		sys_cycles = 1790,                 -- assumption: ... 2304
	},
	constant = { latency = 26 },           -- [J]; its geometry is Volta's [J]
	interconnect = { latency = 54 },       -- assumption: both ways, l2.latency and the ports take 188 cycles, an L2 hit of [J]
	l2 = {
		slices = 24,                       -- [K] 128 KB each
		bytes = 3145728,                   -- [W]
		ways = 16,                         -- [K]
		latency = 77,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 32,              -- assumption, Volta's
	},
	dram = {
		channels = 12,                     -- [W] 192 bits of GDDR6, whose channels have 16
		latency = 96,                      -- [K] beside the bank's and the bus's time
		bytes_per_cycle = 17,              -- [W] 336 GB/s at 1680 MHz over 12 channels
	},
	its = {
		policy = "hanoi",                  -- [H]
		timer = 10000,                     -- assumption: threads may wait for each other [W] also where lowering sees no loop that waits
	},
}))
