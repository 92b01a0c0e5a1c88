-- TITAN RTX (TU102, compute capability 7.5). Sources as in turing.lua.
return derive("turing.lua", {
	clock_mhz = 1770,                      -- [W] boost
	launch = { overhead_cycles = 5310 },   -- [F] 3 us
	sm = { count = 72 },                   -- [W]
	l2 = {
		slices = 48,                       -- assumption: 128 KB each, as on the RTX 2060
		bytes = 6291456,                   -- [W]
	},
	dram = {
		channels = 24,                     -- [W] 384 bits of GDDR6, whose channels have 16
		bytes_per_cycle = 16,              -- [W] 672 GB/s at 1770 MHz over 24 channels
	},
})
