-- GeForce GTX 850M (GM107, compute capability 5.0). Sources as in kepler.lua, and the GM107 white paper as
-- [W].
local rates = include("tables/rates.lua")
return rates.machine("5.0", derive("kepler.lua", {
	clock_mhz = 876,                       -- [W]
	launch = {
		overhead_cycles = 2628,            -- [V] 3.0 us
		resident_grids = 32,               -- [G]
	},
	sm = {
		count = 5,                         -- [W]
		max_blocks = 32,                   -- [G]
		max_registers_per_thread = 255,    -- [G]
		shared_bytes = 65536,              -- [G]
		max_shared_per_block = 49152,      -- [G]
	},
	fetch = { redirect_cycles = 33 },      -- assumption: Kepler's, where it is calibrated
	units = {                              -- operations per cycle of [G]; latency 6 [J]; a processing block has 32 cores, 8 SFUs [W]
		alu = { shares = "fp32", count = 1, latency = 6, guard_latency = 13 },            -- [G] 128; [W] in the same cores; a comparison: class cmp of maxas, MaxAsGrammar.pm (P)
		imul = { shares = "fp32", count = 1, latency = 13, interval = 3 },          -- assumption: three XMAD, of 6 cycles each [J]
		fp32 = { per = "scheduler", count = 1, latency = 6 },         -- [G] 128
		cvt8 = { shares = "cvt", count = 1 },                                       -- assumption: as other conversions, whose rate it has
		fp64 = { count = 1, latency = 48 },                           -- [G] 4 (GM107: 1/32 of fp32); latency: assumption
		sfu = { per = "scheduler", count = 1, latency = 13 },         -- [G] 32; latency: assumption
		cvt = { per = "scheduler", count = 1, latency = 13 },         -- [G] 32; latency: assumption
	},
	shared = { latency = 28 },             -- [M] GTX 980
	l1 = {
		global = false,                    -- [G] default of the compiler
		bytes = 24576,                     -- [M] GTX 980, unified with the texture cache
		ways = 6,                          -- assumption
		latency = 82,                      -- [J] M60
	},
	interconnect = { latency = 74 },       -- assumption: both ways, l2.latency and the ports take 207 cycles, an L2 hit of [J], M60
	l2 = {
		slices = 2,                        -- [W]
		bytes = 2097152,                   -- [W]
		latency = 56,                      -- assumption, see interconnect.latency
	},
	dram = {
		channels = 2,                      -- [W] 128 bits
		bytes_per_cycle = 45,              -- [W] 80.2 GB/s at 876 MHz over two channels
	},
	token = {
		unwind_cycles = 26,                -- [B] section IV; the summary says 24
		spill_push = 88,                   -- [B] 176 together; the split is an assumption
		reload_pop = 88,                   -- see spill_push
	},
}))
