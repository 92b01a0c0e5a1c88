/* A slice: up to SLICE_BITS expressions, with the part of the graph that matters to any of them. A point
 * matters to an expression if some way leads from it to a computation of the same value: nothing is placed at
 * other points, and the sets are known there without solving equations. Unless the method asks for the
 * earliest places, points in front of the expression's stop do not matter either. The stop is a block that
 * dominates all computations of the expression and is in no cycle with one: in front of it nothing has been
 * computed, and what could be computed there can as well be computed in it. So the size of all slices follows
 * from how far expressions can move, not from the number of blocks times that of expressions. */
#include "passes/transform/motion/motion.h"

void slicer_open(Slicer *w, const Points *p, const Expressions *x, bool early)
{
	*w = (Slicer){ .p = p, .x = x, .early = early };
	w->stop = arena_array(&w->arena, int, p->n + 1);
	for (int b = 0; b < p->n; b++)
		w->stop[b] = -1;
	w->local = arena_array(&w->arena, int, p->n + 1);
	w->bit = arena_array(&w->arena, int, x->n + 1);
	for (int b = 0; b < p->n; b++)
		w->local[b] = -1;
	for (int e = 0; e < x->n; e++)
		w->bit[e] = -1;
	w->dominators = tree_new(&w->arena, p->c->n);
	for (int k = 0; k < p->c->nreach && !early; k++) {
		int b = p->c->rpo[k]->id;
		if (k)
			tree_add(&w->dominators, b, p->dom->idom[b], 0);
		else
			tree_root(&w->dominators, b);
	}
}

void slicer_close(Slicer *w) { arena_free(&w->arena); }

/* A block that the search has come to. waits: it is in todo, since its predecessors are still to be told
   (tell_preds). first, last, mod, stop: the expressions that have it in their COMP at N, COMP at X, MOD and
   STOP. near_n, near_x: the expressions to which its N, its X matters. */
typedef struct FoundPoint {
	int block;
	bool waits;
	BitSet first, last, mod, stop, near_n, near_x;
} FoundPoint;

typedef struct SliceSearch {
	Slicer *w;
	MotionSlice *s;
	Arena tmp;
	Vec(FoundPoint) found;
	Vec(int) todo;                 /* indices in found of blocks whose predecessors are to be told */
	BitSet tells;
	/* by bit: the expression's stop, -1 = none; the next bit of those with the same stop, -1 = none */
	int *stops, *next_stop;
} SliceSearch;

/* The lowest block that dominates all computations of the expression. A block that dominates the first and
   the last of some blocks in a walk through the dominator tree dominates all of them. */
static int common_dominator(const Slicer *w, int e)
{
	const int *place = w->p->dom->first;
	int low = w->x->occurrence[w->x->occurrence_first[e]].block, high = low;
	for (int o = w->x->occurrence_first[e]; o >= 0; o = w->x->occurrence_next[o]) {
		int b = w->x->occurrence[o].block;
		low = place[b] < place[low] ? b : low;
		high = place[b] > place[high] ? b : high;
	}
	return tree_common(&w->dominators, low, high);
}

/* The expression's stop; -1: it has none. */
static int expression_stop(const Slicer *w, int e)
{
	const Cfg *c = w->p->c;
	int stop = common_dominator(w, e);
	int loop = c->nest->of[stop];
	if (loop < 0)
		return stop;
	loop = w->p->outermost[loop];
	return w->p->loops->loop[loop].reducible ? w->p->dom->idom[c->nest->header[loop]] : -1;
}

static void find_stops(SliceSearch *f)
{
	Slicer *w = f->w;
	f->stops = arena_array(&f->tmp, int, f->s->bits + 1);
	f->next_stop = arena_array(&f->tmp, int, f->s->bits + 1);
	for (int k = 0; k < f->s->bits; k++) {
		int b = f->stops[k] = w->early ? -1 : expression_stop(w, f->s->expr[k]);
		if (b < 0)
			continue;
		f->next_stop[k] = w->stop[b];
		w->stop[b] = k;
	}
}

static void forget_stops(SliceSearch *f)
{
	for (int k = 0; k < f->s->bits; k++)
		if (f->stops[k] >= 0)
			f->w->stop[f->stops[k]] = -1;
}

static int find_point(SliceSearch *f, int block)
{
	Slicer *w = f->w;
	if (w->local[block] >= 0)
		return w->local[block];
	int bits = f->s->bits;
	FoundPoint x = { .block = block, .first = bs_new(&f->tmp, bits), .last = bs_new(&f->tmp, bits),
		.mod = bs_new(&f->tmp, bits), .stop = bs_new(&f->tmp, bits),
		.near_n = bs_new(&f->tmp, bits),
		.near_x = bs_new(&f->tmp, bits) };
	if (block < w->p->c->n)
		expressions_of_block(w->x, block, w->bit, f->s->expr[0], f->s->expr[bits - 1] + 1, x.first,
			x.last, x.mod);
	for (int k = w->stop[block]; k >= 0; k = f->next_stop[k])
		bs_add(x.stop, k);
	for (int k = 0; k < x.first.n; k++) {
		/* if the block does not modify the expression, the computation counts at N alone */
		x.last.w[k] &= x.mod.w[k];
		x.near_n.w[k] = x.first.w[k];
		x.near_x.w[k] = x.last.w[k];
	}
	vec_push(&f->found, x);
	return w->local[block] = f->found.n - 1;
}

static void queue_point(SliceSearch *f, int at)
{
	if (!f->found.v[at].waits) {
		f->found.v[at].waits = true;
		vec_push(&f->todo, at);
	}
}

/* Tells the block's predecessors: the expressions to which the block's start matters are those to which their
   ends matter, and, unless they modify the expression, their starts. */
static void tell_preds(SliceSearch *f, int at)
{
	const IntList *pred = &f->w->p->g->pred[f->found.v[at].block];
	BitSet tells = f->tells;
	uint64_t any = 0;
	f->found.v[at].waits = false;
	for (int j = 0; j < tells.n; j++)
		any |= tells.w[j] = f->found.v[at].near_n.w[j] & ~f->found.v[at].stop.w[j];
	for (int i = 0; i < pred->n && any; i++) {
		int k = find_point(f, pred->v[i]);
		FoundPoint *p = &f->found.v[k];
		uint64_t more = 0;
		bs_union(p->near_x, tells);
		for (int j = 0; j < p->near_x.n; j++) {
			uint64_t n = p->near_n.w[j] | (p->near_x.w[j] & ~p->mod.w[j]);
			more |= n ^ p->near_n.w[j];
			p->near_n.w[j] = n;
		}
		if (more)
			queue_point(f, k);
	}
}

typedef struct PlacedPoint { int place, found; } PlacedPoint;

static int by_slice_place(const void *x, const void *y)
{
	const PlacedPoint *a = x, *b = y;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void fill_point(SliceSearch *f, const FoundPoint *x, int k)
{
	MotionSlice *s = f->s;
	for (int half = 0; half < 2; half++) {
		BitSet near = half ? x->near_x : x->near_n;
		bs_copy(s->set[COMP][2 * k + half], half ? x->last : x->first);
		bs_copy(s->set[MOD][2 * k + half], x->mod);
		if (!half)
			bs_copy(s->set[STOP][2 * k], x->stop);
		for (int j = 0; j < near.n; j++)
			s->set[FAR][2 * k + half].w[j] = ~near.w[j];
	}
}

/* Makes the slice's graph. From the end of a block of which a successor is not in the slice an edge leads to
   slice_outside. */
static void connect_slice(SliceSearch *f)
{
	MotionSlice *s = f->s;
	s->g = graph_new(s->a, 2 * s->n + 1);
	s->order = arena_array(s->a, int, 2 * s->n + 1);
	for (int k = 0; k < s->n; k++) {
		const IntList *succ = &s->p->g->succ[s->block[k]];
		s->order[s->norder++] = 2 * k;
		s->order[s->norder++] = 2 * k + 1;
		graph_edge(s->g, 2 * k, 2 * k + 1);
		for (int i = 0; i < succ->n; i++) {
			int to = f->w->local[succ->v[i]];
			graph_edge(s->g, 2 * k + 1, to >= 0 ? 2 * to : slice_outside(s));
		}
	}
	s->order[s->norder++] = slice_outside(s);
}

static void arrange_slice(SliceSearch *f)
{
	MotionSlice *s = f->s;
	PlacedPoint *list = arena_array(&f->tmp, PlacedPoint, f->found.n + 1);
	s->n = f->found.n;
	s->block = arena_array(s->a, int, s->n + 1);
	for (int k = 0; k < s->n; k++)
		list[k] = (PlacedPoint){ s->p->place[f->found.v[k].block], k };
	if (s->n)
		qsort(list, (size_t)s->n, sizeof *list, by_slice_place);
	for (int name = 0; name <= FAR; name++)
		s->set[name] = flow_sets(s->a, 2 * s->n + 1, s->bits);
	for (int k = 0; k < s->n; k++) {
		s->block[k] = f->found.v[list[k].found].block;
		f->w->local[s->block[k]] = k;
		fill_point(f, &f->found.v[list[k].found], k);
	}
	connect_slice(f);
}

MotionSlice *slice_open(Slicer *w, Arena *a, const int *expr, int n, bool speculates)
{
	MotionSlice *s = arena_new(a, MotionSlice);
	SliceSearch f = { .w = w, .s = s };
	*s = (MotionSlice){ .a = a, .p = w->p, .speculates = speculates, .bits = n, .expr = expr };
	for (int k = 0; k < n; k++)
		w->bit[expr[k]] = k;
	f.tells = bs_new(&f.tmp, n);
	find_stops(&f);
	for (int k = 0; k < n; k++)
		for (int o = w->x->occurrence_first[expr[k]]; o >= 0; o = w->x->occurrence_next[o])
			queue_point(&f, find_point(&f, w->x->occurrence[o].block));
	while (f.todo.n)
		tell_preds(&f, vec_pop(&f.todo));
	arrange_slice(&f);
	forget_stops(&f);
	for (int k = 0; k < s->n; k++)
		w->local[s->block[k]] = -1;
	for (int k = 0; k < n; k++)
		w->bit[expr[k]] = -1;
	vec_free(&f.found);
	vec_free(&f.todo);
	arena_free(&f.tmp);
	return s;
}
