/* Atomic operations whose result nobody reads: they become reductions, which return nothing, as compilers for
 * GPUs make RED of such an ATOM. No lane waits for them, and no reply of L2 carries data. Exchanges and
 * compare-and-swaps stay: RED has neither. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"

/* Is it an atomic operation with a result of which there is a reduction? */
static bool may_be_reduction(const Ins *i)
{
	return i->op == OP_ATOM && i->aop != AOP_EXCH && i->aop != AOP_CAS &&
		ins_dst(i, 0)->kind == OPD_REG;
}

static bool has_such_atomic(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (may_be_reduction(&f->block.v[b]->ins.v[k]))
				return true;
	return false;
}

static void drop_unread_in(const Function *f, const Liveness *live, Block *b, BitSet now)
{
	liveness_enter(live, b->id, now);
	for (int k = b->ins.n; k-- > 0;) {
		Ins *i = &b->ins.v[k];
		if (may_be_reduction(i) && !bs_has(now, ins_dst(i, 0)->id))
			*ins_dst(i, 0) = (Opd){ 0 };
		liveness_step(f, i, now);
	}
	liveness_leave(live, b->id, now);
}

void lower_unread(LowerFn *l)
{
	if (!has_such_atomic(l->f))
		return;
	Arena tmp = { 0 };
	const Cfg *c = cfg_build(&tmp, l->f);
	const Liveness *live = liveness_build(&tmp, c);
	BitSet now = bs_new(&tmp, function_values(l->f));
	for (int k = 0; k < c->nreach; k++)
		drop_unread_in(l->f, live, l->f->block.v[c->rpo[k]->id], now);
	arena_free(&tmp);
}
