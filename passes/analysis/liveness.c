#include "passes/analysis/analysis.h"

void ins_uses(const Ins *i, void (*use)(void *, int reg), void *self)
{
	if (i->guard >= 0)
		use(self, i->guard);
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG)
			use(self, ins_src(i, k)->id);
}

void ins_defs(const Ins *i, void (*def)(void *, int reg), void *self)
{
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG)
			def(self, ins_dst(i, k)->id);
}

static void live(void *self, int reg) { bs_add(*(BitSet *)self, reg); }
static void dead(void *self, int reg) { bs_del(*(BitSet *)self, reg); }

void liveness_step(const Function *f, const Ins *i, BitSet set)
{
	if (i->guard < 0)
		ins_defs(i, dead, &set);
	ins_uses(i, live, &set);
	if (i->op == OP_RET && f->kind != FN_KERNEL)
		for (int k = 0; k < f->ret.n; k++)
			bs_add(set, f->ret.v[k]);
}

Liveness *liveness_build(Arena *a, const Cfg *c)
{
	const Function *f = c->f;
	Liveness *l = arena_new(a, Liveness);
	l->in = arena_array(a, BitSet, c->n);
	l->out = arena_array(a, BitSet, c->n);
	for (int b = 0; b < c->n; b++) {
		l->in[b] = bs_new(a, f->reg.n);
		l->out[b] = bs_new(a, f->reg.n);
	}
	BitSet now = bs_new(a, f->reg.n);
	bool *done = arena_array(a, bool, c->n);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = c->nreach; i-- > 0;) {
			const Block *b = c->rpo[i];
			bool grew = !done[c->rpo[i]->id];
			for (int k = 0; k < b->nsucc; k++)
				grew |= bs_union(l->out[b->id], l->in[b->succ[k]->id]);
			if (!grew)
				continue;
			done[b->id] = true;
			bs_copy(now, l->out[b->id]);
			for (int k = b->ins.n; k-- > 0;)
				liveness_step(f, &b->ins.v[k], now);
			changed |= bs_union(l->in[b->id], now);
		}
	}
	return l;
}
