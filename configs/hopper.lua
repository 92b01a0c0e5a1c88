-- H100 PCIe (GH100, compute capability 9.0). Sources as in ampere.lua, but [W] the H100 white paper, [T] the
-- Hopper tuning guide; [L] Luo et al., "Benchmarking and dissecting the Nvidia Hopper GPU architecture via
-- microbenchmarking", 2024.
local rates = include("tables/rates.lua")
return rates.machine("9.0", derive("ampere.lua", {
	clock_mhz = 1755,                      -- [L] (S) the card measured
	launch = {
		overhead_cycles = 2633,            -- assumption: 1.50 us, A100's
		dependent_cycles = 1885,           -- assumption: with what an empty kernel takes itself 1.50 us, A100's
		grid_barrier_cycles = 1966,        -- assumption: 1.12 us, A100's
	},
	sm = {
		count = 114,                       -- [W] (S)
		shared_bytes = 233472,             -- [G] (S) 228 KB of the 256 KB that it shares with L1
		max_shared_per_block = 232448,     -- [G] (S) 227 KB
	},
	fetch = { miss_cycles = 263 },         -- [L] (S) an L2 hit; cache_bytes, ways: assumption, Volta's
	units = {                              -- rates are the guide's (rates.lua); latencies: assumption, Ampere's
		fp32 = { count = 2 },              -- [N] (S) two pipes in a processing block, of which one takes imul
		-- readers: assumption, as on Ampere, by whose table [H] schedules every later card up to Blackwell
		bits = { latency = 8 },            -- [Y] (P) RTX 4070 Ti: 8.5
	},
	shared = { latency = 29 },             -- [L] (S)
	l1 = {
		bytes = 28672,                     -- [T] (S) what shared memory leaves of 256 KB
		latency = 41,                      -- [L] (S)
	},
	interconnect = { latency = 75 },       -- assumption: both ways, l2.latency and the ports take 263 cycles, an L2 hit of [L] (S)
	l2 = {
		slices = 80,                       -- assumption
		bytes = 52428800,                  -- [W] (S)
		latency = 110,                     -- assumption, see interconnect.latency
		bytes_per_cycle = 64,              -- assumption, Ampere's
	},
	fence = { gpu_cycles = 267, sys_cycles = 2617 }, -- assumption: as on a B300 (fence.sc.gpu alone: QuickRunCUDA's catalogue), and Ampere's
	dram = {
		channels = 40,                     -- [W] (S) 5120 bits, channels of 128 bits
		latency = 139,                     -- assumption: with the above 479 cycles, an access to global memory of [L] (S)
		bytes_per_cycle = 28,              -- [W] (S) 2000 GB/s at 1755 MHz over 40 channels
	},
}))
