-- A machine to follow by hand: one SM, warps of four lanes, one scheduler, every operation takes one cycle, no caches.
-- All of it is an assumption.
return {
	warp_size = 4,
	clock_mhz = 1000,
	launch = { overhead_cycles = 0, latency_cycles = 0 },
	sm = {
		count = 1,
		max_warps = 16,
		max_blocks = 8,
		max_threads_per_block = 64,
		registers = 4096,
		max_registers_per_thread = 255,
		register_unit = 4,
		shared_bytes = 16384,
		shared_unit = 4,
		max_shared_per_block = 16384,
	},
	scheduler = { count = 1, policy = "lrr", issue_width = 1 },
	fetch = { cache_bytes = 0, redirect_cycles = 0 },
	units = {
		alu = { count = 1, latency = 1, interval = 1 },
		imul = { count = 1, latency = 1, interval = 1 },
		fp32 = { count = 1, latency = 1, interval = 1 },
		fp64 = { count = 1, latency = 1, interval = 1 },
		sfu = { count = 1, latency = 1, interval = 1 },
		cvt = { count = 1, latency = 1, interval = 1 },
		mem = { count = 1, latency = 1, interval = 1 },
		ctl = { count = 1, latency = 1, interval = 1 },
	},
	shared = { banks = 4, latency = 1 },
	l1 = { global = false, bytes = 0, latency = 1 },
	constant = { bytes = 0, latency = 1 },
	interconnect = { latency = 0, bytes_per_cycle = 1024 },
	l2 = { slices = 1, latency = 1, bytes_per_cycle = 1024, atomic_cycles = 1 },
	dram = { channels = 1, row_hit = 1, row_miss = 1, latency = 0, bytes_per_cycle = 1024 },
	divergence = { model = "ipdom", guarded_exits = false }, -- branches as the program has them
}
