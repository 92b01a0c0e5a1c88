/* Finds which convergence barriers are open where, and gives them numbers. Barriers that are open together
   get different numbers. */
#include "sim/reconv/its/place.h"

/* Returns the barriers that are open behind block b; s: those that are open before it. Notes for each BSSY
   which barriers are open around it. Lanes that come to a frame's BSYNC have left the barriers that are open
   only inside the frame; its_solve takes these out on the edge. */
static Chain flow_barriers(Barriers *p, const Block *b, Chain s)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		int o = its_object(i, OWN_BSSY);
		if (o >= 0) {
			Chain outer = chain_union(&p->chains, p->r[o].outer, s);
			p->r[o].outer = chain_remove(&p->chains, outer, its_rank(p, o));
			s = chain_add(&p->chains, s, its_rank(p, o));
		}
		o = its_object(i, OWN_BSYNC);
		if (o < 0)
			o = its_object(i, OWN_BREAK);
		if (o >= 0)
			s = chain_remove(&p->chains, s, its_rank(p, o));
	}
	return s;
}

static bool is_leave(const Barriers *p, const Block *b, int k)
{
	int x = p->first_leave[b->id];
	while (x >= 0 && p->leave.v[x].k != k)
		x = p->leave.v[x].next;
	return x >= 0;
}

Chain its_left(Barriers *p, const Block *b, int k)
{
	int frame = its_object(&b->succ[k]->ins.v[0], OWN_BSYNC);
	must(frame >= 0);
	Chain inside = chain_without(&p->chains, p->out[b->id], p->r[frame].outer);
	return chain_remove(&p->chains, inside, its_rank(p, frame));
}

static void begin_barriers(Barriers *p)
{
	p->cfg = cfg_build(&p->arena, p->f);
	p->chains.arena = &p->arena;
	p->r = arena_array(&p->arena, Object, p->n);
	p->in = arena_array(&p->arena, Chain, p->cfg->n);
	p->out = arena_array(&p->arena, Chain, p->cfg->n);
	p->first_leave = arena_array(&p->arena, int, p->cfg->n);
	for (int b = 0; b < p->cfg->n; b++)
		p->first_leave[b] = -1;
	for (int x = 0; x < p->leave.n; x++) {
		LeaveEdge *e = &p->leave.v[x];
		e->next = p->first_leave[e->from->id];
		p->first_leave[e->from->id] = x;
	}
}

void its_solve(Barriers *p)
{
	begin_barriers(p);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < p->cfg->nreach; i++) {
			Block *b = p->cfg->rpo[i];
			p->out[b->id] = flow_barriers(p, b, p->in[b->id]);
			for (int k = 0; k < b->nsucc; k++) {
				Chain s = p->out[b->id], *in = &p->in[b->succ[k]->id], was = *in;
				if (is_leave(p, b, k))
					s = chain_without(&p->chains, s, its_left(p, b, k));
				*in = chain_union(&p->chains, was, s);
				changed |= *in != was;
			}
		}
	}
}

/* ---- numbers ---- */

/* taken: by number, the `stamp` of the object that last found the number taken; stamp: of the object that is
   being numbered; inner: by object, the numbers of barriers that are opened inside it but were numbered
   before it. */
typedef struct Numbering { int *taken, stamp; IntList *inner; } Numbering;

/* Gives object o the lowest number that is above those of its outer barriers and that no barrier has which is
   open together with it. */
static void give_number(Barriers *p, Numbering *x, int o)
{
	int least = 0;
	x->stamp++;
	chain_each(p->r[o].outer, c) {
		const Object *outer = &p->r[its_at_rank(p, c->v)];
		if (!outer->numbered)
			continue;
		x->taken[outer->number] = x->stamp;
		if (outer->number >= least)
			least = outer->number + 1;
	}
	for (int k = 0; k < x->inner[o].n; k++)
		x->taken[x->inner[o].v[k]] = x->stamp;
	while (x->taken[least] == x->stamp)
		least++;
	p->r[o].number = least;
	p->r[o].numbered = true;
	if (least >= p->most)
		p->most = least + 1;
	chain_each(p->r[o].outer, c) {
		int outer = its_at_rank(p, c->v);
		if (!p->r[outer].numbered)
			list_add(&p->arena, &x->inner[outer], least);
	}
}

static void number_barriers(Barriers *p)
{
	Numbering x = { arena_array(&p->arena, int, p->n + 1), 0, arena_array(&p->arena, IntList, p->n + 1) };
	p->most = 0;
	for (int o = 0; o < p->n; o++)
		p->r[o].numbered = false;
	for (int i = 0; i < p->cfg->nreach; i++) {
		const Block *b = p->cfg->rpo[i];
		for (int k = 0; k < b->ins.n; k++) {
			int o = its_object(&b->ins.v[k], OWN_BSSY);
			if (o >= 0 && !p->r[o].numbered && !p->r[o].idle)
				give_number(p, &x, o);
		}
	}
}

void its_number(Barriers *p)
{
	do
		number_barriers(p);
	while (its_drop_sharing(p));
}
