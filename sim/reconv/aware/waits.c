/* Where waiting at a reconvergence point may have to end (ElTantawy, Aamodt, MICRO 2016, section 3: which
 * loops can deadlock): lanes at a point never wait for ever for lanes that come by themselves, so a time-out
 * is needed only where those may be waiting for another thread, which may be one of the lanes at the point.
 * That is so where, between a branch and its point, threads may make turn after turn of a loop that waits
 * (passes/analysis/waits.h), or call a function that has such a loop. */
#include "passes/analyses.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/aware/aware.h"

/* Does a way of the region lead round the loop? Not if all turns end at the point. */
static bool turns_inside(const Cfg *cfg, const Loop *loop, int point, BitSet region)
{
	int header = cfg->rpo[loop->first]->id;
	bool turns = false;
	for (int k = 0; k < loop->latch.n; k++)
		turns |= bs_has(region, loop->latch.v[k]);
	return turns && header != point;
}

/* May threads wait between the branch at the end of block b and its point? */
static bool region_waits(Arena *a, const Cfg *cfg, const Loops *loops, const Waits *waits, int b, int point)
{
	BitSet region = bs_new(a, cfg->n), end = bs_new(a, cfg->n);
	bs_add(end, point);
	for (int k = 0; k < cfg->graph->succ[b].n; k++)
		graph_reach(cfg->graph, false, cfg->graph->succ[b].v[k], end, region);
	for (int k = 0; k < loops->n; k++)
		if (waits->loop[k] && turns_inside(cfg, &loops->loop[k], point, region))
			return true;
	bs_each(region, x)
		if (x < cfg->f->block.n && waits->call[x])
			return true;
	return false;
}

void aware_find_waits(LowerFn *l)
{
	Arena tmp = { 0 };
	Analyses *an = analyses_open(l->module, l->f, NULL, NULL, NULL);
	const Cfg *cfg = analysis_cfg(an);
	const Loops *loops = analysis_loops(an);
	const Waits *waits = analysis_waits(an);
	for (int b = 0; b < l->f->block.n && waits->n; b++) {
		if (waits->call[b])
			l->may_wait[b] |= WAIT_CALLS;
		if (l->rpc_block[b] >= 0 && region_waits(&tmp, cfg, loops, waits, b, l->rpc_block[b]))
			l->may_wait[b] |= WAIT_BRANCH;
	}
	analyses_close(an);
	arena_free(&tmp);
}
