/* Sparse code motion: O. Ruething, J. Knoop and B. Steffen, Sparse Code Motion, POPL 2000; for divergent
 * branches J. Fukuhara's thesis, 4.2.
 *
 * Lazy code motion leaves computations of an expression at some points (RelComp). Let R be a region that
 * contains all of these, of points that are down-safe and not up-safe. R is closed if
 *
 * 	(c1) for each point in R that does not compute the expression all successors are in R; at a branch at
 * 	which one way is enough, those successors that are down-safe and not up-safe
 * 	(c2) for each point in R of which one predecessor is in R all predecessors are in R, except those that
 * 	are up-safe
 *
 * If R is closed, the expression may be computed just at those points of R that are entered from outside. A
 * minimum cut makes them few. Its graph has two nodes for each point n: "n is in R", which costs what a
 * computation at n costs, and, if all predecessors of n can be in R, "n is in R and needs no computation",
 * which is worth as much. So R is the set of the smallest cost that is closed under what these nodes need of
 * each other, and of several such sets the smallest one, in which temporaries live shortest.
 *
 * The thesis keeps (c1) as it is for divergent branches. From that its figure 4.6 cannot result: node 5 is
 * not down-safe there. */
#include "passes/transform/motion/mincut.h"
#include "passes/constants.h"
#include "passes/transform/motion/motion.h"

typedef struct Sparse {
	MotionSlice *s;
	const Method *m;
	BitSet *before;                /* COMP of the slice: what the program computes before motion */
	BitSet taken;                  /* nodes that have been in list for this bit */
	int bit;                       /* the expression at hand */
	int *number;                   /* by node: its place in list */
	Vec(int) list;                 /* nodes of one connected part of the graph */
	int ncomp;                     /* how many nodes in list compute the expression */
	bool turns;                    /* one of those that compute it is in a cycle */
	Cut cut;
} Sparse;

static bool node_has(const Sparse *w, SetName name, int node)
{
	return bs_has(w->s->set[name][node], w->bit);
}

static bool may_be(const Sparse *w, int node)
{
	return node != slice_outside(w->s) && node_has(w, SAFE, node) && !node_has(w, AVAILABLE, node);
}
static bool entry(const Sparse *w, int node) { return !(node & 1) && !w->s->p->place[w->s->block[node / 2]]; }

/* Does the edge count? One from N to X of a block that modifies the expression does not. */
static bool through(const Sparse *w, int from, int to) { return from & 1 || !node_has(w, MOD, to); }

/* A computation at a node costs CUT_PLACE and, if the method speculates, a little more the more cycles are
   around it (CUT_LEVELS of them at most): of two solutions with as many computations the one is chosen in
   which they are executed less often. */
static int64_t cost(const Sparse *w, int node)
{
	int depth = w->m->speculation ? w->s->p->depth[w->s->block[node / 2]] : 0;
	return CUT_PLACE + (depth ? (int64_t)1 << 2 * (depth < CUT_LEVELS ? depth : CUT_LEVELS) : 0);
}

/* ---- the part of the graph ---- */

static void take_node(Sparse *w, int node)
{
	if (!may_be(w, node) || bs_has(w->taken, node))
		return;
	bs_add(w->taken, node);
	w->number[node] = w->list.n;
	vec_push(&w->list, node);
	w->ncomp += node_has(w, COMP, node);
	w->turns |= node_has(w, COMP, node) && w->s->p->loop[w->s->block[node / 2]] >= 0;
}

/* Fills list with all nodes that are connected with this one. */
static void collect_connected(Sparse *w, int node)
{
	const Graph *g = w->s->g;
	w->list.n = w->ncomp = 0;
	w->turns = false;
	take_node(w, node);
	for (int k = 0; k < w->list.n; k++) {
		int at = w->list.v[k];
		for (int i = 0; i < g->succ[at].n; i++)
			if (through(w, at, g->succ[at].v[i]))
				take_node(w, g->succ[at].v[i]);
		for (int i = 0; i < g->pred[at].n; i++)
			if (through(w, g->pred[at].v[i], at))
				take_node(w, g->pred[at].v[i]);
	}
}

/* ---- the cut ---- */

enum { SOURCE, SINK, FIRST };
static int in_region(int k) { return FIRST + 2 * k; }
static int needs_none(int k) { return FIRST + 2 * k + 1; }

/* May the node be in R and need no computation? Every predecessor can be in R, or is up-safe. */
static bool may_need_none(const Sparse *w, int node)
{
	const IntList *pred = &w->s->g->pred[node];
	int n = 0;
	for (int i = 0; i < pred->n; i++) {
		if (!through(w, pred->v[i], node) || !(may_be(w, pred->v[i]) ||
			node_has(w, AVAILABLE, pred->v[i])))
			return false;
		n++;
	}
	return n > 0 && !entry(w, node);
}

static void enter_cut_node(Sparse *w, int k)
{
	int node = w->list.v[k];
	const IntList *pred = &w->s->g->pred[node], *succ = &w->s->g->succ[node];
	bool none = may_need_none(w, node);
	int out = cut_edge(&w->cut, in_region(k), SINK, cost(w, node));
	if (node_has(w, COMP, node))
		cut_edge(&w->cut, SOURCE, in_region(k), CUT_ENDLESS);
	/* send the flow of what the node costs and is worth at once: that is most of all flow */
	if (none) {
		cut_use(&w->cut, cut_edge(&w->cut, SOURCE, needs_none(k), cost(w, node)), cost(w, node));
		cut_use(&w->cut, cut_edge(&w->cut, needs_none(k), in_region(k), CUT_ENDLESS), cost(w, node));
		cut_use(&w->cut, out, cost(w, node));
	}
	for (int i = 0; i < succ->n && !node_has(w, COMP, node); i++) /* condition (c1) */
		if (through(w, node, succ->v[i]) && may_be(w, succ->v[i]))
			cut_edge(&w->cut, in_region(k), in_region(w->number[succ->v[i]]), CUT_ENDLESS);
	for (int i = 0; i < pred->n; i++) { /* condition (c2) */
		int p = pred->v[i];
		if (!through(w, p, node) || !may_be(w, p))
			continue;
		if (none)
			cut_edge(&w->cut, needs_none(k), in_region(w->number[p]), CUT_ENDLESS);
		cut_edge(&w->cut, node_has(w, COMP, p) ? in_region(k) : in_region(w->number[p]),
			none ? needs_none(k) : SINK, CUT_ENDLESS);
	}
}

static bool is_cut_entered(const Sparse *w, int k)
{
	const IntList *pred = &w->s->g->pred[w->list.v[k]];
	if (!cut_inside(&w->cut, in_region(k)))
		return false;
	if (!may_need_none(w, w->list.v[k]))
		return true;
	for (int i = 0; i < pred->n; i++)
		if (may_be(w, pred->v[i]) && !cut_inside(&w->cut, in_region(w->number[pred->v[i]])))
			return true;
	return false;
}

/* Solves the cut for the nodes in list, and takes the new places if they cost less than those so far. */
static void improve(Sparse *w)
{
	int64_t old = 0, new = 0;
	cut_open(&w->cut, FIRST + 2 * w->list.n);
	for (int k = 0; k < w->list.n; k++)
		enter_cut_node(w, k);
	if (cut_solve(&w->cut, SOURCE, SINK) >= CUT_ENDLESS)
		return;
	for (int k = 0; k < w->list.n; k++) {
		old += node_has(w, COMP, w->list.v[k]) ? cost(w, w->list.v[k]) : 0;
		new += is_cut_entered(w, k) ? cost(w, w->list.v[k]) : 0;
	}
	if (new >= old)
		return;
	for (int k = 0; k < w->list.n; k++) {
		BitSet placed = w->s->set[PLACED][w->list.v[k]];
		if (is_cut_entered(w, k))
			bs_add(placed, w->bit);
		else
			bs_del(placed, w->bit);
	}
}

/* ---- all ---- */

/* Keeps COMP in `before`, and lets it be the computations that lazy code motion leaves. Computations that
   were placed and that nobody reads are no longer placed. */
static void renew(Sparse *w)
{
	MotionSlice *s = w->s;
	w->before = s->set[COMP];
	s->set[COMP] = flow_sets(s->a, s->g->n, s->bits);
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < s->set[COMP][node].n; j++)
			s->set[COMP][node].w[j] = s->set[PLACED][node].w[j] &= w->before[node].w[j] |
				s->set[WANTED][node].w[j];
}

static void look_at_bit(Sparse *w, int bit, const int *comp, int n)
{
	w->bit = bit;
	bs_clear(w->taken);
	for (int k = 0; k < n; k++) {
		if (bs_has(w->taken, comp[k]) || !may_be(w, comp[k]))
			continue;
		collect_connected(w, comp[k]);
		if (w->ncomp > 1 || (w->turns && w->m->speculation))
			improve(w);
	}
}

/* Looks at all expressions: lists by bit the nodes that compute each of them. */
static void look_at_all(Sparse *w, Arena *a)
{
	MotionSlice *s = w->s;
	int *first = arena_array(a, int, s->bits + 2), n = 0;
	for (int node = 0; node < 2 * s->n; node++)
		bs_each(s->set[COMP][node], bit) {
			first[bit + 2]++;
			n++;
		}
	for (int bit = 0; bit < s->bits; bit++)
		first[bit + 2] += first[bit + 1];
	int *list = arena_array(a, int, n + 1);
	for (int node = 0; node < 2 * s->n; node++)
		bs_each(s->set[COMP][node], bit)
			list[first[bit + 1]++] = node;
	for (int bit = 0; bit < s->bits; bit++)
		look_at_bit(w, bit, list + first[bit], first[bit + 1] - first[bit]);
}

void motion_thin(MotionSlice *s, const Method *m)
{
	Arena tmp = { 0 };
	Sparse w = { .s = s, .m = m, .taken = bs_new(&tmp, s->g->n),
		.number = arena_array(&tmp, int, s->g->n) };
	renew(&w);
	motion_safe(s, m);
	look_at_all(&w, &tmp);
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < w.before[node].n; j++)
			s->set[GONE][node].w[j] = w.before[node].w[j] & ~s->set[PLACED][node].w[j];
	s->set[COMP] = w.before;
	vec_free(&w.list);
	cut_close(&w.cut);
	arena_free(&tmp);
}
