#include "passes/analysis/analysis.h"

static void entries_and_exits(Arena *a, const Cfg *c, Loop *l)
{
	const Graph *g = c->graph;
	BitSet out = bs_new(a, c->n);
	l->reducible = true;
	bs_each(l->blocks, b) {
		for (int k = 0; k < g->pred[b].n; k++)
			if (!bs_has(l->blocks, g->pred[b].v[k]) && b != l->header)
				l->reducible = false;
		for (int k = 0; k < g->succ[b].n; k++)
			if (!bs_has(l->blocks, g->succ[b].v[k]))
				bs_add(out, g->succ[b].v[k]);
	}
	int n = bs_count(out);
	l->exits.v = arena_array(a, int, n + 1); /* the arena's: never grown */
	l->exits.cap = n + 1;
	for (int i = 0; i < c->nreach; i++)
		if (bs_has(out, c->rpo[i]->id))
			l->exits.v[l->exits.n++] = c->rpo[i]->id;
	const IntList *p = &g->pred[l->header];
	l->latch.v = arena_array(a, int, p->n + 1);
	l->latch.cap = p->n + 1;
	for (int k = 0; k < p->n; k++)
		if (bs_has(l->blocks, p->v[k]))
			l->latch.v[l->latch.n++] = p->v[k];
}

Loops *loops_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	const Nest *nest = c->nest;
	Loops *l = arena_new(a, Loops);
	l->n = nest->nloop;
	l->of = nest->of;
	l->loop = arena_array(a, Loop, l->n + 1);
	for (int i = 0; i < l->n; i++) {
		Loop *p = &l->loop[i];
		p->header = nest->header[i];
		p->parent = nest->parent[i];
		p->depth = p->parent < 0 ? 1 : l->loop[p->parent].depth + 1;
		p->blocks = bs_new(a, c->n);
	}
	for (int b = 0; b < c->n; b++)
		for (int i = l->of[b]; i >= 0; i = l->loop[i].parent)
			bs_add(l->loop[i].blocks, b);
	for (int i = 0; i < l->n; i++)
		entries_and_exits(a, c, &l->loop[i]);
	return l;
}
