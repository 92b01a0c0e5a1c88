/* Reconvergence points: what mechanisms that meet at post-dominators need of the compiler. */
#include "passes/analysis/analysis.h"
#include "sim/reconv.h"

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
