/* Points behind locks. Lanes that have left a loop in which others wait would hold these up at a barrier that
 * stands in front of what lets them go on: the lane that has a lock would wait, at the end of the loop that
 * takes it, for lanes that wait for the lock. So a barrier that is open in such a loop, and for which lanes
 * wait outside of it, needs something on the way there that may let others go on. If there is nothing, the
 * barrier's BSYNC moves behind the next such instruction, as far as all its lanes come there and nobody else;
 * or it is left out. (Control Flow Management in Modern GPUs, section VI-C, shows where a compiler puts such
 * a BSYNC, behind the release of the lock, and leaves open how it finds the place.) */
#include "sim/reconv/its/place.h"

typedef struct Late {
	Barriers *p;
	EffectTable *effects;
	BitSet frees;                  /* by block id: blocks that may let others go on */
	BitSet inside;                 /* where lanes wait: the blocks of the loop, or that of the call */
} Late;

static bool is_open(const Late *x, const Block *b, int object)
{
	return chain_has(x->p->in[b->id], its_rank(x->p, object)) ||
		chain_has(x->p->out[b->id], its_rank(x->p, object));
}

/* The block that begins with the object's BSYNC; NULL: there are several, or none. */
static Block *bsync_block(const Barriers *p, int object)
{
	Block *found = NULL;
	int n = 0;
	for (int k = 0; k < p->cfg->nreach; k++)
		if (its_object(&p->cfg->rpo[k]->ins.v[0], OWN_BSYNC) == object) {
			found = p->cfg->rpo[k];
			n++;
		}
	return n == 1 ? found : NULL;
}

/* Do lanes come to the barrier's BSYNC inside the loop, or on a way on which they may let others go on? */
static bool harmless(const Late *x, int object)
{
	bool outside = false;
	for (int k = 0; k < x->p->cfg->nreach; k++) {
		const Block *b = x->p->cfg->rpo[k];
		bool in = bs_has(x->inside, b->id);
		if (!in && is_open(x, b, object) && bs_has(x->frees, b->id))
			return true;
		for (int i = 0; i < b->ins.n; i++)
			outside |= !in && its_object(&b->ins.v[i], OWN_BSYNC) == object;
	}
	return !outside;
}

/* The place behind the last instruction of the block that may let others go on: of those that are ordered, if
   there are any. -1: there is none. */
static int behind_free(const Late *x, const Block *b)
{
	int plain = -1, ordered = -1;
	for (int k = 0; k < b->ins.n && bs_has(x->frees, b->id); k++) {
		if (b->ins.v[k].op == OP_OWN)
			continue;
		Effects e = ins_effects(x->effects, &b->ins.v[k]);
		if (its_frees(&e)) {
			plain = k + 1;
			ordered = e.ordered ? k + 1 : ordered;
		}
	}
	return ordered >= 0 ? ordered : plain;
}

/* Does the edge lead out of a frame, to that BSYNC? */
static bool leads_to(const LeaveEdge *e, const Block *sync) { return e->from->succ[e->k] == sync; }

/* Do lanes that leave a frame for this BSYNC leave other barriers on the way? */
static bool leaves_others(Barriers *p, const Block *sync)
{
	for (int k = 0; k < p->leave.n; k++) {
		const LeaveEdge *e = &p->leave.v[k];
		if (leads_to(e, sync) && p->cfg->rpo_index[e->from->id] >= 0 && its_left(p, e->from, e->k))
			return true;
	}
	return false;
}

static void forget_leaves(Barriers *p, const Block *sync)
{
	int n = 0;
	for (int k = 0; k < p->leave.n; k++)
		if (!leads_to(&p->leave.v[k], sync))
			p->leave.v[n++] = p->leave.v[k];
	p->leave.n = n;
}

/* Moves the barrier's BSYNC down the blocks to which all lanes come that came to it, and nobody else. */
static bool move_down(Late *x, int object)
{
	Barriers *p = x->p;
	Block *sync = bsync_block(p, object), *b = sync;
	if (!sync || leaves_others(p, sync))
		return false;
	while (b->nsucc == 1 && p->cfg->npred[b->succ[0]->id] == 1) {
		b = b->succ[0];
		if (its_object(&b->ins.v[0], OWN_BSYNC) >= 0)
			return false;
		int at = behind_free(x, b);
		if (at < 0)
			continue;
		forget_leaves(p, sync);
		edit_insert(&p->l->edit, b, at, edit_remove(&p->l->edit, sync, 0));
		return true;
	}
	return false;
}

/* Looks at the barriers that are open in one place where lanes wait. move: those that would hold lanes up are
   moved, and true says that some were; else they are left out. */
static bool at_place(Late *x, const Spin *spin, bool move)
{
	Barriers *p = x->p;
	bool moved = false;
	Arena tmp = { 0 };
	Loops *loops = loops_build(&tmp, p->cfg);
	int k = spin->call ? -1 : loops->of[spin->at->id];
	x->inside = k < 0 ? bs_new(&tmp, p->cfg->n) : loop_blocks(&tmp, p->cfg, &loops->loop[k]);
	if (k < 0)
		bs_add(x->inside, spin->at->id);
	for (Chain c = p->in[spin->at->id]; c; c = c->next) {
		int o = its_at_rank(p, c->v);
		if (p->r[o].idle || harmless(x, o))
			continue;
		if (move)
			moved |= move_down(x, o);
		else
			p->r[o].idle = true;
	}
	arena_free(&tmp);
	return moved;
}

void its_late_points(Barriers *p, const Spins *spins)
{
	Late x = { .p = p, .effects = effects_build(&p->arena, p->l->module) };
	for (int move = 1; move >= 0; move--) {
		bool moved = false;
		x.frees = bs_new(&p->arena, p->cfg->n);
		for (int k = 0; k < spins->frees.n; k++)
			bs_add(x.frees, spins->frees.v[k]->id);
		for (int k = 0; k < spins->place.n; k++)
			if (spins->place.v[k].waits && !spins->place.v[k].frees)
				moved |= at_place(&x, &spins->place.v[k], move);
		if (moved)
			its_solve(p);
	}
}
