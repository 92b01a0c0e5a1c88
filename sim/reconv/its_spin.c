/* Loops that may spin: their end depends on what other threads do. */
#include "passes/analysis/analysis.h"
#include "sim/reconv/its.h"

static bool sees_others(const Ins *i)
{
	return i->op == OP_ATOM || (i->op == OP_LD && (i->sem >= SEM_VOLATILE || i->cop == COP_CV)) || i->op == OP_CALL;
}

bool *its_spin_loops(Arena *a, LowerFn *l, const Cfg *cfg, const Loops *loops)
{
	bool *spin = arena_array(a, bool, loops->n + 1);
	for (int k = 0; k < loops->n; k++)
		bs_each(loops->loop[k].blocks, b) {
			const Block *blk = cfg->rpo[cfg->rpo_index[b]];
			for (int i = 0; i < blk->ins.n; i++)
				spin[k] |= sees_others(&blk->ins.v[i]);
		}
	return spin;
}
