/* Priorities and thread frontiers (Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011,
 * section 4). The paper's single pass ignores back edges; this code follows back edges, too, and repeats the
 * pass until nothing changes. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"

static void order_by_priority(Arena *a, LowerFn *l, ThreadFrontier *f)
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

/* Adds to the frontier of every member of u all members that come later in u; returns true if a frontier has
   changed. `done` marks a rest of a list for which that has been done before. */
static bool wait_behind(ThreadFrontier *f, Chains *sets, Chain u)
{
	bool changed = false;
	for (; u && !u->done; u = u->next) {
		Chain was = f->tf[u->v];
		f->tf[u->v] = chain_union(sets, was, u->next);
		changed |= f->tf[u->v] != was;
		u->done = true;
	}
	return changed;
}

/* Lanes of a warp may wait in TF(b), the frontier of b, and in the successors of b at once. So of all these
   blocks, each has those behind it in its frontier. */
ThreadFrontier frontier_build(Arena *a, LowerFn *l, int64_t priority)
{
	ThreadFrontier f = { 0 };
	Chains sets = { .arena = a };
	l->priority_layout = priority == PRIORITY_RPO;
	if (!l->priority_layout)
		lower_text_order(l);
	order_by_priority(a, l, &f);
	f.tf = arena_array(a, Chain, f.n + 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < f.n; i++) {
			Chain u = f.tf[i];
			for (int k = 0; k < f.order[i]->nsucc; k++)
				u = chain_add(&sets, u, f.position[f.order[i]->succ[k]->id]);
			changed |= wait_behind(&f, &sets, u);
		}
	}
	return f;
}

int frontier_most(const ThreadFrontier *f)
{
	int most = 0;
	for (int i = 0; i < f->n; i++)
		if (chain_count(f->tf[i]) > most)
			most = chain_count(f->tf[i]);
	return most;
}
