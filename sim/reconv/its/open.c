/* Which convergence barriers are open where, and their numbers. Barriers that are open together get different ones. */
#include "sim/reconv/its/place.h"

/* s: barriers open before block b; becomes those open behind it. Lanes that come to a frame's BSYNC have left the barriers that are open only inside. */
static void flow_block(Barriers *p, const Block *b, BitSet s)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		int o = its_object(i, OWN_BSSY);
		if (o >= 0) {
			bs_union(p->r[o].outer, s);
			bs_del(p->r[o].outer, o);
			bs_add(s, o);
		}
		o = its_object(i, OWN_BSYNC);
		if (o < 0)
			o = its_object(i, OWN_BREAK);
		if (o >= 0)
			bs_del(s, o);
	}
}

static bool is_leave(const Barriers *p, const Block *b, int k)
{
	for (int x = 0; x < p->leave.n; x++)
		if (p->leave.v[x].from == b && p->leave.v[x].k == k)
			return true;
	return false;
}

void its_left(Barriers *p, const Block *b, int k, BitSet s)
{
	int frame = its_object(&b->succ[k]->ins.v[0], OWN_BSYNC);
	must(frame >= 0);
	bs_copy(s, p->out[b->id]);
	bs_del(s, frame);
	bs_each(p->r[frame].outer, o)
		bs_del(s, o);
}

void its_solve(Barriers *p)
{
	p->cfg = cfg_build(&p->arena, p->f);
	p->r = arena_array(&p->arena, Object, p->n);
	for (int o = 0; o < p->n; o++)
		p->r[o].outer = bs_new(&p->arena, p->n);
	p->in = arena_array(&p->arena, BitSet, p->cfg->n);
	p->out = arena_array(&p->arena, BitSet, p->cfg->n);
	for (int b = 0; b < p->cfg->n; b++) {
		p->in[b] = bs_new(&p->arena, p->n);
		p->out[b] = bs_new(&p->arena, p->n);
	}
	BitSet s = bs_new(&p->arena, p->n);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < p->cfg->nreach; i++) {
			Block *b = p->cfg->rpo[i];
			bs_copy(s, p->in[b->id]);
			flow_block(p, b, s);
			bs_copy(p->out[b->id], s);
			for (int k = 0; k < b->nsucc; k++) {
				bs_copy(s, p->out[b->id]);
				if (is_leave(p, b, k)) {
					BitSet gone = bs_new(&p->arena, p->n);
					its_left(p, b, k, gone);
					bs_each(gone, o)
						bs_del(s, o);
				}
				changed |= bs_union(p->in[b->succ[k]->id], s);
			}
		}
	}
}

/* ---- numbers ---- */

static void number_barriers(Barriers *p)
{
	bool *taken = arena_array(&p->arena, bool, p->n + 1);
	p->most = 0;
	for (int o = 0; o < p->n; o++)
		p->r[o].numbered = false;
	for (int i = 0; i < p->cfg->nreach; i++) {
		const Block *b = p->cfg->rpo[i];
		for (int k = 0; k < b->ins.n; k++) {
			int o = its_object(&b->ins.v[k], OWN_BSSY);
			if (o < 0 || p->r[o].numbered || p->r[o].idle)
				continue;
			memset(taken, 0, sizeof *taken * (size_t)(p->n + 1));
			for (int x = 0; x < p->n; x++)
				if (p->r[x].numbered && its_together(p, o, x))
					taken[p->r[x].number] = true;
			int least = 0;
			bs_each(p->r[o].outer, x) /* the outer ones have the lower numbers */
				if (p->r[x].numbered && p->r[x].number >= least)
					least = p->r[x].number + 1;
			while (taken[least])
				least++;
			p->r[o].number = least;
			p->r[o].numbered = true;
			if (least >= p->most)
				p->most = least + 1;
		}
	}
}

void its_number(Barriers *p)
{
	do
		number_barriers(p);
	while (its_drop_sharing(p));
}
