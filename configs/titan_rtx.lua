-- TITAN RTX (TU102, compute capability 7.5). Sources as in turing.lua.
return derive("turing.lua", {
	clock_mhz = 1770,                      -- [W] (S) boost
	launch = {
		overhead_cycles = 1912,            -- assumption: 1.08 us, V100's
		dependent_cycles = 1257,           -- assumption: with what an empty kernel takes itself 1.08 us, V100's
		grid_barrier_cycles = 2531,        -- assumption: 1.43 us, V100's
	},
	sm = { count = 72 },                   -- [W] (S)
	l2 = {
		slices = 48,                       -- assumption: 128 KB each, as on the RTX 2060
		bytes = 6291456,                   -- [W] (S)
	},
	dram = {
		channels = 24,                     -- [W] (S) 384 bits of GDDR6, whose channels have 16
		bytes_per_cycle = 16,              -- [W] (S) 672 GB/s at 1770 MHz over 24 channels
	},
})
