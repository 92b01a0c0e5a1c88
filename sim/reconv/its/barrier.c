/* Convergence barriers: sets of lanes that wait for each other, named in registers of the threads. */
#include "sim/reconv/its/run.h"

static ConvBarrier *barrier_named(Its *k, uint32_t name) { return &k->barrier[name - 1]; }

static uint32_t new_barrier(Warp *w, Its *k, Mask m)
{
	int i = 0;
	if (!k->nfree) {
		k->barrier = reconv_grow(w, k->barrier, k->nbarrier, &k->cap, sizeof *k->barrier);
		i = k->nbarrier++;
	} else {
		while (k->barrier[i].holders)
			i++;
		k->nfree--;
	}
	k->barrier[i] = (ConvBarrier){ .members = m, .holders = m, .made = ++k->made };
	return (uint32_t)i + 1;
}

static void let_go(Its *k, ConvBarrier *b, Mask m)
{
	if (!b->holders)
		return;
	b->members &= ~m;
	b->holders &= ~m;
	k->nfree += !b->holders;
}

/* ---- opening ---- */

/* Lanes m of group s leave it: the past of both parts is that of the group. */
static void part_past(Its *k, Mask s, Mask m)
{
	ItsGroup was = k->group[lowest_lane(s)];
	k->group[lowest_lane(s & m)] = k->group[lowest_lane(s & ~m)] = was;
}

/* Finds the first split that has lanes of m, and makes one group of all lanes of m that wait at its pc; *got:
   the lanes of that group. */
static Split *gather_group(Warp *w, Mask m, Mask *got)
{
	Split *first = NULL;
	*got = 0;
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		Split *s = &reconv_splits(w)[i];
		if (!(s->mask & m) || s == first || (first && s->pc != first->pc))
			continue;
		if (s->mask & ~m) {
			part_past(reconv_state(w), s->mask, m);
			s = splits_part(w, s, s->mask & m);
		}
		*got |= s->mask;
		if (!first) {
			first = s;
		} else {
			first = its_join(w, first, s);
			i--;
		}
	}
	return first;
}

/* Lanes m go on: those that wait at one pc become one group, which stands first in the queue. */
static void groups_go_on(Warp *w, Its *k, Mask m)
{
	for (Mask got; m; m &= ~got) {
		Split *s = gather_group(w, m, &got);
		Cycle ready = reconv_now(w) + 1 + (Cycle)reconv_param(w, ITS_RELEASE);
		split_not_before(w, s, ready, s->wait.why);
		s->pc++;
		split_park(s);
		its_enter(w, k, s, false);
		if (k->n)
			split_permit(w, its_split(w, k->queue[0]), false);
		its_enqueue(k, 0, s);
	}
}

static void open_barrier(Warp *w, Its *k, ConvBarrier *b)
{
	Mask m = b->blocked;
	int l;
	b->blocked = 0;
	if (!b->rejoin) {
		b->members = 0;
		each_lane(m, l)
			k->name[reconv_ins(w, its_split(w, l)->pc)->offset][l] = 0;
		let_go(k, b, m);
	}
	const Split *s = its_split(w, lowest_lane(m));
	reconv_count_merge(w, s, s->pc + 1, m);
	groups_go_on(w, k, m);
}

/* At a predicted point lanes may go on when `threshold` of them have come. */
static bool enough_came(const Warp *w, Mask m)
{
	/* only spec_reconv has predicted points, and the parameter */
	int64_t n = reconv_param(w, ITS_THRESHOLD);
	return n && lane_count(m) >= n;
}

/* Opens the barrier if each lane for which it waits is there, is in `others`, or, with yield_release, has
   yielded; at a predicted point also if enough lanes have come. */
static void try_open(Warp *w, Its *k, ConvBarrier *b, Mask others)
{
	if (!b->blocked)
		return;
	if (its_value(w, ITS_YIELD_RELEASE))
		others |= k->yielded;
	if (!(b->members & ~b->blocked & ~others) || (b->rejoin && enough_came(w, b->blocked)))
		open_barrier(w, k, b);
}

void its_yielded(Warp *w, Its *k, Mask m, bool release)
{
	for (int i = 0; i < k->nbarrier; i++)
		if (k->barrier[i].members & m)
			try_open(w, k, &k->barrier[i], release ? k->yielded : 0);
}

Mask its_newest_members(const Warp *w, const Its *k)
{
	const ConvBarrier *newest = NULL;
	for (int i = 0; i < k->nbarrier; i++)
		if (k->barrier[i].members && (!newest || k->barrier[i].made > newest->made))
			newest = &k->barrier[i];
	return newest ? newest->members : reconv_live(w);
}

void its_ended(Warp *w, Its *k, Mask m)
{
	for (int i = 0; i < k->nbarrier; i++)
		let_go(k, &k->barrier[i], m);
	for (int i = 0; i < k->nbarrier; i++)
		try_open(w, k, &k->barrier[i], 0);
}

void its_last_resort(Warp *w, Its *k)
{
	if (k->n || !*reconv_nsplit(w))
		return;
	Mask waiting = splits_waiting(w), for_own = 0;
	each_split(w, s)
		for_own |= s->state == SPLIT_WARPSYNC ? s->mask : 0;
	bool opens = its_value(w, ITS_YIELD_RELEASE) || its_value(w, ITS_YIELD_PATIENCE) ||
		for_own == waiting;
	for (int i = 0; i < k->nbarrier && !k->n && opens; i++)
		try_open(w, k, &k->barrier[i], waiting);
	must(k->n || waiting);
}

void its_time_out(Warp *w, Its *k)
{
	Cycle limit = (Cycle)its_value(w, ITS_TIMEOUT);
	for (int i = 0; limit && i < k->nbarrier; i++)
		if (k->barrier[i].blocked && reconv_now(w) - k->barrier[i].since >= limit)
			open_barrier(w, k, &k->barrier[i]);
}

/* ---- operations ---- */

void its_bssy(Warp *w, Its *k, Mask m, int reg)
{
	int l;
	k->used = reg < k->used ? k->used : reg + 1;
	its_break(w, k, m, reg);
	uint32_t name = new_barrier(w, k, m);
	each_lane(m, l)
		k->name[reg][l] = name;
}

void its_break(Warp *w, Its *k, Mask m, int reg)
{
	int l;
	each_lane(m, l) {
		uint32_t *name = &k->name[reg][l];
		if (!*name)
			continue;
		ConvBarrier *b = barrier_named(k, *name);
		*name = 0;
		let_go(k, b, (Mask)1 << l);
		try_open(w, k, b, 0);
	}
}

/* Lanes m of group s begin to wait in the barriers that they name in the register; its other lanes go on. */
static void stop_at_barrier(Warp *w, Its *k, Split *s, Mask m, int reg, bool rejoin)
{
	int l;
	each_lane(m, l) {
		ConvBarrier *b = barrier_named(k, k->name[reg][l]);
		if (!b->blocked)
			b->since = reconv_now(w);
		b->blocked |= (Mask)1 << l;
		b->rejoin = rejoin;
	}
	its_dequeue(k, s);
	if (s->mask != m) {
		part_past(k, s->mask, m);
		split_park(splits_part(w, s, m));
		k->turn = s->mask;
		s->pc++;
		its_enter(w, k, s, false);
		its_enqueue(k, 0, s);
	} else {
		split_park(s);
	}
	each_lane(m, l) {
		uint32_t name = k->name[reg][l];
		if (name && barrier_named(k, name)->blocked >> l & 1)
			try_open(w, k, barrier_named(k, name), 0);
	}
}

void its_bsync(Warp *w, Its *k, Split *s, int reg, bool rejoin)
{
	Mask m = 0;
	int l;
	each_lane(s->mask, l) {
		uint32_t *name = &k->name[reg][l];
		if (!*name)
			continue;
		if (barrier_named(k, *name)->members >> l & 1) {
			m |= (Mask)1 << l;
		} else { /* the barrier has opened without this lane */
			let_go(k, barrier_named(k, *name), (Mask)1 << l);
			*name = 0;
		}
	}
	if (m) {
		stop_at_barrier(w, k, s, m, reg, rejoin);
		return;
	}
	s->pc++;
	its_enter(w, k, s, false);
}

void its_save(Its *k, Mask m, int reg, uint32_t *row)
{
	int l;
	each_lane(m, l) {
		row[l] = k->name[reg][l];
		k->name[reg][l] = 0;
	}
}

void its_restore(Warp *w, Its *k, Mask m, int reg, const uint32_t *row)
{
	int l;
	its_break(w, k, m, reg);
	each_lane(m, l)
		k->name[reg][l] = row[l];
}
