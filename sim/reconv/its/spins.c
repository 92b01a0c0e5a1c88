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

/* May the block let threads go on that wait, other than by the instruction `but`? */
static bool block_frees(const EffectTable *effects, const Block *b, const Ins *but)
{
	for (int k = 0; k < b->ins.n; k++) {
		Effects e = ins_effects(effects, &b->ins.v[k]);
		if (&b->ins.v[k] != but && its_frees(&e))
			return true;
	}
	return false;
}

static bool loop_frees(const EffectTable *effects, const Cfg *cfg, const Loop *l, const Ins *but)
{
	loop_each(cfg, l, b)
		if (block_frees(effects, b, but))
			return true;
	return false;
}

void its_find_spins(LowerFn *l, Spins *spins)
{
	Analyses *an = analyses_open(l->module, l->f, NULL, NULL, NULL);
	const Cfg *cfg = analysis_cfg(an);
	const Loops *loops = analysis_loops(an);
	const Waits *waits = analysis_waits(an);
	const EffectTable *effects = analysis_effects(an);
	for (int k = 0; k < loops->n; k++) {
		const Loop *x = &loops->loop[k];
		const Ins *by = waits->loop[k];
		if (by || sleeps(cfg, x))
			vec_push(&spins->place, ((Spin){ .at = l->f->block.v[x->header], .waits = by != NULL,
				.frees = loop_frees(effects, cfg, x, by) }));
	}
	for (int k = 0; k < cfg->nreach; k++)
		if (waits->call[cfg->rpo[k]->id])
			vec_push(&spins->place, ((Spin){ .at = cfg->rpo[k], .call = true, .waits = true }));
	for (int k = 0; k < cfg->nreach && spins->place.n; k++)
		if (block_frees(effects, cfg->rpo[k], NULL))
			vec_push(&spins->frees, cfg->rpo[k]);
	analyses_close(an);
}

void its_spins_free(Spins *spins)
{
	vec_free(&spins->place);
	vec_free(&spins->frees);
}
