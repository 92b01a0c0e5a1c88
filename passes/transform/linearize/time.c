/* Says by what the order of units is chosen: how long guards take, and which loads take longer than that. */
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/cost.h"

int64_t guard_time(const Lin *l)
{
	const Ins choose = ins_make(l->run->m, OP_SELP, T_U32, 1, 3),
		test = ins_make(l->run->m, OP_SETP, T_U32, 1, 2),
		branch = ins_make(l->run->m, OP_BRA, T_NONE, 0, 1);
	return cost_interval(l->run->cost, &choose) + cost_guard_latency(l->run->cost, &test) +
		cost_latency(l->run->cost, &branch);
}

bool is_far(const Lin *l, const Ins *i, int64_t guard)
{
	return i->ndst && op_info[i->op].flags & OPF_LOAD && op_info[i->op].unit == UNIT_MEM &&
		cost_latency(l->run->cost, i) > guard;
}
