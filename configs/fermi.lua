-- GeForce GTX 480 (GF100, compute capability 2.0). Sources as in kepler.lua, and the Fermi white paper as
-- [W].
local rates = include("tables/rates.lua")
return rates.machine("2.0", derive("kepler.lua", {
	clock_mhz = 1401,                      -- [W] (S) cores' clock; schedulers work at half of it
	launch = {
		overhead_cycles = 4203,            -- [V] (S) 3.0 us
		dependent_cycles = 3424,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
	},
	sm = {
		count = 15,                        -- [W] (S)
		max_warps = 48,                    -- [G] (S)
		max_blocks = 8,                    -- [G] (S)
		registers = 32768,                 -- [G] (S)
		max_registers_per_thread = 63,     -- [G] (S)
		register_unit = 64,                -- [G] (S)
		shared_unit = 128,                 -- [G] (S)
	},
	scheduler = { count = 2, issue_width = 1 }, -- [W] (S)
	units = {                              -- rates are the guide's (rates.lua); latency about 22 cycles [G]
		alu = { shares = "fp32", count = 2, latency = 22, guard_latency = 0 },  -- [G] (S); shares: [W] (S) in the same two groups of 16 cores
		imul = { shares = "fp32", count = 1, latency = 22 }, -- [G] (S)
		fp32 = { count = 2, latency = 22 },                  -- [G] (S)
		fp64 = { count = 1, latency = 24 },                  -- assumption
		sfu = { count = 1, latency = 40 },                   -- assumption
		cvt = { count = 1, latency = 22 },                   -- [G] (S)
		cvt8 = { latency = 22 },                             -- [G] (S)
		cvt64 = { latency = 22 },                            -- assumption: as other conversions
		widen = { count = 2, latency = 22, interval = 2 },   -- assumption: a move or a shift of the other half
		cvtf64 = { latency = 24 },                           -- assumption: as fp64
		shfl = { latency = 31, interval = 2 },               -- assumption: Kepler's, an access to memory; the chip has none
		vote = { count = 2, latency = 22, interval = 2 },    -- assumption: as the ALU
		match = { count = 2, latency = 23, interval = 2 },   -- assumption: Ampere's; the chip has none
		redux = { count = 2, latency = 44, interval = 2 },   -- assumption: Ampere's; the chip has none
		div32 = { latency = 477 },                           -- assumption: Maxwell's, by the latencies of an addition
		div64 = { latency = 1908 },                          -- assumption: four times div32
		divf32 = { latency = 462 },                          -- assumption: Volta's, by the latencies of an fma
		rootf32 = { latency = 330 },                         -- assumption: Volta's, by the latencies of an fma
		divf64 = { latency = 848 },                          -- assumption: between Volta's and Turing's, by the latencies of an fma
		rcpf64 = { latency = 141 },                          -- assumption: between Volta's and Turing's, by the latencies of an fma
		rootf64 = { latency = 218 },                         -- assumption: between Volta's and Turing's, by the latencies of an fma
		mem = { count = 1, latency = 1, interval = 2 },      -- [W] (S) 16 load/store units
		ctl = { count = 2, latency = 1, interval = 1 },      -- assumption
	},
	shared = { latency = 50 },             -- [M] (S) GTX 560 Ti
	l1 = { global = true, latency = 45 },  -- [G] (S); latency: assumption
	interconnect = { latency = 80 },       -- assumption
	l2 = {
		slices = 6,                        -- [W] (S)
		bytes = 786432,                    -- [W] (S)
		latency = 100,                     -- assumption
		atomic_cycles = 9,                 -- [W] (S) of GK104: one per nine clocks on one address
	},
	dram = {
		channels = 6,                      -- [W] (S) 384 bits
		latency = 150,                     -- assumption
		bytes_per_cycle = 21,              -- [W] (S) 177.4 GB/s at 1401 MHz over six channels
	},
	divergence = { depth = 8 },            -- assumption: [B] (P) finds that it is shorter than Kepler's
}))
