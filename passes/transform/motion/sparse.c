/* Sparse code motion: O. Ruething, J. Knoop and B. Steffen, Sparse Code Motion, POPL 2000; for divergent
 * branches J. Fukuhara's thesis, 4.2.
 *
 * What lazy code motion leaves is computed at RelComp points. A region R of points that are down-safe and not
 * up-safe, with all of these in it, is closed if
 *
 * 	(c1) of a point in R that does not compute it all successors are in R; at a branch where one way is
 * 	enough those that may be
 * 	(c2) a point in R with one predecessor in R has all there, those apart that are up-safe
 *
 * and then it may be computed at the points of R that are entered from outside. Those are to be few: a
 * minimum cut, with a node "n is in R" for each point, which costs what a computation there does, and one "n
 * is in R and needs none", which is worth as much where all predecessors can be in R. So R is the set of
 * smallest cost that is closed under what each of these needs, and of several the smallest one, in which
 * temporaries live shortest.
 *
 * The thesis has (c1) as it is for divergent branches, too, by which its figure 4.6 cannot come out: node 5
 * is not down-safe there. */
#include "passes/transform/motion/mincut.h"
#include "passes/transform/motion/motion.h"

typedef struct Sparse {
	Slice *s;
	const Method *m;
	BitSet *before;                /* COMP as the program has it */
	BitSet taken;                  /* nodes looked at for this bit */
	int bit;
	int *number;                   /* by node: its place in list */
	Vec(int) list;                 /* nodes of one part of the graph that hangs together */
	int ncomp;                     /* how many of these compute it */
	bool turns;                    /* one of these is in a cycle */
	Cut cut;
} Sparse;

static bool has(const Sparse *w, SetName name, int node) { return bs_has(w->s->set[name][node], w->bit); }
static bool may_be(const Sparse *w, int node)
{
	return node != slice_outside(w->s) && has(w, SAFE, node) && !has(w, AVAILABLE, node);
}
static bool entry(const Sparse *w, int node) { return !(node & 1) && !w->s->p->place[w->s->block[node / 2]]; }

/* N -> X, where the block modifies it, leads nowhere. */
static bool through(const Sparse *w, int from, int to) { return from & 1 || !has(w, MOD, to); }

/* A computation here costs BIG, and a little for each cycle around it: of as few computations those that are
   executed less often. */
enum { BIG = 1 << 20, DEEPEST = 8 };

static int64_t cost(const Sparse *w, int node)
{
	int depth = w->m->speculation ? w->s->p->depth[w->s->block[node / 2]] : 0;
	return BIG + (depth ? (int64_t)1 << 2 * (depth < DEEPEST ? depth : DEEPEST) : 0);
}

/* ---- the part of the graph ---- */

static void take(Sparse *w, int node)
{
	if (!may_be(w, node) || bs_has(w->taken, node))
		return;
	bs_add(w->taken, node);
	w->number[node] = w->list.n;
	vec_push(&w->list, node);
	w->ncomp += has(w, COMP, node);
	w->turns |= has(w, COMP, node) && w->s->p->loop[w->s->block[node / 2]] >= 0;
}

/* All points that hang together with this one. */
static void collect(Sparse *w, int node)
{
	const Graph *g = w->s->g;
	w->list.n = w->ncomp = 0;
	w->turns = false;
	take(w, node);
	for (int k = 0; k < w->list.n; k++) {
		int at = w->list.v[k];
		for (int i = 0; i < g->succ[at].n; i++)
			if (through(w, at, g->succ[at].v[i]))
				take(w, g->succ[at].v[i]);
		for (int i = 0; i < g->pred[at].n; i++)
			if (through(w, g->pred[at].v[i], at))
				take(w, g->pred[at].v[i]);
	}
}

/* ---- the cut ---- */

enum { SOURCE, SINK, FIRST };
static int in_region(int k) { return FIRST + 2 * k; }
static int needs_none(int k) { return FIRST + 2 * k + 1; }

/* Every predecessor can be in R or is up-safe. */
static bool may_need_none(const Sparse *w, int node)
{
	const IntList *pred = &w->s->g->pred[node];
	int n = 0;
	for (int i = 0; i < pred->n; i++) {
		if (!through(w, pred->v[i], node) || !(may_be(w, pred->v[i]) ||
			has(w, AVAILABLE, pred->v[i])))
			return false;
		n++;
	}
	return n > 0 && !entry(w, node);
}

static void enter_node(Sparse *w, int k)
{
	int node = w->list.v[k];
	const IntList *pred = &w->s->g->pred[node], *succ = &w->s->g->succ[node];
	bool none = may_need_none(w, node);
	int out = cut_edge(&w->cut, in_region(k), SINK, cost(w, node));
	if (has(w, COMP, node))
		cut_edge(&w->cut, SOURCE, in_region(k), CUT_ENDLESS);
	if (none) { /* what it costs to be in R and what it is worth: most of the flow there is */
		cut_use(&w->cut, cut_edge(&w->cut, SOURCE, needs_none(k), cost(w, node)), cost(w, node));
		cut_use(&w->cut, cut_edge(&w->cut, needs_none(k), in_region(k), CUT_ENDLESS), cost(w, node));
		cut_use(&w->cut, out, cost(w, node));
	}
	for (int i = 0; i < succ->n && !has(w, COMP, node); i++) /* (c1) */
		if (through(w, node, succ->v[i]) && may_be(w, succ->v[i]))
			cut_edge(&w->cut, in_region(k), in_region(w->number[succ->v[i]]), CUT_ENDLESS);
	for (int i = 0; i < pred->n; i++) {                      /* (c2) */
		int p = pred->v[i];
		if (!through(w, p, node) || !may_be(w, p))
			continue;
		if (none)
			cut_edge(&w->cut, needs_none(k), in_region(w->number[p]), CUT_ENDLESS);
		cut_edge(&w->cut, has(w, COMP, p) ? in_region(k) : in_region(w->number[p]),
			none ? needs_none(k) : SINK, CUT_ENDLESS);
	}
}

static bool entered(const Sparse *w, int k)
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

/* The new places, where they cost less than those that there are. */
static void improve(Sparse *w)
{
	int64_t old = 0, new = 0;
	cut_open(&w->cut, FIRST + 2 * w->list.n);
	for (int k = 0; k < w->list.n; k++)
		enter_node(w, k);
	if (cut_solve(&w->cut, SOURCE, SINK) >= CUT_ENDLESS)
		return;
	for (int k = 0; k < w->list.n; k++) {
		old += has(w, COMP, w->list.v[k]) ? cost(w, w->list.v[k]) : 0;
		new += entered(w, k) ? cost(w, w->list.v[k]) : 0;
	}
	if (new >= old)
		return;
	for (int k = 0; k < w->list.n; k++) {
		BitSet placed = w->s->set[PLACED][w->list.v[k]];
		if (entered(w, k))
			bs_add(placed, w->bit);
		else
			bs_del(placed, w->bit);
	}
}

/* ---- all ---- */

/* COMP becomes what lazy code motion leaves, and what it has placed in vain is no longer placed. */
static void renew(Sparse *w)
{
	Slice *s = w->s;
	w->before = s->set[COMP];
	s->set[COMP] = flow_sets(s->a, s->g->n, s->bits);
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < s->set[COMP][node].n; j++)
			s->set[COMP][node].w[j] = s->set[PLACED][node].w[j] &= w->before[node].w[j] |
				s->set[WANTED][node].w[j];
}

static void look_at(Sparse *w, int bit, const int *comp, int n)
{
	w->bit = bit;
	bs_clear(w->taken);
	for (int k = 0; k < n; k++) {
		if (bs_has(w->taken, comp[k]) || !may_be(w, comp[k]))
			continue;
		collect(w, comp[k]);
		if (w->ncomp > 1 || (w->turns && w->m->speculation))
			improve(w);
	}
}

/* By bit, the nodes that compute it, in one list. */
static void look_at_all(Sparse *w, Arena *a)
{
	Slice *s = w->s;
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
		look_at(w, bit, list + first[bit], first[bit + 1] - first[bit]);
}

void motion_thin(Slice *s, const Method *m)
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
