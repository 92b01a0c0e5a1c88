/* Finds the nest of loops in time proportional to blocks and edges: a loop has no set of its blocks, but each
   block has the number of its innermost loop, and each loop lists of the blocks at its borders. */
#include "passes/transform/flatten/flatten.h"
#include <stdlib.h>

static void know_block(Nests *w, int loop)
{
	vec_push(&w->of, loop);
	vec_push(&w->begins, -1);
	vec_push(&w->code, -1);
	vec_push(&w->seen, -1);
	vec_push(&w->via, NULL);
}

static void find_flat_loops(Nests *w)
{
	const Nest *nest = w->cfg->nest;
	Function *f = w->cfg->f;
	w->n = nest->nloop;
	w->loop = arena_array(&w->arena, FlatLoop, w->n + 1);
	for (int b = 0; b < f->block.n; b++)
		know_block(w, nest->of[b]);
	for (int l = 0; l < w->n; l++) {
		Block *h = f->block.v[nest->header[l]];
		w->loop[l] = (FlatLoop){ .parent = nest->parent[l], .end = l + 1, .reducible = true,
			.source = h, .head = h, .again = -1 };
		w->loop[l].depth = nest->parent[l] < 0 ? 1 : w->loop[nest->parent[l]].depth + 1;
		w->begins.v[h->id] = l;
		must(nest->parent[l] < l);
	}
	for (int l = w->n; l-- > 0;) {
		int p = w->loop[l].parent;
		if (p >= 0 && w->loop[p].end < w->loop[l].end)
			w->loop[p].end = w->loop[l].end;
	}
}

/* Looks at the edge from b to s. An edge from outside a loop to a block other than its header makes the loop
   irreducible; one to its header makes b an entry. */
static void look_at_edge(Nests *w, Block *b, const Block *s)
{
	int l = w->of.v[s->id];
	if (l >= 0 && w->loop[l].source == s) {
		if (nest_has(w, l, b))
			w->loop[l].back++;
		else
			vec_push(&w->loop[l].enter, b);
		l = w->loop[l].parent;
	}
	for (; l >= 0 && !nest_has(w, l, b); l = w->loop[l].parent)
		w->loop[l].reducible = false;
}

static void look_at_borders(Nests *w, Block *b)
{
	int l = w->of.v[b->id];
	bool border = false;
	for (int k = 0; k < w->cfg->graph->succ[b->id].n; k++) {
		const Block *s = w->cfg->f->block.v[w->cfg->graph->succ[b->id].v[k]];
		look_at_edge(w, b, s);
		border |= w->begins.v[s->id] >= 0 || (l >= 0 && !nest_has(w, l, s));
	}
	if (l < 0)
		return;
	FlatLoop *x = &w->loop[l];
	if (border)
		vec_push(&x->own, b);
	x->last = b->id > x->last ? b->id : x->last;
	for (int k = 0; k < b->ins.n; k++) {
		Effects e = ins_effects(analysis_effects(w->r->an), &b->ins.v[k]);
		if (e.convergent && !x->convergent)
			x->convergent = &b->ins.v[k];
	}
}

void nests_open(Nests *w, PassRun *r)
{
	*w = (Nests){ .r = r, .edit = edit_open(r->m, r->f, r->origin), .cfg = analysis_cfg(r->an) };
	find_flat_loops(w);
	for (int i = 0; i < w->cfg->nreach; i++)
		look_at_borders(w, w->cfg->rpo[i]);
	for (int l = w->n; l-- > 0;) {
		WaitPlace wait;
		if (nest_may(w, l) && waits_within(analysis_waits(r->an), l, &wait))
			w->loop[l].waits = waits_text(&w->arena, &wait);
		if (w->loop[l].back > 1 && !w->pdom)
			w->pdom = analysis_pdom(r->an);
		FlatLoop *x = &w->loop[l], *p = x->parent < 0 ? NULL : &w->loop[x->parent];
		if (!p)
			continue;
		p->last = x->last > p->last ? x->last : p->last;
		if (!p->convergent)
			p->convergent = x->convergent;
	}
}

void nests_close(Nests *w)
{
	for (int l = 0; l < w->n; l++) {
		vec_free(&w->loop[l].own);
		vec_free(&w->loop[l].leave);
		vec_free(&w->loop[l].enter);
	}
	vec_free(&w->of);
	vec_free(&w->begins);
	vec_free(&w->code);
	vec_free(&w->seen);
	vec_free(&w->via);
	edit_close(&w->edit);
	arena_free(&w->arena);
}

Block *nest_place(Nests *w, int loop, BlockSpot s, const char *base, const char *tail)
{
	Block *b = edit_block(&w->edit, s, base, tail);
	b->loc = s.at->loc;
	must(b->id == w->of.n);
	know_block(w, loop);
	return b;
}

/* ---- borders ---- */

bool nest_fatal(const Nests *w, const Block *b) { return b->id < w->cfg->n && bs_has(w->cfg->fatal, b->id); }

bool nest_leaves(const Nests *w, int loop, const Block *b)
{
	for (int k = 0; k < b->nsucc; k++)
		if (!nest_has(w, loop, b->succ[k]) && !nest_fatal(w, b->succ[k]))
			return true;
	return false;
}

void nest_pass_on(Nests *w, int loop)
{
	FlatLoop *x = &w->loop[loop];
	for (int i = 0; i < x->own.n; i++)
		if (nest_leaves(w, loop, x->own.v[i]))
			vec_push(&x->leave, x->own.v[i]);
	for (int k = loop + 1; k < x->end; k = w->loop[k].end)
		for (int i = 0; i < w->loop[k].leave.n; i++)
			if (nest_leaves(w, loop, w->loop[k].leave.v[i]))
				vec_push(&x->leave, w->loop[k].leave.v[i]);
}

/* ---- two loops with one header ---- */

typedef struct TurnWalk { Nests *w; int loop, z; bool back; double cost; BlockList todo; } TurnWalk;

static void visit_turn_block(TurnWalk *t, Block *b)
{
	Nests *w = t->w;
	if (b == w->loop[t->loop].source)
		t->back = true;
	if (!nest_has(w, t->loop, b) || b->id == t->z || w->seen.v[b->id] == t->loop)
		return;
	w->seen.v[b->id] = t->loop;
	vec_push(&t->todo, b);
}

/* Returns the number of the last of the loop's blocks to which every thread comes before it leaves; -1: there
   is none but the header. */
static int last_common(const Nests *w, int loop)
{
	const Dom *pdom = w->pdom;
	int z = -1;
	for (int b = pdom->idom[w->loop[loop].source->id];
		b >= 0 && b < w->cfg->n && nest_has(w, loop, w->cfg->f->block.v[b]); b = pdom->idom[b])
		z = b;
	return z;
}

bool nest_shares_header(Nests *w, int loop, double *inner)
{
	int z = w->loop[loop].back > 1 ? last_common(w, loop) : -1;
	TurnWalk t = { .w = w, .loop = loop, .z = z };
	if (z < 0)
		return false;
	w->seen.v[w->loop[loop].source->id] = loop;
	vec_push(&t.todo, w->loop[loop].source);
	while (t.todo.n) {
		Block *b = vec_pop(&t.todo);
		*inner += decide_cost(w, b);
		for (int k = 0; k < b->nsucc; k++)
			visit_turn_block(&t, b->succ[k]);
	}
	vec_free(&t.todo);
	return t.back;
}
