#include "passes/analysis/cost.h"
#include "passes/constants.h"

/* The figures of configs/volta.lua, with latencies of memory as when an access hits in no cache. */
const CostTable cost_default = {
	.unit = {         /* the members of UnitCost in order: latency, interval, copies, count, schedulers */
		[UNIT_ALU] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_IMUL] = { 5, 2, UNIT_FP32, 1, 1 },
		[UNIT_FP32] = { 5, 2, UNIT_FP32, 1, 1 },
		[UNIT_FP64] = { 8, 4, UNIT_FP64, 1, 1 },
		[UNIT_SFU] = { 16, 8, UNIT_SFU, 1, 1 },
		[UNIT_CVT] = { 12, 8, UNIT_SFU, 1, 1 },
		[UNIT_MEM] = { 1, 1, UNIT_MEM, 1, 4 },
		[UNIT_CTL] = { 1, 1, UNIT_CTL, 1, 1 },
		[UNIT_UNIFORM] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_LOGIC] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_SHIFT] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_COMPARE] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_BITS] = { 8, 4, UNIT_ALU, 1, 1 },
		[UNIT_REVERSE] = { 15, 8, UNIT_SFU, 1, 1 },
		[UNIT_COUNT_BITS] = { 15, 8, UNIT_SFU, 1, 1 },
		[UNIT_SAD] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_SHFL] = { 22, 1, UNIT_MEM, 1, 4 },
		[UNIT_VOTE] = { 6, 2, UNIT_ALU, 1, 1 },
		[UNIT_MATCH] = { 16, 2, UNIT_ALU, 1, 1 },
		[UNIT_REDUX] = { 18, 8, UNIT_ALU, 1, 1 },
		[UNIT_CVT8] = { 12, 8, UNIT_SFU, 1, 1 },
		[UNIT_CVT64] = { 12, 8, UNIT_SFU, 1, 1 },
		[UNIT_WIDEN] = { 4, 2, UNIT_ALU, 1, 1 },
		[UNIT_CVTF64] = { 12, 8, UNIT_FP64, 1, 1 },
		[UNIT_RCP] = { 23, 8, UNIT_SFU, 1, 1 },
		[UNIT_ROOT] = { 18, 8, UNIT_SFU, 1, 1 },
		[UNIT_DIV32] = { 71, 40, UNIT_FP32, 1, 1 },
		[UNIT_DIV64] = { 284, 160, UNIT_FP32, 1, 1 },
		[UNIT_DIVF32] = { 84, 20, UNIT_FP32, 1, 1 },
		[UNIT_ROOTF32] = { 60, 16, UNIT_FP32, 1, 1 },
		[UNIT_DIVF64] = { 606, 40, UNIT_FP64, 1, 1 },
		[UNIT_RCPF64] = { 57, 24, UNIT_FP64, 1, 1 },
		[UNIT_ROOTF64] = { 106, 36, UNIT_FP64, 1, 1 },
	},
	.guard = { [UNIT_ALU] = 12, [UNIT_FP32] = 12, [UNIT_FP64] = 15, [UNIT_UNIFORM] = 12,
		[UNIT_LOGIC] = 12, [UNIT_SHIFT] = 12, [UNIT_COMPARE] = 12, [UNIT_SAD] = 12 },
	.width = 1,
	.redirect = 4, .part_cycles = 8, .part_operations = 3, .fetch = 213.0 * 16 / 128,
	.memory = { [SP_GENERIC] = 313, [SP_GLOBAL] = 313, [SP_SHARED] = 27, [SP_LOCAL] = 313,
	[SP_CONST] = 27, [SP_PARAM] = 27 },
};

int cost_latency(const CostTable *t, const Ins *i)
{
	t = t ? t : &cost_default;
	if (t->op[i->op])
		return t->op[i->op];
	return op_info[i->op].flags & OPF_LOAD && op_info[i->op].unit == UNIT_MEM ? t->memory[i->space]
		: t->unit[ins_unit(i)].latency;
}

int cost_guard_latency(const CostTable *t, const Ins *i)
{
	int guard = (t ? t : &cost_default)->guard[ins_unit(i)];
	return guard ? guard : cost_latency(t, i);
}

int cost_interval(const CostTable *t, const Ins *i)
{
	return (t ? t : &cost_default)->unit[ins_unit(i)].interval;
}

int64_t cost_block(const CostTable *t, const Block *b)
{
	int64_t sum = 0;
	for (int k = 0; k < b->ins.n; k++)
		sum += cost_latency(t, &b->ins.v[k]);
	return sum;
}

int cost_redirect(const CostTable *t) { return (t ? t : &cost_default)->redirect; }

int64_t cost_fetch(const CostTable *t, int64_t instructions)
{
	return (int64_t)((t ? t : &cost_default)->fetch * (double)instructions);
}

int cost_operations(const CostTable *t) { return (t ? t : &cost_default)->part_operations; }

int cost_parting(const CostTable *t)
{
	t = t ? t : &cost_default;
	return t->part_cycles + t->part_operations * t->unit[UNIT_CTL].interval;
}

int cost_whole(const CostTable *t, const Ins *i)
{
	bool store = op_info[i->op].flags & OPF_STORE && op_info[i->op].unit == UNIT_MEM;
	return store ? (t ? t : &cost_default)->memory[i->space] : cost_latency(t, i);
}

int64_t cost_weight(const Loops *l, const Block *b)
{
	int loop = l->of[b->id], depth = loop < 0 ? 0 : l->loop[loop].depth;
	int64_t weight = 1;
	for (int k = 0; k < depth && k < LOOP_LEVELS; k++)
		weight *= LOOP_TURNS;
	return weight;
}

int64_t cost_function(const CostTable *t, Function *f)
{
	Arena a = { 0 };
	const Cfg *c = cfg_build(&a, f);
	const Loops *l = loops_build(&a, c);
	int64_t sum = 0;
	for (int b = 0; b < c->nreach; b++)
		for (int k = 0; k < c->rpo[b]->ins.n; k++)
			sum += cost_weight(l, c->rpo[b]) * cost_whole(t, &c->rpo[b]->ins.v[k]);
	arena_free(&a);
	return sum;
}

void load_add(Load *l, const CostTable *t, const Ins *i, double times)
{
	t = t ? t : &cost_default;
	const UnitCost *c = &t->unit[ins_unit(i)];
	l->cycles[c->copies] += times * c->interval * c->schedulers / c->count;
	l->cycles[UNIT_COUNT] += times / t->width;
}

void load_scale_add(Load *l, const Load *other, double times)
{
	for (int k = 0; k <= UNIT_COUNT; k++)
		l->cycles[k] += times * other->cycles[k];
}

void load_part(Load *l, const CostTable *t, double times)
{
	const Ins operation = { .op = OP_BRA, .guard = -1 };
	load_add(l, t, &operation, times * (t ? t : &cost_default)->part_operations);
}

double load_bound(const Load *l)
{
	double most = 0;
	for (int k = 0; k <= UNIT_COUNT; k++)
		most = l->cycles[k] > most ? l->cycles[k] : most;
	return most;
}
