#include "passes/analysis/cost.h"

/* Of configs/volta.lua, where memory is far away and nothing hits. */
const CostTable cost_default = {
	.latency = { [UNIT_ALU] = 4, [UNIT_IMUL] = 5, [UNIT_FP32] = 4, [UNIT_FP64] = 8, [UNIT_SFU] = 16, [UNIT_CVT] = 14, [UNIT_MEM] = 1, [UNIT_CTL] = 1 },
	.interval = { [UNIT_ALU] = 2, [UNIT_IMUL] = 2, [UNIT_FP32] = 2, [UNIT_FP64] = 4, [UNIT_SFU] = 8, [UNIT_CVT] = 8, [UNIT_MEM] = 1, [UNIT_CTL] = 1 },
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
