-- GeForce RTX 5090 (GB202, compute capability 12.0). Sources as in ada.lua, but [W] the RTX Blackwell white
-- paper and product data; [G] the CUDA Programming Guide 13.4 and the Best Practices Guide 13.4, through a note
-- that quotes both; [N] what that note found by assembling and disassembling for the card. Nobody has published
-- latencies of this chip that could be read: they are Ada's.
local rates = include("tables/rates.lua")
return rates.machine("12.0", derive("ada.lua", {
	clock_mhz = 2407,                      -- [W] (S) boost
	launch = {
		overhead_cycles = 2480,            -- assumption: 1.03 us, as ada.lua
		dependent_cycles = 1660,           -- assumption: with what an empty kernel takes itself 1.03 us, as ada.lua
		latency_cycles = 5000,             -- assumption, as ada.lua
	},
	sm = {
		count = 170,                       -- [W] (S)
		max_warps = 48,                    -- [G] (S)
		max_blocks = 24,                   -- [G] (S) the tuning guide has 32
		registers = 65536,                 -- [G] (S)
		shared_bytes = 102400,             -- [G] (S)
		max_shared_per_block = 101376,     -- [G] (S)
	},
	fetch = { miss_cycles = 273 },         -- assumption, Ada's
	units = {                              -- a core does either an fp32 or an integer operation in a cycle [W]
		alu = { shares = "fp32", count = 2 }, -- [W] (S)
		sad = { shares = "fp32", count = 1, interval = 2 },  -- assumption, as bits
		cvt8 = { shares = "fp32" },        -- assumption, Ada's
		fp32 = { count = 2 },              -- [W] (S)
		fp64 = { latency = 51 },           -- assumption, Ada's
		divf64 = { latency = 1165 },       -- assumption: Turing's, whose fp64 is as slow
		rcpf64 = { latency = 251 },        -- assumption: Turing's, whose fp64 is as slow
		rootf64 = { latency = 366 },       -- assumption: Turing's, whose fp64 is as slow
		cvtf64 = { latency = 51 },         -- assumption: as fp64
		cvt = { latency = 12 },            -- assumption, Ada's
		bits = { shares = "fp32", count = 1, latency = 8, interval = 2 }, -- assumption: the rate of 9.0, since the guide's was not seen; latency: assumption, Ada's
		reverse = { latency = 17 },        -- assumption, Ada's
		count_bits = { latency = 19 },     -- assumption, Ada's
		sfu = { latency = 18 },            -- assumption, Ada's
		shfl = { latency = 25 },           -- assumption, Ada's
	},
	shared = { latency = 30 },             -- assumption, Ada's
	l1 = {
		bytes = 28672,                     -- [G] (S) what shared memory leaves of 128 KB
		latency = 43,                      -- assumption, Ada's
	},
	barrier = { latency = 22, warp_latency = 5 }, -- assumption, Ada's
	l2 = {
		slices = 64,                       -- assumption: two for each channel of 16 bits
		bytes = 100663296,                 -- [W] (S) 96 MB
	},
	dram = {
		channels = 32,                     -- assumption: of 16 bits, of the 512 bits of GDDR7 [W] (S)
		latency = 191,                     -- assumption, Ada's
		bytes_per_cycle = 23,              -- [W] (S) 1792 GB/s at 2407 MHz over 32 channels
	},
}))
