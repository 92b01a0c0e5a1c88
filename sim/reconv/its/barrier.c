/* Convergence barriers: sets of lanes that wait for each other, named in registers of the threads. */
#include "sim/reconv/its/run.h"

static ConvBarrier *barrier_named(Its *k, uint32_t name) { return &k->barrier[name - 1]; }

/* The first of the barriers that lanes of m name in the register; NULL: they name none. */
static ConvBarrier *first_named(Its *k, Mask m, int reg)
{
	int i = k->first[reg];
	while (i >= 0 && !(k->barrier[i].named & m))
		i = k->barrier[i].next;
	return i < 0 ? NULL : &k->barrier[i];
}

uint32_t its_name(const Its *k, Mask m, int reg, Mask *same)
{
	Mask lowest = m & -m;
	*same = m;
	for (int i = k->first[reg]; i >= 0; i = k->barrier[i].next) {
		if (k->barrier[i].named & lowest) {
			*same = m & k->barrier[i].named;
			return (uint32_t)i + 1;
		}
		*same &= ~k->barrier[i].named;
	}
	return 0;
}

/* The lanes name the barrier in the register. */
static void add_name(Its *k, ConvBarrier *b, Mask m, int reg)
{
	if (!b->named) {
		b->reg = (uint8_t)reg;
		b->next = k->first[reg];
		k->first[reg] = (int)(b - k->barrier);
	}
	must(b->reg == reg);
	b->named |= m;
}

/* The lanes name the barrier in its register no longer. */
static void take_name(Its *k, ConvBarrier *b, Mask m)
{
	if (!(b->named & m))
		return;
	b->named &= ~m;
	if (b->named)
		return;
	int *link = &k->first[b->reg];
	while (*link != b - k->barrier)
		link = &k->barrier[*link].next;
	*link = b->next;
}

static ConvBarrier *new_barrier(Warp *w, Its *k, Mask m)
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
	return &k->barrier[i];
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
static void part_past(Warp *w, Its *k, Mask s, Mask m)
{
	ItsGroup was = *its_past(w, k, lowest_lane(s));
	*its_past(w, k, lowest_lane(s & m)) = *its_past(w, k, lowest_lane(s & ~m)) = was;
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
			part_past(w, reconv_state(w), s->mask, m);
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
		Cycle ready = reconv_now(w) + 1 + (Cycle)k->value[ITS_RELEASE];
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
	b->blocked = 0;
	if (!b->rejoin) {
		b->members = 0;
		take_name(k, b, m);
		let_go(k, b, m);
	}
	const Split *s = its_split(w, lowest_lane(m));
	reconv_count_merge(w, s, s->pc + 1, m);
	groups_go_on(w, k, m);
}

/* At a predicted point lanes may go on when `threshold` of them have come. */
static bool enough_came(const Its *k, Mask m)
{
	/* only spec_reconv has predicted points, and the parameter */
	int64_t n = k->value[ITS_THRESHOLD];
	return n && lane_count(m) >= n;
}

/* Opens the barrier if each lane for which it waits is there, is in `others`, or, with yield_release, has
   yielded; at a predicted point also if enough lanes have come. */
static void try_open(Warp *w, Its *k, ConvBarrier *b, Mask others)
{
	if (!b->blocked)
		return;
	if (k->value[ITS_YIELD_RELEASE])
		others |= k->yielded;
	if (!(b->members & ~b->blocked & ~others) || (b->rejoin && enough_came(k, b->blocked)))
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
	for (int i = 0; i < k->nbarrier; i++) {
		take_name(k, &k->barrier[i], m);
		let_go(k, &k->barrier[i], m);
	}
	for (int i = 0; i < k->nbarrier; i++)
		try_open(w, k, &k->barrier[i], 0);
}

/* All lanes wait in barriers. Those at a predicted point and those in another barrier may wait for each
   other, where lanes have left barriers early (yield_release). A prediction may be wrong, so its lanes go on:
   those of the newest barrier of a predicted point. */
static void open_predicted(Warp *w, Its *k)
{
	ConvBarrier *newest = NULL;
	for (int i = 0; i < k->nbarrier; i++) {
		ConvBarrier *b = &k->barrier[i];
		if (b->rejoin && b->blocked && (!newest || b->made > newest->made))
			newest = b;
	}
	if (newest)
		open_barrier(w, k, newest);
}

void its_last_resort(Warp *w, Its *k)
{
	if (!*reconv_nsplit(w))
		return;
	Mask waiting = splits_waiting(w), for_own = 0;
	each_split(w, s)
		for_own |= s->state == SPLIT_WARPSYNC ? s->mask : 0;
	bool opens = k->value[ITS_YIELD_RELEASE] || k->value[ITS_YIELD_PATIENCE] ||
		for_own == waiting;
	for (int i = 0; i < k->nbarrier && !k->n && opens; i++)
		try_open(w, k, &k->barrier[i], waiting);
	if (!k->n && !waiting)
		open_predicted(w, k);
	must(k->n || waiting);
}

void its_time_out(Warp *w, Its *k)
{
	Cycle limit = (Cycle)k->value[ITS_TIMEOUT];
	for (int i = 0; i < k->nbarrier; i++)
		if (k->barrier[i].blocked && reconv_now(w) - k->barrier[i].since >= limit)
			open_barrier(w, k, &k->barrier[i]);
}

/* ---- operations ---- */

void its_bssy(Warp *w, Its *k, Mask m, int reg)
{
	k->used = reg < k->used ? k->used : reg + 1;
	its_break(w, k, m, reg);
	add_name(k, new_barrier(w, k, m), m, reg);
}

/* The lanes, which name the barrier, leave it. */
static void leave_barrier(Warp *w, Its *k, ConvBarrier *b, Mask m)
{
	take_name(k, b, m);
	let_go(k, b, m);
	try_open(w, k, b, 0);
}

void its_break(Warp *w, Its *k, Mask m, int reg)
{
	Mask same;
	for (Mask left = m, all; left; left &= ~same) {
		uint32_t name = its_name(k, left, reg, &same);
		if (!name)
			continue;
		/* barriers open in the order in which their lanes leave them, the lowest lane first */
		all = barrier_named(k, name)->named & left;
		same = first_named(k, left & ~all, reg) ? left & -left : all;
		leave_barrier(w, k, barrier_named(k, name), same);
	}
}

/* Lanes m of group s begin to wait in the barriers that they name in the register; its other lanes go on. */
static void stop_at_barrier(Warp *w, Its *k, Split *s, Mask m, int reg, bool rejoin)
{
	for (Mask left = m; left;) {
		ConvBarrier *b = first_named(k, left, reg);
		if (!b->blocked)
			b->since = reconv_now(w);
		b->blocked |= b->named & left;
		b->rejoin = rejoin;
		left &= ~b->named;
	}
	its_dequeue(k, s);
	if (s->mask != m) {
		part_past(w, k, s->mask, m);
		split_park(splits_part(w, s, m));
		k->turn = s->mask;
		s->pc++;
		its_enter(w, k, s, false);
		its_enqueue(k, 0, s);
	} else {
		split_park(s);
	}
	for (Mask left = m, same; left; left &= ~same) {
		uint32_t name = its_name(k, left, reg, &same);
		if (name && barrier_named(k, name)->blocked & left & -left)
			try_open(w, k, barrier_named(k, name), 0);
		else
			same = left & -left;
	}
}

void its_bsync(Warp *w, Its *k, Split *s, int reg, bool rejoin)
{
	Mask m = 0;
	for (int i = k->first[reg], next; i >= 0; i = next) {
		ConvBarrier *b = &k->barrier[i];
		Mask here = b->named & s->mask, gone = here & ~b->members;
		next = b->next;
		m |= here & b->members;
		if (gone) { /* the barrier has opened without these lanes */
			take_name(k, b, gone);
			let_go(k, b, gone);
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
	for (Mask left = m, same; left; left &= ~same) {
		uint32_t name = its_name(k, left, reg, &same);
		int l;
		each_lane(same, l)
			row[l] = name;
		if (name)
			take_name(k, barrier_named(k, name), same);
	}
}

void its_restore(Warp *w, Its *k, Mask m, int reg, const uint32_t *row)
{
	int l;
	its_break(w, k, m, reg);
	each_lane(m, l)
		if (row[l])
			add_name(k, barrier_named(k, row[l]), (Mask)1 << l, reg);
}
