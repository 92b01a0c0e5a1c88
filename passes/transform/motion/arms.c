/* If a computation behind a divergent branch is replaced by new ones in both of its arms, a warp that parts
 * there computes the expression twice instead of once. Lazy code motion does that, and if the arms modify the
 * expression, sparse code motion cannot take it back. So a computation that stands behind the place where
 * threads meet again stays if it would read what is new in an arm. */
#include "passes/transform/motion/motion.h"

typedef struct Arms {
	MotionSlice *s;
	Arena tmp;
	/* blocks with the branches that decide, directly or through each other, whether a node is executed;
	   blocks where threads that part at the divergent ones of these meet again */
	Vec(int) depends, met;
	int *seen, *meets, stamp;      /* by block: stamp, if it is in depends; stamp, if it is in met */
	/* nodes to visit: 2 * node, + 1 if threads have met on the way to the node */
	Vec(int) walk;
	BitSet walked;                 /* what has been in walk */
	BitSet bits;
	int spared;                    /* how many computations stay */
} Arms;

static void depends_on(void *self, int branch, int to)
{
	Arms *w = self;
	(void)to;
	if (branch == CONTROL_ENTRY || w->seen[branch] == w->stamp)
		return;
	w->seen[branch] = w->stamp;
	vec_push(&w->depends, branch);
}

/* Fills depends and met for a block. */
static void find_meetings(Arms *w, int block)
{
	const Points *p = w->s->p;
	w->stamp++;
	w->depends.n = w->met.n = 0;
	if (block >= p->c->n)
		depends_on(w, p->from[block], 0);
	else
		control_branches(w->s->p->control, block, depends_on, w);
	for (int k = 0; k < w->depends.n; k++) {
		int b = w->depends.v[k], meet = w->s->p->pdom->idom[b];
		if (p->divergent[b] && meet >= 0 && meet < p->c->n && w->meets[meet] != w->stamp) {
			w->meets[meet] = w->stamp;
			vec_push(&w->met, meet);
		}
		control_branches(w->s->p->control, b, depends_on, w);
	}
}

static void go(Arms *w, int node, bool met)
{
	if (node == slice_outside(w->s))
		return;
	met |= !(node & 1) && w->s->block[node / 2] < w->s->p->c->n &&
		w->meets[w->s->block[node / 2]] == w->stamp;
	int at = 2 * node + met;
	if (bs_has(w->walked, at))
		return;
	bs_add(w->walked, at);
	vec_push(&w->walk, at);
}

static void go_to_successors(Arms *w, int node, bool met)
{
	for (int i = 0; i < w->s->g->succ[node].n; i++)
		go(w, w->s->g->succ[node].v[i], met);
}

/* An expression is newly computed at the node: computations that would read it behind a meeting stay. */
static void spare(Arms *w, int node, int bit)
{
	BitSet *placed = w->s->set[PLACED], *gone = w->s->set[GONE];
	bs_clear(w->walked);
	w->walk.n = 0;
	if (node & 1)
		go_to_successors(w, node, false);
	else
		go(w, node + 1, false);
	while (w->walk.n) {
		int at = vec_pop(&w->walk), x = at / 2;
		if (at & 1 && bs_has(gone[x], bit)) {
			bs_del(gone[x], bit);
			bs_add(placed[x], bit);
			w->spared++;
			if (w->bits.n)
				bs_add(w->bits, bit);
		}
		if (!bs_has(placed[x], bit) && bs_has(w->s->set[WANTED][x], bit) &&
			(x & 1 || !bs_has(w->s->set[MOD][x], bit)))
			go_to_successors(w, x, at & 1);
	}
}

int motion_spare_arms(MotionSlice *s, BitSet bits)
{
	Arms w = { .s = s, .bits = bits };
	w.seen = arena_array(&w.tmp, int, s->p->c->n + 1);
	w.meets = arena_array(&w.tmp, int, s->p->c->n + 1);
	w.walked = bs_new(&w.tmp, 2 * s->g->n);
	for (int node = 0; node < 2 * s->n; node++) {
		bool known = false;
		for (int j = 0; j < s->set[PLACED][node].n; j++)
			for (uint64_t new = s->set[PLACED][node].w[j] & s->set[WANTED][node].w[j] &
				~s->set[COMP][node].w[j]; new; new &= new - 1) {
				if (!known)
					find_meetings(&w, s->block[node / 2]);
				known = true;
				if (w.met.n)
					spare(&w, node, 64 * j + __builtin_ctzll(new));
			}
	}
	vec_free(&w.depends);
	vec_free(&w.met);
	vec_free(&w.walk);
	arena_free(&w.tmp);
	return w.spared;
}
