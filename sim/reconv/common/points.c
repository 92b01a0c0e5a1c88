/* Reconvergence points: what mechanisms that meet at post-dominators need of the compiler. */
#include "passes/analysis/analysis.h"
#include "sim/reconv/common/points.h"

bool reconv_lower_ipdom(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	Dom *pdom = pdom_build(&tmp, cfg, true);
	for (int b = 0; b < l->f->block.n; b++) {
		Block *blk = l->f->block.v[b];
		if (cfg->rpo_index[b] < 0 || blk->nsucc < 2)
			continue;
		int r = pdom_point(pdom, blk);
		if (r < 0 || r >= cfg->n)
			continue;
		l->rpc_block[b] = r;
		l->reach[r] = true;
	}
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
