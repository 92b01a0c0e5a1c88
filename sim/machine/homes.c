/* Splits whose lanes have several home warps: dynamic warps. Registers, predicates, scoreboard, return
 * addresses and local memory stay with the home, and a thread has the same lane number everywhere, so the
 * parts of a split have disjoint masks.
 *
 * A warp's list has room for two splits for each lane. It holds the splits that have lanes of this warp only,
 * of which there is at most one for each lane, and splits of several homes that the warp carries. Of the
 * latter there are never more than lanes, because the carrier is the warp with the fewest splits and a block
 * has no more splits than live lanes. */
#include "sim/machine/machine.h"

int reconv_parts(Warp *w, const Split *s, Part *out)
{
	if (!s->parts) {
		out[0] = (Part){ w, s->mask };
		return 1;
	}
	memcpy(out, s->parts->part, sizeof *out * (size_t)s->parts->n);
	return s->parts->n;
}

Mask homes_truth(const Split *s, uint32_t pred)
{
	Mask m = 0;
	each_part(s, p)
		m |= p->home->lanes.pred[pred] & p->mask;
	return m;
}

Warp *homes_of(const Split *s, int lane)
{
	each_part(s, p)
		if (p->mask >> lane & 1)
			return p->home;
	bug("a lane without a home");
}

static Mask lanes_of_home(const Warp *holder, const Split *s, const Warp *home)
{
	if (!s->parts)
		return holder == home ? s->mask : 0;
	each_part(s, p)
		if (p->home == home)
			return p->mask;
	return 0;
}

/* The slots of warps whose splits may have lanes of the home: from the returned one to *to - 1. */
static int slots_that_hold(const Warp *home, int *to)
{
	bool all = home->sm->gpu->model->regroups;
	*to = all ? home->sm->nwarps : home->slot + 1;
	return all ? 0 : home->slot;
}

const Split *homes_split(const Warp *home, int lane)
{
	int to;
	for (int k = slots_that_hold(home, &to); k < to; k++) {
		const Warp *w = &home->sm->warp[k];
		for (int x = 0; w->used && x < w->nsplit; x++)
			if (lanes_of_home(w, &w->split[x], home) >> lane & 1)
				return &w->split[x];
	}
	return NULL;
}

Mask homes_in(const Warp *home, unsigned states)
{
	Mask m = 0;
	int to;
	for (int k = slots_that_hold(home, &to); k < to; k++) {
		const Warp *w = &home->sm->warp[k];
		for (int x = 0; w->used && x < w->nsplit; x++)
			if (states >> w->split[x].state & 1)
				m |= lanes_of_home(w, &w->split[x], home);
	}
	return m;
}

/* ---- where splits lie ---- */

static Parts *parts_new(Sm *sm)
{
	Parts *p = sm->parts;
	if (p)
		sm->parts = p->next;
	else
		p = arena_alloc(&sm->arena, sizeof *p + sizeof *p->part * (size_t)warp_width(sm->gpu));
	p->n = 0;
	return p;
}

static void parts_add(Split *s, const Part *q)
{
	must(!(s->mask & q->mask));
	s->mask |= q->mask;
	for (int k = 0; k < s->parts->n; k++)
		if (s->parts->part[k].home == q->home) {
			s->parts->part[k].mask |= q->mask;
			return;
		}
	s->parts->part[s->parts->n++] = *q;
}

void warp_end_check(Sm *sm, Warp *w)
{
	if (w->live || w->nsplit || w->ending)
		return;
	w->ending = true;
	warp_wake(w);
}

void reconv_remove(Warp *w, Split *s)
{
	Sm *sm = w->sm;
	if (s->parts) {
		s->parts->next = sm->parts;
		sm->parts = s->parts;
	}
	reconv_close_gap(w, s);
	/* the split that issued is gone: there is nothing to which a redirect could be added */
	w->exact = true;
	note_depth(sm, w);
	warp_end_check(sm, w);
}

static Warp *choose_carrier(const Warp *near)
{
	Sm *sm = near->sm;
	Warp *best = NULL;
	int k;
	each_slot(&near->cta->slots, k) {
		Warp *w = &sm->warp[k];
		if (w->live && (!best || w->nsplit < best->nsplit))
			best = w;
	}
	must(best);
	return best;
}

Warp *reconv_form(Warp *near, const Split *like, const Part *part, int n)
{
	Sm *sm = near->sm;
	Warp *w = n == 1 ? part[0].home : choose_carrier(near);
	must(w->nsplit < 2 * w->lanes.width + 2);
	Split *s = &w->split[w->nsplit++];
	*s = *like;
	s->line = s->asked_pc = NO_PC;
	s->mask = n == 1 ? part[0].mask : 0;
	s->parts = n == 1 ? NULL : parts_new(sm);
	for (int k = 0; k < n && n > 1; k++)
		parts_add(s, &part[k]);
	note_depth(sm, w);
	warp_wake(w);
	return w;
}

void reconv_shed(Warp *w, Split *s, Mask m)
{
	(void)w;
	int n = 0;
	s->mask &= ~m;
	s->asked_pc = NO_PC;
	for (int k = 0; s->parts && k < s->parts->n; k++) {
		Part p = s->parts->part[k];
		p.mask &= ~m;
		if (p.mask)
			s->parts->part[n++] = p;
	}
	if (s->parts)
		s->parts->n = n;
}

void reconv_join(Warp *w, Split *s, const Part *part, int n)
{
	s->asked_pc = NO_PC;
	for (int k = 0; k < n; k++) {
		if (!s->parts && part[k].home == w) {
			must(!(s->mask & part[k].mask));
			s->mask |= part[k].mask;
			continue;
		}
		if (!s->parts) {
			s->parts = parts_new(w->sm);
			s->parts->part[s->parts->n++] = (Part){ w, s->mask };
		}
		parts_add(s, &part[k]);
	}
	warp_wake(w);
}

Cycle reconv_redirect(Warp *w, const MIns *i, uint32_t pc)
{
	const Sm *sm = w->sm;
	bool next = i && i + 1 == &w->ins[pc];
	return sm->gpu->options.functional ? sm->now : sm->now + 1 +
		(next ? 0 : (Cycle)sm->gpu->config.fetch_redirect);
}

bool homes_scatter(Sm *sm, Warp *w, Split *s)
{
	if (!homes_scatters(&w->ins[s->pc]) ||
		(!wait_over(&s->wait, sm->now) && !sm->gpu->options.functional))
		return false;
	Part part[64];
	int n = reconv_parts(w, s, part);
	Split like = *s;
	reconv_remove(w, s);
	for (int k = 0; k < n; k++)
		reconv_form(w, &like, &part[k], 1);
	return true;
}
