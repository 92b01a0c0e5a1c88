-- GeForce GTX 480 (GF100, compute capability 2.0). Sources as in kepler.lua, and the Fermi white paper as
-- [W].
local rates = include("tables/rates.lua")
return rates.machine("2.0", derive("kepler.lua", {
	clock_mhz = 1401,                      -- [W] cores' clock; schedulers work at half of it
	launch = { overhead_cycles = 4203 },   -- [V] 3.0 us
	sm = {
		count = 15,                        -- [W]
		max_warps = 48,                    -- [G]
		max_blocks = 8,                    -- [G]
		registers = 32768,                 -- [G]
		max_registers_per_thread = 63,     -- [G]
		register_unit = 64,                -- [G]
		shared_unit = 128,                 -- [G]
	},
	scheduler = { count = 2, issue_width = 1 }, -- [W]
	units = {                              -- operations per cycle of [G]; latency about 22 cycles [G]
		alu = { shares = "fp32", count = 2, latency = 22, guard_latency = 0 },  -- [G] 32; [W] in the same two groups of 16 cores
		imul = { shares = "fp32", count = 1, latency = 22 }, -- [G] 16
		fp32 = { count = 2, latency = 22 }, -- [G] 32
		fp64 = { count = 1, latency = 24 }, -- [G] 16; latency: assumption
		sfu = { count = 1, latency = 40 },  -- [G] 4; latency: assumption
		cvt = { count = 1, latency = 22 },  -- [G] 16
		mem = { count = 1, latency = 1, interval = 2 },   -- [W] 16 load/store units
		shfl = { interval = 2 },                          -- assumption: as an access to memory; the chip has none
		ctl = { count = 2, latency = 1, interval = 1 },   -- assumption
	},
	shared = { latency = 50 },             -- [M] GTX 560 Ti
	l1 = { global = true, latency = 45 },  -- [G]; latency: assumption
	interconnect = { latency = 80 },       -- assumption
	l2 = {
		slices = 6,                        -- [W]
		bytes = 786432,                    -- [W]
		latency = 100,                     -- assumption
		atomic_cycles = 9,                 -- [W] of GK104: one per nine clocks on one address
	},
	dram = {
		channels = 6,                      -- [W] 384 bits
		latency = 150,                     -- assumption
		bytes_per_cycle = 21,              -- [W] 177.4 GB/s at 1401 MHz over six channels
	},
	divergence = { depth = 8 },            -- assumption: [B] finds that it is shorter than Kepler's
}))
