#include "passes/analysis/cost.h"

/* Of configs/volta.lua, where memory is far away and nothing hits. */
const CostTable cost_default = {
	.latency = { [UNIT_ALU] = 4, [UNIT_IMUL] = 5, [UNIT_FP32] = 4, [UNIT_FP64] = 8, [UNIT_SFU] = 16, [UNIT_CVT] = 14, [UNIT_MEM] = 1, [UNIT_CTL] = 1 },
	.interval = { [UNIT_ALU] = 2, [UNIT_IMUL] = 2, [UNIT_FP32] = 2, [UNIT_FP64] = 4, [UNIT_SFU] = 8, [UNIT_CVT] = 8, [UNIT_MEM] = 1, [UNIT_CTL] = 1 },
	.copies = { UNIT_ALU, UNIT_FP32, UNIT_FP32, UNIT_FP64, UNIT_SFU, UNIT_SFU, UNIT_MEM, UNIT_CTL },
	.count = { 1, 1, 1, 1, 1, 1, 1, 1 },
	.schedulers = { 1, 1, 1, 1, 1, 1, [UNIT_MEM] = 4, [UNIT_CTL] = 1 },
	.width = 1,
	.memory = { [SP_GENERIC] = 375, [SP_GLOBAL] = 375, [SP_SHARED] = 19, [SP_LOCAL] = 375, [SP_CONST] = 27, [SP_PARAM] = 27 },
};

int cost_latency(const CostTable *t, const Ins *i)
{
	t = t ? t : &cost_default;
	if (t->op[i->op])
		return t->op[i->op];
	return op_info[i->op].flags & OPF_LOAD && op_info[i->op].unit == UNIT_MEM ? t->memory[i->space] : t->latency[ins_unit(i)];
}

int cost_interval(const CostTable *t, const Ins *i) { return (t ? t : &cost_default)->interval[ins_unit(i)]; }

int64_t cost_block(const CostTable *t, const Block *b)
{
	int64_t sum = 0;
	for (int k = 0; k < b->ins.n; k++)
		sum += cost_latency(t, &b->ins.v[k]);
	return sum;
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
	for (int k = 0; k < depth && k < 6; k++)
		weight *= COST_TURNS;
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
	int u = ins_unit(i);
	l->cycles[t->copies[u]] += times * t->interval[u] * t->schedulers[u] / t->count[u];
	l->cycles[UNIT_COUNT] += times / t->width;
}

double load_bound(const Load *l)
{
	double most = 0;
	for (int k = 0; k <= UNIT_COUNT; k++)
		most = l->cycles[k] > most ? l->cycles[k] : most;
	return most;
}
