/* Makes the loops of the cycle nest. The blocks of each loop stand side by side in reverse post-order. Lists
   by loop are made in time proportional to their length. */
#include "passes/analysis/analysis.h"
#include "passes/analysis/tree.h"

/* Finds which loops have entries besides their headers. An edge enters those loops around its end that are
   not around its start; so it is enough to know, for the innermost loop around the end, the depth of the
   innermost loop around both. */
static void find_reducible(Arena *tmp, const Cfg *c, Loops *l)
{
	Tree t = tree_new(tmp, l->n);
	/* by loop: the least depth, over edges that enter the loop past its header, of the innermost loop
	   around both ends of the edge; the loop's own depth: there is no such edge */
	int *least = arena_array(tmp, int, l->n + 1);
	tree_root(&t, l->n);
	for (int i = 0; i < l->n; i++) {
		tree_add(&t, i, l->loop[i].parent < 0 ? l->n : l->loop[i].parent, 0);
		least[i] = l->loop[i].depth;
	}
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id, at = l->of[b];
		if (at >= 0 && l->loop[at].header == b)
			at = l->loop[at].parent;
		for (int x = 0; at >= 0 && x < c->npred[b]; x++) {
			int from = l->of[c->pred[b][x]->id];
			if (from == at)
				continue;
			int depth = t.node[tree_common(&t, at, from < 0 ? l->n : from)].depth;
			least[at] = depth < least[at] ? depth : least[at];
		}
	}
	for (int i = l->n; i-- > 0;) {
		int p = l->loop[i].parent;
		l->loop[i].reducible = least[i] == l->loop[i].depth;
		if (p >= 0 && least[i] < least[p])
			least[p] = least[i];
	}
}

/* Finds the blocks to which threads leave each loop. put = false: counts them (cap); true: writes them, as
   there is room now. */
static void find_loop_exits(const Cfg *c, const Loops *l, IntList *exits, int *last, bool put)
{
	for (int i = 0; i < l->n; i++)
		last[i] = -1;
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id;
		for (int x = 0; x < c->npred[b]; x++)
			for (int i = l->of[c->pred[b][x]->id]; i >= 0 && last[i] != b &&
				!loop_has(c, &l->loop[i], b); i = l->loop[i].parent) {
				last[i] = b;
				if (put)
					exits[i].v[exits[i].n++] = b;
				else
					exits[i].cap++;
			}
	}
}

IntList *loop_exits(Arena *a, const Cfg *c, const Loops *l)
{
	Arena tmp = { 0 };
	IntList *exits = arena_array(a, IntList, l->n + 1);
	int *last = arena_array(&tmp, int, l->n + 1);
	find_loop_exits(c, l, exits, last, false);
	for (int i = 0; i < l->n; i++)
		exits[i].v = arena_array(a, int, exits[i].cap + 1);
	find_loop_exits(c, l, exits, last, true);
	arena_free(&tmp);
	return exits;
}

static void find_latches(Arena *a, const Cfg *c, Loop *l)
{
	int h = l->header;
	l->latch.v = arena_array(a, int, c->npred[h] + 1); /* of the arena, with room for all: never grown */
	l->latch.cap = c->npred[h] + 1;
	for (int k = 0; k < c->npred[h]; k++)
		if (loop_has(c, l, c->pred[h][k]->id))
			l->latch.v[l->latch.n++] = c->pred[h][k]->id;
}

Loops *loops_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
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
		p->first = c->rpo_index[p->header];
	}
	for (int k = 0; k < c->nreach; k++)
		if (l->of[c->rpo[k]->id] >= 0)
			l->loop[l->of[c->rpo[k]->id]].n++;
	for (int i = l->n; i-- > 0;)
		if (l->loop[i].parent >= 0)
			l->loop[l->loop[i].parent].n += l->loop[i].n;
	for (int i = 0; i < l->n; i++)
		find_latches(a, c, &l->loop[i]);
	find_reducible(&tmp, c, l);
	arena_free(&tmp);
	return l;
}

BitSet loop_blocks(Arena *a, const Cfg *c, const Loop *l)
{
	BitSet set = bs_new(a, c->n);
	loop_each(c, l, b)
		bs_add(set, b->id);
	return set;
}
