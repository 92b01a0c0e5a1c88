/* Makes the tables that passes get: costs (passes/analysis/cost.h), which are the machine's latencies when no
   other instruction or access is in the way, and limits (passes/analysis/limits.h). */
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "sim/config/config.h"

static int cycles_for(int64_t bytes, int64_t per_cycle) { return (int)((bytes + per_cycle - 1) / per_cycle); }

/* Cycles of a load of one sector that misses in all caches: the request's way to its L2 slice, the look-up
   there, DRAM with the row closed, and the way back. */
static int far_latency(const Config *c)
{
	int64_t sector = c->l2_sector;
	return (int)(2 * c->icnt_latency + c->l2_latency + c->dram_latency + c->dram_miss) + 1 +
		cycles_for(sector, c->icnt_width) + cycles_for(sector, c->l2_width) +
		cycles_for(sector, c->dram_width);
}

/* What it costs that lanes part. A mechanism that does not say so redirects the front end twice: to the side
   to which the branch jumps, and from one side to the other one. */
static PartingCost parting_cost(const Config *c)
{
	const ModelKeys *m = model_keys((int)c->model);
	return m && m->parting ? m->parting(c) : (PartingCost){ 2 * c->fetch_redirect, 0 };
}

CostTable config_costs(const Config *config)
{
	CostTable t = { 0 };
	Config complete = *config, *c = &complete;
	config_complete_units(c);
	int far = far_latency(c);
	for (int u = 0; u < UNIT_COUNT; u++) {
		const UnitConfig *x = &c->unit[u];
		int copies = x->shares ? (int)x->shares - 1 : u;
		t.unit[u] = (UnitCost){ (int)x->latency, (int)x->interval, copies,
			(int)x->count, c->unit[copies].per == PER_SM ? (int)c->sched_count : 1 };
		t.guard[u] = x->guard_latency == x->latency ? 0 : (int)x->guard_latency;
	}
	t.width = (int)c->sched_width;
	t.redirect = (int)c->fetch_redirect;
	if (c->fetch_bytes)
		t.fetch = (double)(c->fetch_miss * c->fetch_ins_bytes) / (double)c->fetch_line;
	PartingCost part = parting_cost(c);
	t.part_cycles = (int)part.cycles;
	t.part_operations = (int)part.operations;
	t.memory[SP_GENERIC] = t.memory[SP_GLOBAL] = t.memory[SP_LOCAL] = far;
	t.memory[SP_SHARED] = (int)c->shared_latency;
	t.memory[SP_CONST] = t.memory[SP_PARAM] = (int)c->const_latency;
	return t;
}

MachineLimits config_limits(const Config *c)
{
	return (MachineLimits){ .warp_size = c->warp_size, .block_threads = c->sm_max_block,
		.block_shared = c->sm_max_shared, .thread_registers = c->sm_max_regs, .sms = c->sm_count,
		.blocks = c->sm_max_blocks, .warps = c->sm_max_warps, .registers = c->sm_registers,
		.shared = c->sm_shared, .register_unit = c->sm_reg_unit,
		.shared_unit = c->sm_shared_unit };
}
