#include "sim/reconv/its/spins.h"
#include "passes/analyses.h"

static bool sleeps(const Cfg *cfg, const Loop *l)
{
	loop_each(cfg, l, b)
		for (int k = 0; k < b->ins.n; k++)
			if (op_info[b->ins.v[k].op].kind == K_SLEEP)
				return true;
	return false;
}

void its_find_spins(LowerFn *l, Spins *spins)
{
	Analyses *an = analyses_open(l->module, l->f, NULL, NULL, NULL);
	const Cfg *cfg = analysis_cfg(an);
	const Loops *loops = analysis_loops(an);
	for (int k = 0; k < loops->n; k++)
		if (analysis_waits(an)->loop[k] || sleeps(cfg, &loops->loop[k]))
			vec_push(spins, l->f->block.v[loops->loop[k].header]);
	analyses_close(an);
}
