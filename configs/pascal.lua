-- GeForce GTX 1080 (GP104, compute capability 6.1). The last generation with a token stack. Sources as in
-- maxwell.lua, and [W] GTX 1080 white paper and product data; [A] Accel-Sim's configuration of a TITAN X
-- (GP102), SM6_TITANX; [Q] PPT-GPU, hardware/ISA; [J] Jia et al., as in kepler.lua, who measured a P4, the
-- same chip at a lower clock: nobody has looked its figures up, so each is an assumption. What divergence
-- costs was measured on Kepler and Maxwell [B]; that it is Maxwell's here is an assumption.
local rates = include("tables/rates.lua")
return rates.machine("6.1", derive("maxwell.lua", {
	clock_mhz = 1733,                      -- [W] (S) boost
	launch = {
		overhead_cycles = 5199,            -- assumption: 3.0 us, as [V] has of older cards
		dependent_cycles = 4574,           -- assumption: with what an empty kernel takes itself 3.0 us, as from call to call
		latency_cycles = 5000,             -- [A] (P)
		resident_grids = 32,               -- [G] (S)
	},
	sm = {
		count = 20,                        -- [W] (S)
		max_warps = 64,                    -- [A] (P)
		max_blocks = 32,                   -- [A] (P)
		registers = 65536,                 -- [A] (P)
		shared_bytes = 98304,              -- [A] (P)
		max_shared_per_block = 49152,      -- [G] (S)
	},
	scheduler = {
		count = 4,                         -- [A] (P)
		policy = "gto",                    -- assumption: [A]'s choice, too
		issue_width = 2,                   -- [A] (P) two instructions for different units
	},
	units = {                              -- [Q] does not say which chip
		fp64 = { latency = 45 },           -- [Q] (P)
		bits = { latency = 12 },           -- [Q] (P)
		div32 = { latency = 139 },         -- [Q] (P)
	},
	shared = { latency = 23 },             -- assumption: [J], as remembered, of a P4; 24 [A]
	l1 = {
		global = false,                    -- [A] (P) default of the compiler
		bytes = 49152,                     -- [A] (P)
		ways = 48,                         -- assumption: eight sets; [A] has four of 96, more than gsim takes
		latency = 82,                      -- [A] (P) and, as remembered, [J]; [Q] has 105, and 168 from L2, 218 from DRAM
	},
	interconnect = { latency = 78 },       -- assumption: both ways, l2.latency and the ports take 216 cycles, an L2 hit of [J], as remembered, P4
	l2 = {
		slices = 16,                       -- [A] (P) 128 KB each
		bytes = 2097152,                   -- [W] (S)
		ways = 16,                         -- [A] (P)
		latency = 57,                      -- assumption, see interconnect.latency
		bytes_per_cycle = 32,              -- [A] (P) the port of its L2
	},
	dram = {
		channels = 8,                      -- [W] (S) 256 bits of GDDR5X, in partitions of 32 [A]
		latency = 100,                     -- [A] (P)
		bytes_per_cycle = 23,              -- [W] (S) 320 GB/s at 1733 MHz over eight channels
	},
}))
