/* The conservation laws of a launch's statistics. */
#include "sim/record/stats.h"
#include <stdio.h>

const char *stats_memory_law(const Totals *s, const Config *c)
{
	uint64_t wide = (uint64_t)(c->l1_sector / c->l2_sector);
	const struct { bool ok; const char *what; } law[] = {
		{ s->l1_accesses == s->l1_hits + s->l1_merges + s->l1_misses,
			"L1 accesses = hits + merges + misses" },
		{ s->transactions == s->l1_accesses + s->l1_bypasses + s->l1_writes + s->l1_atomics,
			"memory transactions = L1 accesses + bypasses + writes + atomics" },
		{ s->l2_requests == s->l1_misses * wide + s->l1_bypasses + s->l1_writes + s->l1_atomics +
			s->l1_other,
			"L2 requests = L1 misses + bypasses + writes + atomics + other" },
		{ s->l2_replies == s->l2_requests, "L2 replies = L2 requests" },
		{ s->l2_requests == s->l2_hits + s->l2_misses + s->l2_allocations,
			"L2 requests = hits + misses + allocations" },
		{ s->dram_reads == s->l2_misses, "DRAM reads = L2 misses" },
		{ s->dram_writes == s->l2_writebacks, "DRAM writes = L2 write-backs" },
		{ s->l2_dirtied <= s->l1_writes + s->l1_atomics + s->l1_other,
			"L2 sectors that became dirty <= sectors written" },
		{ s->dram_row_hits <= s->dram_reads + s->dram_writes, "DRAM row hits <= reads + writes" },
		{ s->nonfaulting_zero_loads <= s->nonfaulting_zero_lanes &&
			s->nonfaulting_zero_lanes <= s->nonfaulting_lanes &&
			s->nonfaulting_zero_loads <= s->nonfaulting_loads,
			"nonfaulting loads: those that give 0 <= their lanes <= all lanes" },
		{ s->uniform_warp <= s->warp_instructions,
			"instructions of the uniform datapath <= warp instructions" },
	};
	for (size_t i = 0; i < sizeof law / sizeof *law; i++)
		if (!law[i].ok)
			return law[i].what;
	return NULL;
}

const char *stats_rate_law(const Totals *s, const Config *c)
{
	uint64_t sector = (uint64_t)c->l2_sector, dram = (uint64_t)(c->dram_channels * c->dram_width),
		l2 = (uint64_t)(c->l2_slices * c->l2_width), ports = (uint64_t)(c->sm_count * c->icnt_width);
	if ((s->dram_reads + s->dram_writes) * sector > s->cycles * dram)
		return "bytes read from DRAM and written to it <= cycles x dram.channels x "
			"dram.bytes_per_cycle";
	if (s->l2_requests * sector > s->cycles * l2)
		return "bytes asked of L2 <= cycles x l2.slices x l2.bytes_per_cycle";
	if ((s->l1_writes + s->l1_atomics) * sector > s->cycles * ports)
		return "bytes written and of atomics <= cycles x sm.count x interconnect.bytes_per_cycle";
	if ((s->l1_misses * (uint64_t)c->l1_sector + s->l1_bypasses * sector) > s->cycles * ports)
		return "bytes loaded <= cycles x sm.count x interconnect.bytes_per_cycle";
	return NULL;
}

static const char *unequal(const char *law, uint64_t a, uint64_t b)
{
	static _Thread_local char text[200];
	if (a == b)
		return NULL;
	snprintf(text, sizeof text, "%s: %llu != %llu", law, (unsigned long long)a, (unsigned long long)b);
	return text;
}

/* The law that each parting has ended exactly once; NULL if it holds. */
static const char *meeting_law(const BranchStats *b)
{
	uint64_t times = 0;
	for (int k = 0; k < b->met.n; k++)
		times += b->met.v[k].times;
	return unequal("partings have ended at a meeting, or as lanes ended", b->parted.partings, times);
}

/* The laws that each lane-slot of an issue has an executing lane or is charged to one cause, and that the
   counts by instruction add up to the launch's. NULL: they hold. If each lane issues by itself (own_slots)
   there are no lane-slots, so this must not be called. */
static const char *lane_law(const LaunchStats *s)
{
	uint64_t width = (uint64_t)s->warp_size, lost[2] = { 0 }, issues[2] = { 0 }, useful[2] = { 0 };
	const char *bad = unequal("inactive lanes have no thread, have ended or have parted from the group",
		s->totals.lanes_inactive,
		s->totals.lanes_no_thread + s->totals.lanes_ended + s->totals.lanes_parted);
	if (!bad)
		bad = unequal("lanes of issued overhead executed, or have a cause why not",
			s->totals.overhead_warp * width, s->totals.overhead_thread + s->totals.overhead_off +
			s->totals.overhead_no_thread + s->totals.overhead_ended + s->totals.overhead_parted);
	for (int i = 0; i < s->tables.branches.n; i++)
		for (int k = 0; k < 2; k++)
			lost[k] += s->tables.branches.v[i].parted.lost[k];
	for (int i = 0; i < s->tables.partings.n; i++)
		for (int k = 0; k < 2; k++)
			lost[k] += s->tables.partings.v[i].parted.lost[k];
	for (int i = 0; i < s->tables.lines.n; i++)
		for (int k = 0; k < 2; k++) {
			issues[k] += s->tables.lines.v[i].count[k].issues;
			useful[k] += s->tables.lines.v[i].count[k].useful;
		}
	for (int i = 0; i < s->tables.branches.n && !bad; i++)
		bad = meeting_law(&s->tables.branches.v[i]);
	for (int i = 0; i < s->tables.partings.n && !bad; i++)
		bad = meeting_law(&s->tables.partings.v[i]);
	if (!bad)
		bad = unequal("lanes that have parted are charged to an instruction", s->totals.lanes_parted,
			lost[0]);
	if (!bad)
		bad = unequal("lanes that have parted in overhead are charged to an instruction",
			s->totals.overhead_parted, lost[1]);
	if (!bad)
		bad = unequal("instructions of lines are instructions issued", s->totals.warp_instructions,
			issues[0]);
	if (!bad)
		bad = unequal("overhead of lines is overhead issued", s->totals.overhead_warp, issues[1]);
	if (!bad)
		bad = unequal("lanes of lines are thread instructions",
			s->totals.thread_instructions + s->totals.overhead_thread, useful[0] + useful[1]);
	return bad;
}

const char *stats_conservation(const LaunchStats *s, const Config *c)
{
	uint64_t stalls = 0, levels = 0, issues = 0, lanes = 0;
	const char *bad = NULL;
	if (s->reference || !s->completed)
		return NULL;
	for (int i = 0; i < STALL_COUNT; i++)
		stalls += s->totals.stalls[i];
	for (int i = STALL_COUNT; i < STALL_FIGURES; i++)
		levels += s->totals.stalls[i];
	for (int i = 0; i <= s->warp_size; i++) {
		issues += s->totals.active_lanes[i];
		lanes += s->totals.active_lanes[i] * (uint64_t)i;
	}
	for (int i = 0; i < STALL_FIGURES && !bad && s->timed; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < s->tables.lines.n; k++)
			sum += s->tables.lines.v[k].stalls[i];
		bad = unequal("stalls of lines are the schedulers'", s->totals.stalls[i], sum);
	}
	if (s->timed) {
		if (!bad)
			bad = unequal("scheduler-cycles are issues and stalls", s->totals.slots,
				s->totals.issued + stalls);
		if (!bad)
			bad = unequal("memory stalls are those of its levels", s->totals.stalls[STALL_MEMORY],
				levels);
		if (!bad)
			bad = unequal("scheduler-cycles are cycles x schedulers x SMs", s->totals.slots,
				s->totals.cycles * (uint64_t)c->sched_count * (uint64_t)c->sm_count);
		if (!bad)
			bad = stats_memory_law(&s->totals, c);
		if (!bad && !s->own_slots) /* under own_slots launches end before their stores are done */
			bad = stats_rate_law(&s->totals, c);
	}
	if (!bad && !s->own_slots)
		bad = unequal("lanes of issued instructions are useful, predicated off or inactive",
			s->totals.lanes_useful + s->totals.lanes_predicated_off + s->totals.lanes_inactive,
			s->totals.warp_instructions * (uint64_t)s->warp_size);
	if (!bad && !s->own_slots)
		bad = lane_law(s);
	if (!bad)
		bad = unequal("useful lanes are thread instructions", s->totals.lanes_useful,
			s->totals.thread_instructions);
	if (!bad && !s->own_slots)
		bad = unequal("active_lanes counts each instruction", issues, s->totals.warp_instructions);
	if (!bad && !s->own_slots)
		bad = unequal("active_lanes counts useful and predicated-off lanes", lanes,
			s->totals.lanes_useful + s->totals.lanes_predicated_off);
	if (!bad)
		bad = unequal("entries pushed are popped", s->totals.pushes, s->totals.pops);
	if (!bad && s->registers > (uint64_t)c->sm_max_regs)
		bad = "a thread has at most sm.max_registers_per_thread registers";
	return bad;
}
