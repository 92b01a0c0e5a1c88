-- Numbers at their most, as far as the kernels and the host's memory bear it: long latencies, wide and
-- numerous units, many small SMs.
local function unit(latency) return { count = 16, latency = latency, interval = 256 } end
return {
	warp_size = 32,
	clock_mhz = 10000,
	sm = { count = 64, max_warps = 256, max_blocks = 64, max_threads_per_block = 4096, registers = 1048576,
		max_registers_per_thread = 1024, register_unit = 4096, shared_bytes = 1048576, shared_unit = 4096,
		max_shared_per_block = 1048576, local_bytes = 16777216 },
	scheduler = { count = 8, policy = "gto", issue_width = 2, active_warps = 64 },
	fetch = { instruction_bytes = 16, cache_bytes = 1048576, line_bytes = 512, ways = 32, miss_cycles = 10000, redirect_cycles = 100 },
	units = { alu = unit(1000), imul = unit(999), fp32 = unit(998), fp64 = unit(997), sfu = unit(996), cvt = unit(995),
		mem = unit(1000), ctl = unit(1000) },
	shared = { banks = 128, bank_bytes = 8, latency = 1000 },
	l1 = { global = true, bytes = 1048576, line_bytes = 256, sector_bytes = 256, ways = 64, latency = 1000, mshrs = 1024,
		mshr_merge = 1024, queue = 4096 },
	constant = { bytes = 1048576, line_bytes = 256, ways = 64, latency = 1000 },
	interconnect = { latency = 10000, bytes_per_cycle = 1024 },
	l2 = { slices = 256, bytes = 268435456, line_bytes = 256, sector_bytes = 256, ways = 64, latency = 1000,
		bytes_per_cycle = 1024, atomic_cycles = 1000, mshrs = 4096 },
	dram = { channels = 64, banks = 128, row_bytes = 65536, row_hit = 1000, row_miss = 1000, latency = 10000, bytes_per_cycle = 1024 },
	divergence = { model = "ipdom", depth = 4096, chunk = 64, spill = "constant", entry_bytes = 64 },
	ipdom = { push_cycles = 1000, pop_cycles = 1000, spill_push = 10000, reload_pop = 10000 },
	token = { unwind_cycles = 1000, push_cycles = 1000, spill_push = 10000, reload_pop = 10000 },
	tf_stack = { insert_cycles = 100, spill_push = 10000, reload_pop = 10000 },
	tf_sandy = { rule = "refined", conservative_cycles = 100 },
	min_pc = { switch_cycles = 1000, starvation = 1000000, quantum = 1000000 },
}
