/* Which group of lanes has the turn: the queue of groups that are ready, and the policies that choose from
   it. */
#include "sim/reconv/its/run.h"

void its_enqueue(Its *k, int at, const Split *s)
{
	memmove(k->queue + at + 1, k->queue + at, (size_t)(k->n - at));
	k->queue[at] = (uint8_t)lowest_lane(s->mask);
	k->n++;
}

void its_dequeue(Its *k, const Split *s)
{
	int at = 0;
	while (k->queue[at] != lowest_lane(s->mask))
		at++;
	k->n--;
	memmove(k->queue + at, k->queue + at + 1, (size_t)(k->n - at));
}

int its_ready_place(const Its *k)
{
	return k->value[ITS_ORDER] != ITS_LIFO || !k->n ? k->n : 1;
}

void its_rotate(Warp *w, Its *k)
{
	Split *s = its_split(w, k->queue[0]);
	split_park(s);
	its_dequeue(k, s);
	its_enqueue(k, k->n, s);
}

/* ---- whose turn ---- */

/* Does group a go before group b? If they are equal: no. */
static bool sooner(Warp *w, Its *k, int64_t order, int a, int b)
{
	const Split *x = its_split(w, a), *y = its_split(w, b);
	switch (order) {
	case ITS_OLDEST: return its_past(w, k, a)->ran < its_past(w, k, b)->ran;
	case ITS_MIN_PC: {
		unsigned da = reconv_call_depth(w, x->mask), db = reconv_call_depth(w, y->mask);
		return da != db ? da > db : x->pc < y->pc;
	}
	case ITS_MAX_LANES: return lane_count(x->mask) > lane_count(y->mask);
	default: return false;
	}
}

/* The group of the queue that is to run: the first one with order lifo and fifo, else the best by the order,
   of the groups that have not yielded if there are any. */
static Split *best_group(Warp *w, Its *k)
{
	int64_t order = k->value[ITS_ORDER];
	int best = 0;
	for (int i = 1; i < k->n && order > ITS_FIFO; i++) {
		bool yields = k->yielded >> k->queue[i] & 1, yielded = k->yielded >> k->queue[best] & 1;
		if (yields == yielded ? sooner(w, k, order, k->queue[i], k->queue[best]) : yielded)
			best = i;
	}
	return its_split(w, k->queue[best]);
}

/* The group goes to the head of the queue and runs. */
static void give_turn(Warp *w, Its *k, Split *s)
{
	Cycle now = reconv_now(w), ready = now + 1 + (Cycle)reconv_config(w)->fetch_redirect +
		(Cycle)k->value[ITS_SWITCH];
	its_dequeue(k, s);
	its_enqueue(k, 0, s);
	s->state = SPLIT_RUN;
	if (!(s->mask & k->turn))
		split_not_before(w, s, ready, STALL_DIVERGENCE);
	k->yielded &= ~s->mask;
	k->turn = s->mask;
	k->began = its_past(w, k, lowest_lane(s->mask))->ran = now;
}

void its_choose(Warp *w, Its *k)
{
	/* a first group that is not parked has the turn: it runs, or the core is about to tell that it
	   waits */
	if (k->n && its_split(w, k->queue[0])->state == SPLIT_PARKED)
		give_turn(w, k, best_group(w, k));
}

void its_pass_on(Warp *w, Its *k)
{
	Cycle now = reconv_now(w);
	for (int i = 1; i < k->n; i++) {
		int lane = k->queue[i];
		Split *t = its_split(w, lane);
		if (its_past(w, k, lane)->stalled > now || wait_foreseen(&t->wait, now) > now + 1)
			continue;
		Split *s = its_split(w, k->queue[0]);
		uint8_t why = s->wait.why;
		its_rotate(w, k);
		/* if s gets the turn back before its wait is over, it waits on as before */
		s->wait.why = why;
		its_dequeue(k, t);
		its_enqueue(k, 0, t);
		its_choose(w, k);
		return;
	}
}

/* ---- groups ---- */

/* Whichever lane is the lowest of a group that is made of two: the group's past is the later of both. */
static void join_past(Warp *w, Its *k, Mask into, Mask m)
{
	ItsGroup *a = its_past(w, k, lowest_lane(into)), *b = its_past(w, k, lowest_lane(m));
	a->ran = b->ran = a->ran > b->ran ? a->ran : b->ran;
	a->stalled = b->stalled = a->stalled > b->stalled ? a->stalled : b->stalled;
}

static Split *close_behind(Warp *w, Split *into, Split *s)
{
	join_past(w, reconv_state(w), into->mask, s->mask);
	into -= into > s;
	reconv_close_gap(w, s);
	return into;
}

Split *its_join(Warp *w, Split *into, Split *s)
{
	Split gone = *s;
	into = close_behind(w, into, s);
	split_join(w, into, &gone, gone.mask);
	return into;
}

void its_merge(Warp *w, Its *k)
{
	for (int a = 0; a < k->n; a++)
		for (int b = a + 1; b < k->n; b++) {
			Split *x = its_split(w, k->queue[a]), *y = its_split(w, k->queue[b]);
			if (!split_meets(x, y->pc) || !split_meets(y, y->pc))
				continue;
			k->yielded &= ~(x->mask | y->mask);
			its_dequeue(k, y);
			if (y->state == SPLIT_RUN)
				x->state = SPLIT_RUN;
			Split gone = *y;
			x = close_behind(w, x, y);
			split_merge(w, x, &gone, gone.mask);
			k->queue[a] = (uint8_t)lowest_lane(x->mask);
			b--;
		}
}
