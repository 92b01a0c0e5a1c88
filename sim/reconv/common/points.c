/* Reconvergence points: what the compiler does for mechanisms whose lanes meet at post-dominators. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/points.h"

void reconv_set_points(LowerFn *l, const Cfg *cfg, const int *point)
{
	for (int b = 0; b < l->f->block.n; b++)
		if (point[b] >= 0 && point[b] < cfg->n) {
			l->rpc_block[b] = point[b];
			l->reach[point[b]] = true;
		}
}

bool reconv_lower_ipdom(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	reconv_set_points(l, cfg, pdom_points(&tmp, cfg, pdom_build(&tmp, cfg, true)));
	arena_free(&tmp);
	return true;
}

void reconv_lower_reach(LowerFn *l, bool joins, bool loops)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	for (int b = 0; b < l->f->block.n; b++) {
		if (cfg->rpo_index[b] < 0)
			continue;
		l->reach[b] |= joins && cfg->npred[b] > 1;
		for (int k = 0; loops && k < cfg->npred[b]; k++)
			l->reach[b] |= cfg->rpo_index[cfg->pred[b][k]->id] >= cfg->rpo_index[b];
	}
	arena_free(&tmp);
}
