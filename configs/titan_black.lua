-- GeForce GTX TITAN Black (GK110B, compute capability 3.5). Sources as in kepler.lua, but [W] the GK110 white
-- paper and product data. What divergence costs was measured on GK104 and GK107 [B]; that it is the same here
-- is an assumption.
local rates = include("tables/rates.lua")
return rates.machine("3.5", derive("kepler.lua", {
	clock_mhz = 889,                       -- [W]
	launch = {
		overhead_cycles = 2667,            -- [V] 3.0 us
		resident_grids = 32,               -- [G]
	},
	sm = {
		count = 15,                        -- [W]
		max_registers_per_thread = 255,    -- [G]
	},
	units = {                              -- operations per cycle of [G]
		fp64 = { count = 2, latency = 16 }, -- [G] 64; latency: assumption
	},
	shared = { latency = 47 },             -- [M] GTX 780, a GK110
	l1 = { latency = 35 },                 -- [J] K80, a GK210
	constant = { latency = 30 },           -- [J] K80
	interconnect = { latency = 66 },       -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [J], K80
	l2 = {
		slices = 6,                        -- [W] one for each memory controller
		bytes = 1572864,                   -- [W]
		latency = 65,                      -- assumption, see interconnect.latency
	},
	dram = {
		channels = 6,                      -- [W] 384 bits
		bytes_per_cycle = 63,              -- [W] 336 GB/s at 889 MHz over six channels
	},
}))
