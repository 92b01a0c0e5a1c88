-- GeForce GTX TITAN Black (GK110B, compute capability 3.5). Sources as in kepler.lua, but [W] the GK110 white
-- paper and product data. What divergence costs was measured on GK104 and GK107 [B]; that it is the same here
-- is an assumption.
local rates = include("tables/rates.lua")
return rates.machine("3.5", derive("kepler.lua", {
	clock_mhz = 889,                       -- [W] (S)
	launch = {
		overhead_cycles = 2667,            -- [V] (S) 3.0 us
		dependent_cycles = 2080,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
		resident_grids = 32,               -- [G] (S)
	},
	sm = {
		count = 15,                        -- [W] (S)
		max_registers_per_thread = 255,    -- [G] (S)
	},
	units = {                              -- rates are the guide's (rates.lua)
		fp64 = { count = 2, latency = 20 },  -- [H] (P), and Accel-Sim's KEPLER_TITAN; count: [G] (S) 64
	},
	shared = { latency = 47 },             -- [M] (S) GTX 780, a GK110
	l1 = { latency = 35 },                 -- [J] (S) K80, a GK210
	constant = { latency = 30 },           -- [J] (S) K80
	interconnect = { latency = 66 },       -- assumption: both ways, l2.latency and the ports take 200 cycles, an L2 hit of [J] (S), K80
	l2 = {
		slices = 6,                        -- [W] (S) one for each memory controller
		bytes = 1572864,                   -- [W] (S)
		latency = 65,                      -- assumption, see interconnect.latency
	},
	dram = {
		channels = 6,                      -- [W] (S) 384 bits
		bytes_per_cycle = 63,              -- [W] (S) 336 GB/s at 889 MHz over six channels
	},
}))
