-- Every number at its least that still lets the kernels run: queues of one place, tables and caches of one
-- entry, one register more than none. Where a kernel needs more than the least, a comment says so.
return {
	warp_size = 32,                        -- the kernels are written for it
	clock_mhz = 1,
	sm = {
		count = 1,
		max_warps = 32, max_blocks = 1, max_threads_per_block = 1024, -- one block at a time, of any size
		registers = 65536, max_registers_per_thread = 12, register_unit = 1, -- nearly every value spills; at 8 operands of one instruction do not fit
		shared_bytes = 49152, shared_unit = 1, max_shared_per_block = 49152, local_bytes = 524288,
	},
	scheduler = { count = 1, policy = "two_level", issue_width = 1, active_warps = 1 },
	fetch = { instruction_bytes = 4, cache_bytes = 32, line_bytes = 32, ways = 1, miss_cycles = 1, redirect_cycles = 0 },
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
	shared = { banks = 1, bank_bytes = 4, latency = 1 },
	l1 = { global = true, bytes = 32, line_bytes = 32, sector_bytes = 16, ways = 1, latency = 1, mshrs = 1, mshr_merge = 1, queue = 1 },
	constant = { bytes = 16, line_bytes = 16, ways = 1, latency = 1 },
	interconnect = { latency = 0, bytes_per_cycle = 1 },
	l2 = { slices = 1, bytes = 1024, line_bytes = 32, sector_bytes = 16, ways = 1, latency = 1, bytes_per_cycle = 1,
		atomic_cycles = 1, mshrs = 1 },
	dram = { channels = 1, banks = 1, row_bytes = 256, row_hit = 1, row_miss = 1, latency = 0, bytes_per_cycle = 1 },
	divergence = { model = "ipdom", depth = 1, chunk = 1, spill = "memory", entry_bytes = 1 },
	ipdom = { push_cycles = 0, pop_cycles = 0, spill_push = 0, reload_pop = 0 },
	token = { unwind_cycles = 1, push_cycles = 0, spill_push = 0, reload_pop = 0 },
	tf_stack = { insert_cycles = 0, spill_push = 0, reload_pop = 0 },
	tf_sandy = { rule = "static", conservative_cycles = 0 },
	min_pc = { switch_cycles = 0, starvation = 1, quantum = 1 },
	limits = { progress_cycles = 100 },    -- looks for livelock all the time
}
