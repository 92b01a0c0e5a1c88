#include "tests/sim/record/recount.h"
#include <stdlib.h>
#include <string.h>

typedef struct Parting { int event, side; } Parting;
typedef struct Event { int pc; uint64_t cycle; } Event;
typedef struct Way { int n; Parting step[RECOUNT_DEPTH]; } Way;

typedef struct WarpState {
	uint64_t threads, live;
	Way way[RECOUNT_LANES];
	int pc[RECOUNT_LANES];         /* what the lane executed last, and when */
	uint64_t cycle[RECOUNT_LANES];
} WarpState;

struct Recount {
	const TraceLaunch *launch;
	RecountPc pc[RECOUNT_PCS];
	RecountSum sum;
	Event *event;
	int nevents, cap, sides;
	WarpState *warp[2 * RECOUNT_WARPS]; /* of two SMs at most */
};

Recount *recount_new(const TraceLaunch *l)
{
	Recount *r = xcalloc(1, sizeof *r);
	r->launch = l;
	return r;
}

void recount_free(Recount *r)
{
	for (int k = 0; k < 2 * RECOUNT_WARPS; k++)
		free(r->warp[k]);
	free(r->event);
	free(r);
}

const RecountPc *recount_at(const Recount *r, int pc) { return &r->pc[pc]; }
const RecountSum *recount_sum(const Recount *r) { return &r->sum; }

static bool in(uint64_t m, int lane) { return m >> lane & 1; }

static bool same_way(const Way *a, const Way *b)
{
	return a->n == b->n && !memcmp(a->step, b->step, sizeof *a->step * (size_t)a->n);
}

static uint64_t group_of(const WarpState *w, int lane)
{
	uint64_t m = 0;
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(w->live, l) && same_way(&w->way[l], &w->way[lane]))
			m |= (uint64_t)1 << l;
	return m;
}

static int event_new(Recount *r, int pc, uint64_t cycle)
{
	if (r->nevents == r->cap)
		r->event = xrealloc(r->event, sizeof *r->event * (size_t)(r->cap = r->cap ? r->cap * 2 : 64));
	r->event[r->nevents] = (Event){ pc, cycle };
	r->pc[pc].partings++;
	return r->nevents++;
}

static void go(WarpState *w, uint64_t m, int event, int side, bool again)
{
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(m, l)) {
			Way *way = &w->way[l];
			way->n -= again;
			must(way->n < RECOUNT_DEPTH);
			way->step[way->n++] = (Parting){ event, side };
		}
}

/* Lanes of one group issue without the others of it. */
static void part(Recount *r, WarpState *w, int lane, uint64_t m)
{
	uint64_t group = group_of(w, lane);
	const Way *way = &w->way[lane];
	if (!(group & ~m))
		return;
	int last = way->n ? way->step[way->n - 1].event : -1;
	bool again = last >= 0 && r->event[last].pc == w->pc[lane] && r->event[last].cycle == w->cycle[lane];
	int event = again ? last : event_new(r, w->pc[lane], w->cycle[lane]);
	go(w, group & m, event, ++r->sides, again);
	go(w, group & ~m, event, ++r->sides, again);
}

/* The way of the one that has parted last. */
static void meet(Recount *r, WarpState *w, uint64_t m)
{
	int first = __builtin_ctzll(m), latest = first;
	bool apart = false;
	for (int l = 0; l < RECOUNT_LANES; l++)
		apart |= in(m, l) && !same_way(&w->way[l], &w->way[first]);
	if (!apart)
		return;
	r->sum.meetings++;
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(m, l) && r->event[w->way[l].step[w->way[l].n - 1].event].cycle >
			r->event[w->way[latest].step[w->way[latest].n - 1].event].cycle)
			latest = l;
	const Way way = w->way[latest];
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(m, l))
			w->way[l] = way;
}

static int step_of(const Way *way, int event)
{
	for (int k = 0; k < way->n; k++)
		if (way->step[k].event == event)
			return k;
	return -1;
}

/* Is this parting over: lanes of one side alone are left in it? */
static bool over(const WarpState *w, Parting p)
{
	for (int l = 0; l < RECOUNT_LANES; l++) {
		int k = in(w->live, l) ? step_of(&w->way[l], p.event) : -1;
		if (k >= 0 && w->way[l].step[k].side != p.side)
			return false;
	}
	return true;
}

static void leave(WarpState *w, int event)
{
	for (int l = 0; l < RECOUNT_LANES; l++) {
		Way *way = &w->way[l];
		int k = in(w->live, l) ? step_of(way, event) : -1;
		if (k < 0)
			continue;
		way->n--;
		memmove(way->step + k, way->step + k + 1, sizeof *way->step * (size_t)(way->n - k));
	}
}

/* Looks at the partings in these ways of the lanes: as they are, or as they were before, for a parting may be in none of them now. */
static void end_partings(Recount *r, WarpState *w, const Way *ways, uint64_t lanes, uint64_t cycle)
{
	for (int l = 0; l < RECOUNT_LANES; l++)
		for (int k = 0; in(lanes, l) && k < ways[l].n; k++) {
			Parting p = ways[l].step[k];
			Event *e = &r->event[p.event];
			int holder = -1;
			for (int x = 0; x < RECOUNT_LANES && holder < 0; x++)
				if (in(w->live, x) && step_of(&w->way[x], p.event) >= 0)
					holder = x;
			if (e->pc < 0 || (holder >= 0 && !over(w, w->way[holder].step[step_of(&w->way[holder], p.event)])))
				continue;
			r->pc[e->pc].cycles += cycle - e->cycle;
			leave(w, p.event);
			e->pc = -1; /* counted */
		}
}

/* Where lanes a and b last parted: the first step that they took apart. */
static int parted_at(const Recount *r, const WarpState *w, int a, int b)
{
	const Way *x = &w->way[a], *y = &w->way[b];
	int k = 0;
	while (x->step[k].side == y->step[k].side && x->step[k].event == y->step[k].event)
		k++;
	must(k < x->n && k < y->n && x->step[k].event == y->step[k].event);
	return r->event[x->step[k].event].pc;
}

static void charge(Recount *r, const WarpState *w, uint64_t m, bool added)
{
	for (int l = 0; l < r->launch->warp_size; l++) {
		if (!in(w->threads, l))
			r->sum.no_thread[added]++;
		else if (!in(w->live, l))
			r->sum.ended[added]++;
		else if (!m)
			r->pc[w->pc[l]].lost[added]++;
		else if (!in(m, l))
			r->pc[parted_at(r, w, l, __builtin_ctzll(m))].lost[added]++;
	}
}

static void issue(Recount *r, WarpState *w, const TraceEvent *e)
{
	uint64_t m = e->mask;
	static Way before[RECOUNT_LANES];
	memcpy(before, w->way, sizeof before);
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(m, l))
			part(r, w, l, m);
	if (m)
		meet(r, w, m);
	end_partings(r, w, before, w->live, e->cycle);
	memcpy(before, w->way, sizeof before);
	end_partings(r, w, before, w->live, e->cycle);
	charge(r, w, m, r->launch->ins[e->a].overhead);
	for (int l = 0; l < RECOUNT_LANES; l++)
		if (in(m, l)) {
			w->pc[l] = (int)e->a;
			w->cycle[l] = e->cycle;
		}
}

void recount_event(Recount *r, const TraceEvent *e)
{
	static Way before[RECOUNT_LANES];
	must(r->launch->nins <= RECOUNT_PCS && e->sm < 2 && e->warp < RECOUNT_WARPS);
	WarpState **w = &r->warp[e->sm * RECOUNT_WARPS + e->warp];
	if (e->kind == TR_WARP_START) {
		free(*w);
		*w = xcalloc(1, sizeof **w);
		(*w)->threads = (*w)->live = e->mask;
		for (int l = 0; l < RECOUNT_LANES; l++)
			(*w)->cycle[l] = e->cycle;
	} else if (e->kind == TR_ISSUE) {
		issue(r, *w, e);
	} else if (e->kind == TR_EXIT) {
		uint64_t lanes = (*w)->live;
		memcpy(before, (*w)->way, sizeof before);
		(*w)->live &= ~e->mask;
		end_partings(r, *w, before, lanes, e->cycle);
	}
}
