/* Priorities and thread frontiers (Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011, section 4). The
 * paper's single pass ignores back edges; this is the fixpoint that follows them. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"

static void order_blocks(Arena *a, LowerFn *l, Frontier *f)
{
	Cfg *cfg = cfg_build(a, l->f);
	f->order = arena_array(a, Block *, cfg->n);
	f->position = arena_array(a, int, cfg->n);
	for (int i = 0; i < (l->priority_layout ? cfg->nreach : cfg->n); i++) {
		Block *b = l->priority_layout ? cfg->rpo[i] : l->f->block.v[i];
		if (cfg->rpo_index[b->id] < 0)
			continue;
		f->position[b->id] = f->n;
		f->order[f->n++] = b;
	}
}

/* Let U be TF(b) with the successors of b. Every member of U has all later members of U in its own frontier. */
Frontier frontier_build(Arena *a, LowerFn *l, int64_t priority)
{
	Frontier f = { 0 };
	l->priority_layout = priority == PRIORITY_RPO;
	order_blocks(a, l, &f);
	f.tf = arena_array(a, BitSet, f.n ? f.n : 1);
	for (int i = 0; i < f.n; i++)
		f.tf[i] = bs_new(a, f.n);
	BitSet u = bs_new(a, f.n);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < f.n; i++) {
			bs_copy(u, f.tf[i]);
			for (int k = 0; k < f.order[i]->nsucc; k++)
				bs_add(u, f.position[f.order[i]->succ[k]->id]);
			bs_each(u, c)
				for (int x = bs_next(u, c + 1); x >= 0; x = bs_next(u, x + 1))
					if (!bs_has(f.tf[c], x)) {
						bs_add(f.tf[c], x);
						changed = true;
					}
		}
	}
	return f;
}

int frontier_most(const Frontier *f)
{
	int most = 0;
	for (int i = 0; i < f->n; i++)
		if (bs_count(f->tf[i]) > most)
			most = bs_count(f->tf[i]);
	return most;
}
