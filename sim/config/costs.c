/* The table of costs that passes get (passes/analysis/cost.h): the machine's latencies, where nobody is in the way. */
#include "passes/analysis/cost.h"
#include "sim/config/config.h"

static int cycles_for(int64_t bytes, int64_t per_cycle) { return (int)((bytes + per_cycle - 1) / per_cycle); }

/* A load of one sector that misses in all caches: the request's way to its slice, the look-up, DRAM with the row closed, and the way back. */
static int far_latency(const Config *c)
{
	int64_t sector = c->l2_sector;
	return (int)(2 * c->icnt_latency + c->l2_latency + c->dram_latency + c->dram_miss) + 1 + cycles_for(sector, c->icnt_width) + cycles_for(sector, c->l2_width) +
		cycles_for(sector, c->dram_width);
}

CostTable config_costs(const Config *c)
{
	CostTable t = { 0 };
	int far = far_latency(c);
	for (int u = 0; u < UNIT_COUNT; u++) {
		t.latency[u] = (int)c->unit[u].latency;
		t.interval[u] = (int)c->unit[u].interval;
		t.copies[u] = c->unit[u].shares ? (int)c->unit[u].shares - 1 : u;
		t.count[u] = (int)c->unit[u].count;
		t.schedulers[u] = c->unit[t.copies[u]].per == PER_SM ? (int)c->sched_count : 1;
	}
	t.width = (int)c->sched_width;
	t.memory[SP_GENERIC] = t.memory[SP_GLOBAL] = t.memory[SP_LOCAL] = far;
	t.memory[SP_SHARED] = (int)c->shared_latency;
	t.memory[SP_CONST] = t.memory[SP_PARAM] = (int)c->const_latency;
	return t;
}
