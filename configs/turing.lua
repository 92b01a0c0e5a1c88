-- GeForce RTX 2060 (TU106, compute capability 7.5). Sources as in volta.lua, but [W] the Turing white paper
-- and product data, [T] the Turing tuning guide; [H] Mesa's compiler NAK, whose tables of latencies
-- (sm75_instr_latencies.rs) NVIDIA provided; [U] notes by sjfeng1999 on an RTX 2070, a TU106, too; [Q]
-- Burtchell and Burtscher, "Characterizing CUDA and OpenMP synchronization primitives", IISWC 2024, raw logs
-- of an RTX 2070 SUPER; [I] the raw results of [E] for a TITAN RTX; [J] Jia et al., "Dissecting the NVidia
-- Turing T4 GPU via microbenchmarking", 2019, who measured a T4 (TU104); [K] Accel-Sim's configuration of
-- this card; [O] Abaie Shoushtary et al., "Control flow management in modern GPUs", 2024, who compared their
-- mechanism with Turing's. Where [J] contradicts [H], [I] or [U], these rule, which were read themselves and
-- of which [U] is the same chip.
local rates = include("tables/rates.lua")
return rates.machine("7.5", derive("volta.lua", {
	clock_mhz = 1680,                      -- [W] (S) boost
	launch = {
		overhead_cycles = 1814,            -- assumption: 1.08 us, V100's
		dependent_cycles = 1159,           -- assumption: with what an empty kernel takes itself 1.08 us, V100's
		grid_barrier_cycles = 2402,        -- assumption: 1.43 us, V100's
	},
	sm = {
		count = 30,                        -- [W] (S)
		max_warps = 32,                    -- [G] (S)
		max_blocks = 16,                   -- [G] (S)
		shared_bytes = 65536,              -- [G] (S) the largest part of the 96 KB that it shares with L1
		max_shared_per_block = 65536,      -- [G] (S)
	},
	fetch = {
		cache_bytes = 47104,               -- [J] (S) the L1 instruction cache; the L0 caches of 16 KB before it are not modelled
		ways = 23,                         -- assumption: sixteen sets
		miss_cycles = 236,                 -- [U] (P) RTX 2070, an L2 hit
	},
	-- A processing block has its own units, as Volta's [W]; rates are the guide's (rates.lua). [I]: a TITAN RTX.
	units = {
		fp64 = { per = "sm", count = 1, guard_latency = 0, decoupled_latency = 0, -- assumption: one for the rate; whoever reads waits as long
			latency = 45 },            -- [I] (P); [J] has 48, and 54 of DFMA
		sfu = { latency = 16 },            -- [I] (P) ex2; [J] has 15
		rcp = { latency = 38 },            -- [I] (P) with what a compiler puts around it
		root = { latency = 25 },           -- [I] (P) with what a compiler puts around it
		cvt = { latency = 15 },            -- [J] (S)
		cvt64 = { latency = 15 },          -- assumption: as other conversions
		cvtf64 = { latency = 45 },         -- assumption: as fp64
		reverse = { latency = 15 },        -- [J] (S)
		count_bits = { latency = 15 },     -- [J] (S)
		shfl = { latency = 25 },           -- [Q] (P) RTX 2070 SUPER
		vote = { latency = 6 },            -- [Q] (P) RTX 2070 SUPER: 10 with the addition behind it
		match = { latency = 16 },          -- [Q] (P) RTX 2070 SUPER, match.all; any: assumption, the same
		div32 = { latency = 79 },          -- [I] (P) div.u32, div.s32, rem.u32
		div64 = { latency = 316 },         -- assumption: four times div32
		divf32 = { latency = 94 },         -- assumption: rcp and six fma behind it; [I] measured 335 (P), which must be the path of denormal operands
		rootf32 = { latency = 71 },        -- [I] (P) rcp 70, sqrt 72
		divf64 = { latency = 1165 },       -- [I] (P)
		rcpf64 = { latency = 251 },        -- [I] (P)
		rootf64 = { latency = 366 },       -- [I] (P)
		mem = { interval = 2 },            -- [W][J] (S) 16 load/store units
		uniform = {
			per = "scheduler", count = 1, -- assumption: each processing block has one
			latency = 6,               -- [H] (P) uniform registers, to the threads' instructions
			guard_latency = 11,  -- [H] (P) a uniform predicate, to a branch
			decoupled_latency = 9,     -- [H] (P) to addresses, conversions, operations of the warp
			interval = 2,              -- assumption: as alu
		},
	},
	uniform = {
		datapath = true,                   -- [H] (P)
		registers = 63,                    -- [J] (S)
		latency = 4,                       -- [H] (P)
	},
	barrier = {
		latency = 20,                      -- [Q] (P) RTX 2070 SUPER: 20 + 2 cycles a warp
		warp_latency = 5,                  -- [Q] (P) RTX 2070 SUPER
	},
	fence = {                              -- an RTX 2070 SUPER: Burtchell and Burtscher, IISWC 2024, raw logs: 666 and 2287 cycles for a fence between two updates,
		gpu_cycles = 61,                   -- assumption: with a store's way to L2 and back and two loads that miss L1 719 cycles
		sys_cycles = 1646,                 -- assumption: ... 2304
	},
	shared = {
		latency = 23,                      -- [U] (P) RTX 2070, the same chip; [J] has 19
		conflict_cycles = 2,               -- assumption: Ampere's
	},
	l1 = {                                 -- line and sectors: [J] (S) as Volta's
		bytes = 32768,                     -- [T] (S) what shared memory leaves of 96 KB
		latency = 32,                      -- [U] (P) RTX 2070, as [J]
	},
	constant = { latency = 26 },           -- [J] (S); its geometry is Volta's [J] (S)
	interconnect = { latency = 54 },       -- assumption: both ways, l2.latency and the ports take 236 cycles, an L2 hit of [U], RTX 2070; [J] has 188
	l2 = {
		slices = 24,                       -- [K] (S) 128 KB each
		bytes = 3145728,                   -- [W] (S)
		ways = 16,                         -- [K] (S)
		latency = 125,                     -- assumption, see interconnect.latency
		atomic_cycles = 1,                 -- [Q] (P) RTX 2070 SUPER, 0.944
		bytes_per_cycle = 32,              -- assumption, Volta's
	},
	dram = {
		channels = 12,                     -- [W] (S) 192 bits of GDDR6, whose channels have 16
		latency = 96,                      -- [K] (S) beside the bank's and the bus's time
		bytes_per_cycle = 17,              -- [W] (S) 336 GB/s at 1680 MHz over 12 channels
	},
	its = {
		policy = "hanoi",                  -- [O] (S)
		timer = 10000,                     -- assumption: threads may wait for each other [W] also where lowering sees no loop that waits
	},
}))
