-- GeForce GTX 850M (GM107, compute capability 5.0). Sources as in kepler.lua, and the GM107 white paper as
-- [W]; [X] maxas, MaxAsGrammar.pm: the classes of its scheduler; [E] PPT-GPU's table of Maxwell.
local rates = include("tables/rates.lua")
return rates.machine("5.0", derive("kepler.lua", {
	clock_mhz = 876,                       -- [W] (S)
	launch = {
		overhead_cycles = 2628,            -- [V] (S) 3.0 us
		dependent_cycles = 2022,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
		resident_grids = 32,               -- [G] (S)
	},
	sm = {
		count = 5,                         -- [W] (S)
		max_blocks = 32,                   -- [G] (S)
		max_registers_per_thread = 255,    -- [G] (S)
		shared_bytes = 65536,              -- [G] (S)
		max_shared_per_block = 49152,      -- [G] (S)
	},
	fetch = { redirect_cycles = 33 },      -- assumption: Kepler's, where it is calibrated
	units = {                              -- rates are the guide's (rates.lua); a processing block has 32 cores, 8 SFUs [W]
		alu = { shares = "fp32", count = 1,                        -- [W] (S) in the same cores
			latency = 6, guard_latency = 13 },                 -- [X] (P), class cmp of a comparison
		imul = { shares = "fp32", count = 1, latency = 13, interval = 3 }, -- assumption: three XMAD, of 6 cycles each [J]
		fp32 = { per = "scheduler", count = 1,                     -- [W] (S)
			latency = 6 },                                     -- [X] (P), as [J]
		fp64 = { count = 1,                                        -- assumption: one for the rate
			latency = 45 },                                    -- [E] (P)
		sfu = { per = "scheduler", count = 1, latency = 13 },      -- assumption: [X] has issue 8 and no latency
		cvt = { per = "scheduler", count = 1, latency = 13 },      -- assumption: as sfu
		cvt8 = { shares = "cvt", latency = 13 },                   -- assumption: as sfu
		cvt64 = { latency = 13 },                                  -- assumption: as sfu
		widen = { shares = "fp32", count = 1, latency = 6, interval = 1 }, -- assumption: a move or a shift of the other half
		cvtf64 = { latency = 45 },                                 -- assumption: as fp64
		bits = { latency = 12 },                                   -- [E] (P) bfe.u32
		count_bits = { shares = "sfu", latency = 13 },             -- assumption: as sfu, by the rate
		shfl = { latency = 31 },                                   -- [Z] (S) P100
		vote = { shares = "fp32", count = 1, latency = 6, interval = 1 },   -- assumption: as the ALU
		match = { shares = "fp32", count = 1, latency = 23, interval = 1 }, -- assumption: Ampere's; the chip has none
		redux = { shares = "fp32", count = 1, latency = 44, interval = 1 }, -- assumption: Ampere's; the chip has none
		div32 = { latency = 130 },                                 -- [E] (P) div.u32, div.s32, rem.u32
		div64 = { latency = 520 },                                 -- assumption: four times div32
		divf32 = { latency = 126 },                                -- assumption: Volta's, by the latencies of an fma
		rootf32 = { latency = 90 },                                -- assumption: Volta's, by the latencies of an fma
		divf64 = { latency = 1165 },                               -- assumption: Turing's, whose fma is as long
		rcpf64 = { latency = 251 },                                -- assumption: Turing's, whose fma is as long
		rootf64 = { latency = 366 },                               -- assumption: Turing's, whose fma is as long
	},
	shared = { latency = 28 },             -- [M] (S) GTX 980
	l1 = {
		global = false,                    -- [G] (S) default of the compiler
		bytes = 24576,                     -- [M] (S) GTX 980, unified with the texture cache
		ways = 6,                          -- assumption
		latency = 82,                      -- [J] (S) M60
	},
	interconnect = { latency = 74 },       -- assumption: both ways, l2.latency and the ports take 207 cycles, an L2 hit of [J] (S), M60
	l2 = {
		slices = 2,                        -- [W] (S)
		bytes = 2097152,                   -- [W] (S)
		latency = 56,                      -- assumption, see interconnect.latency
	},
	dram = {
		channels = 2,                      -- [W] (S) 128 bits
		bytes_per_cycle = 45,              -- [W] (S) 80.2 GB/s at 876 MHz over two channels
	},
	token = {
		unwind_cycles = 26,                -- [B] (P) section IV; the summary says 24
		spill_push = 88,                   -- assumption: half of the 176 of [B] (P) for both
		reload_pop = 88,                   -- see spill_push
	},
}))
