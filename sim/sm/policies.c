/* Which warp a scheduler issues from: the policies, each a function that offers warps to issue_from_warp in
 * its order until one issues. A warp that sleeps until a later cycle is not tried. */
#include "sim/sm/internal.h"

/* Has the warp at a place waited for a unit alone, and has every copy of it been taken again? Then it sleeps
   on: a try would tell nothing else. */
static inline bool finds_unit_taken(Sm *sm, Sched *d, int k)
{
	return d->wanted[k] && !arbiter_free_copy(sm, d, (Unit)(d->wanted[k] - 1), &d->wake[k]);
}

/* Tries the warp at a place, if it may be ready. */
static inline bool try_place(Sm *sm, Sched *d, int k)
{
	if (d->wake[k] > sm->now || finds_unit_taken(sm, d, k))
		return false;
	Warp *w = &sm->warp[d->order[k]];
	Try t = issue_quick(sm, d, w);
	if (t == TRY_ASLEEP || (t == TRY_NOT && !issue_from_warp(sm, w)))
		return false;
	d->last = d->order[k];
	return true;
}

static inline bool try_slot(Sm *sm, Sched *d, int slot) { return try_place(sm, d, sm->warp[slot].place); }

/* Tries the warps at places from..to-1. */
static inline bool try_places(Sm *sm, Sched *d, int from, int to)
{
	for (int k = from; k < to; k++)
		if (try_place(sm, d, k))
			return true;
	return false;
}

/* Begins with the warp behind the one that issued last, or behind which that one was, and goes round. */
static bool pick_lrr(Sm *sm, Sched *d)
{
	int first = d->last >= 0 ? sm->warp[d->last].place + 1 : d->place_left;
	return try_places(sm, d, first, d->n) || try_places(sm, d, 0, first);
}

static bool pick_gto(Sm *sm, Sched *d)
{
	return (d->last >= 0 && try_slot(sm, d, d->last)) || try_places(sm, d, 0, d->n);
}

static bool pick_gty(Sm *sm, Sched *d)
{
	if (d->last >= 0 && try_slot(sm, d, d->last))
		return true;
	for (int k = d->n - 1; k >= 0; k--)
		if (try_place(sm, d, k))
			return true;
	return false;
}

static bool pick_oldest(Sm *sm, Sched *d) { return try_places(sm, d, 0, d->n); }

void sched_leave_active(Sched *d, int k)
{
	if (d->active[k] == d->last)
		d->active_left = k;
	else if (k < d->active_left)
		d->active_left--;
	memmove(d->active + k, d->active + k + 1, sizeof *d->active * (size_t)(d->nactive - k - 1));
	d->nactive--;
}

static bool pick_two_level(Sm *sm, Sched *d)
{
	int most = (int)sm->gpu->config.sched_active;
	for (int k = 0; k < d->nactive;) { /* warps with long waits leave the active set */
		int place = sm->warp[d->active[k]].place, why = d->wake_why[place];
		bool out = d->wake[place] > sm->now && (why == STALL_MEMORY || why == STALL_FENCE ||
			why == STALL_BARRIER || why == STALL_GRID || why == STALL_FETCH);
		if (out)
			sched_leave_active(d, k);
		else
			k++;
	}
	/* the oldest warps that may be ready come into the active set */
	for (int k = 0; k < d->n && d->nactive < most; k++) {
		bool in = d->wake[k] > sm->now;
		for (int a = 0; a < d->nactive; a++)
			in |= d->active[a] == d->order[k];
		if (!in)
			d->active[d->nactive++] = d->order[k];
	}
	int start = d->active_left;
	for (int k = 0; k < d->nactive; k++)
		if (d->active[k] == d->last)
			start = k + 1;
	for (int k = 0; k < d->nactive; k++)
		if (try_slot(sm, d, d->active[(start + k) % d->nactive]))
			return true;
	return false;
}

/* The mechanism chooses the order in which the warps that do not sleep are tried. */
static bool pick_by_mechanism(Sm *sm, Sched *d)
{
	Warp *all[MOST_WARPS], *list[MOST_WARPS];
	int n = 0;
	for (int k = 0; k < d->n; k++)
		if (d->wake[k] <= sm->now)
			all[n++] = &sm->warp[d->order[k]];
	while (n) {
		/* if they are of several grids, those of one grid first: the grid whose warp comes first in
		   the scheduler's order */
		Share *share = all[0]->share;
		int own = 0, rest = 0;
		for (int k = 0; k < n; k++)
			if (all[k]->share == share)
				list[own++] = all[k];
			else
				all[rest++] = all[k];
		n = rest;
		sm->gpu->model->blocks.order(list, own);
		for (int k = 0; k < own; k++)
			if (try_slot(sm, d, list[k]->slot))
				return true;
	}
	return false;
}

SchedPick *sched_pick(const Gpu *g)
{
	static SchedPick *const pick[SCHED_COUNT] = {
#define X(ID, NAME) [SCHED_##ID] = pick_##NAME,
		SCHED_POLICIES(X)
#undef X
	};
	return g->model->own_slots ? lanes_issue : g->model->blocks.order ? pick_by_mechanism
		: pick[g->config.sched_policy];
}
