/* Independent thread scheduling with convergence barriers (Volta and later).
 *
 * Every thread has a pc; lanes with one pc that came there together are a group, a split of the core's. One group of a
 * warp has the turn, the others that are ready are parked. A barrier is a set of lanes that wait for each other: BSSY
 * makes one of the lanes that run and names it in a barrier register, BSYNC waits until all of its lanes wait there,
 * BREAK and EXIT take lanes out of it, YIELD passes the turn on and, in patent US10067768, lets barriers open without the
 * lanes that yield. Threads know their barriers by registers of their own, B0 to B15, so that groups that are apart can
 * use the same number; BMOV saves and restores them. Where all this goes is decided in its_place.c.
 *
 * Counted: depth = groups that are ready, the running one included; merges = barriers that opened, whatever they opened
 * for; no pushes and pops. */
#include "sim/reconv/its.h"

static const ConfigKey params[] = { ITS_KEYS };

int64_t its_knob(ItsParam p, int64_t policy, int64_t set)
{
	static const int64_t preset[2][ITS_MERGE + 1] = {
		{ /* its_fair */
			[ITS_FIRST] = ITS_FALLTHROUGH, [ITS_ORDER] = ITS_FIFO, [ITS_YIELD] = ITS_YIELD_SPIN, [ITS_YIELD_RELEASE] = 1,
			[ITS_YIELD_AFTER] = 8, [ITS_SWITCH_SLEEP] = 1, [ITS_TIMER] = 10000,
		},
		{ /* volta_lifo */
			[ITS_FIRST] = ITS_FALLTHROUGH, [ITS_ORDER] = ITS_LIFO, [ITS_YIELD] = ITS_YIELD_SPIN, [ITS_YIELD_RELEASE] = 1,
			[ITS_YIELD_AFTER] = 1, [ITS_SWITCH_SLEEP] = 1,
		},
	};
	bool number = p == ITS_YIELD_AFTER || p == ITS_SWITCH_STALL || p == ITS_TIMER || p == ITS_TIMEOUT;
	if (set == (number ? -1 : 0))
		return preset[policy][p];
	return number ? set : set - 1;
}

static int64_t knob(const Warp *w, ItsParam p) { return its_knob(p, reconv_param(w, ITS_POLICY), reconv_param(w, p)); }

/* ---- state ---- */

typedef struct Barrier {
	Mask members;                  /* lanes that it waits for; empty: it has opened, or is free */
	Mask holders;                  /* lanes that may still name it: members, and those it has opened without */
	Mask blocked;                  /* members that wait at BSYNC */
	Cycle since;                   /* when the first of them came */
	bool rejoin;                   /* those who wait stay members: a predicted point */
} Barrier;

typedef struct Group {                 /* of lanes, known by the lowest one */
	Cycle ran;                     /* when it last had the turn */
	Cycle stalled;                 /* its next instruction was found to wait until then */
	Mask spins;                    /* at its last YIELD: the lanes, the place, how often in a row */
	uint32_t spin_pc, nspin;
} Group;

typedef struct Its {
	int n;
	uint8_t queue[64];             /* groups that are ready, by lowest lane; [0] has the turn */
	int turn;                      /* lowest lane of the group that had it last */
	Cycle began;                   /* when it got it */
	Mask yielded;                  /* lanes that have yielded and not run since */
	Mask in_block;                 /* lanes that are in a block of the source, not of lowering */
	int nbarrier, cap, nfree;
	Barrier *barrier;              /* [name - 1] */
	Group group[64];
	uint32_t name[][64];           /* [register][lane]: a barrier, 0 = none */
} Its;

size_t its_state_size(const Config *c) { return sizeof(Its) + sizeof(uint32_t) * ITS_REGS * 64; }
int its_depth(const Warp *w) { return ((Its *)reconv_state((Warp *)w))->n; }

static int lowest(Mask m) { return __builtin_ctzll(m); }
static int lane_total(Mask m) { return __builtin_popcountll(m); }

static Split *split_of(Warp *w, int lane)
{
	Split *s = reconv_splits(w);
	while (!(s->mask >> lane & 1))
		s++;
	return s;
}

/* ---- the queue ---- */

static void enqueue(Its *k, int at, int lane)
{
	memmove(k->queue + at + 1, k->queue + at, (size_t)(k->n - at));
	k->queue[at] = (uint8_t)lane;
	k->n++;
}

static void dequeue(Its *k, int lane)
{
	int at = 0;
	while (k->queue[at] != lane)
		at++;
	k->n--;
	memmove(k->queue + at, k->queue + at + 1, (size_t)(k->n - at));
}

/* Where a group that becomes ready stands: next, or last. */
static int place(const Warp *w, const Its *k)
{
	return knob(w, ITS_ORDER) != ITS_LIFO || !k->n ? k->n : 1;
}

static void park(Split *s)
{
	s->state = SPLIT_PARKED;
	s->why = STALL_DIVERGENCE;
}

/* The turn is to pass on: the running group stands last. */
static void rotate(Warp *w, Its *k)
{
	int lane = k->queue[0];
	park(split_of(w, lane));
	memmove(k->queue, k->queue + 1, (size_t)(k->n - 1));
	k->queue[k->n - 1] = (uint8_t)lane;
}

/* Is a to run before b? Equal: no. */
static bool sooner(Warp *w, const Its *k, int64_t order, int a, int b)
{
	const Split *x = split_of(w, a), *y = split_of(w, b);
	switch (order) {
	case ITS_OLDEST: return k->group[a].ran < k->group[b].ran;
	case ITS_MIN_PC: {
		unsigned da = reconv_call_depth(w, x->mask), db = reconv_call_depth(w, y->mask);
		return da != db ? da > db : x->pc < y->pc;
	}
	case ITS_MAX_LANES: return lane_total(x->mask) > lane_total(y->mask);
	default: return false;
	}
}

/* Someone gets the turn, if nobody has it. */
static void choose(Warp *w, Its *k)
{
	if (!k->n || split_of(w, k->queue[0])->state != SPLIT_PARKED) /* it runs, or the core is about to say that it waits */
		return;
	int64_t order = knob(w, ITS_ORDER);
	int best = 0;
	for (int i = 1; i < k->n && order > ITS_FIFO; i++) { /* who has just yielded stands last and waits for the others */
		bool yields = k->yielded >> k->queue[i] & 1, yielded = k->yielded >> k->queue[best] & 1;
		if (yields == yielded ? sooner(w, k, order, k->queue[i], k->queue[best]) : yielded)
			best = i;
	}
	int lane = k->queue[best];
	dequeue(k, lane);
	enqueue(k, 0, lane);
	Split *s = split_of(w, lane);
	Cycle now = reconv_now(w), ready = now + 1 + (Cycle)reconv_config(w)->fetch_redirect + (Cycle)reconv_param(w, ITS_SWITCH);
	s->state = SPLIT_RUN;
	if (s->ready < ready && lane != k->turn) {
		s->ready = ready;
		s->why = STALL_DIVERGENCE;
	}
	k->yielded &= ~s->mask;
	k->turn = lane;
	k->began = k->group[lane].ran = now;
}

/* ---- barriers ---- */

static Barrier *named(Its *k, uint32_t name) { return &k->barrier[name - 1]; }

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
	k->barrier[i] = (Barrier){ .members = m, .holders = m };
	return (uint32_t)i + 1;
}

static void let_go(Its *k, Barrier *b, Mask m)
{
	if (!b->holders)
		return;
	b->members &= ~m;
	b->holders &= ~m;
	k->nfree += !b->holders;
}

/* The split of lanes that had parted from s already: s keeps the others. */
static Split *part_off(Warp *w, Split *s, Mask m)
{
	Split *all = reconv_splits(w), *t = &all[(*reconv_nsplit(w))++];
	*t = *s;
	t->mask = m;
	s->mask &= ~m;
	return t;
}

/* s becomes part of `into`, which may move in the list. */
static Split *join(Warp *w, Split *into, Split *s)
{
	into->mask |= s->mask;
	if (into->ready < s->ready) {
		into->ready = s->ready;
		into->wait = s->wait;
	}
	into -= into > s;
	reconv_close_gap(w, s);
	return into;
}

/* The group has come to s->pc, by a jump or straight on: in a block of the source? */
static void enter(Warp *w, Its *k, const Split *s, bool jump)
{
	if (reconv_ins(w, s->pc)->flags & MI_BLOCK_START)
		k->in_block |= s->mask;
	else if (jump)
		k->in_block &= ~s->mask;
}

/* Lanes of m that wait at one pc become one group, which stands first and goes on. */
static void go_on(Warp *w, Its *k, Mask m)
{
	Split *first = NULL;
	Mask got = 0;
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		Split *s = &reconv_splits(w)[i];
		if (!(s->mask & m) || s == first || (first && s->pc != first->pc))
			continue;
		if (s->mask & ~m)
			s = part_off(w, s, s->mask & m);
		got |= s->mask;
		if (!first) {
			first = s;
		} else {
			first = join(w, first, s);
			i--;
		}
	}
	Cycle ready = reconv_now(w) + 1 + (Cycle)reconv_param(w, ITS_RELEASE);
	if (first->ready < ready) {
		first->ready = ready;
		first->why = STALL_DIVERGENCE;
	}
	first->pc++;
	park(first);
	enter(w, k, first, false);
	if (k->n && split_of(w, k->queue[0])->state == SPLIT_RUN)
		park(split_of(w, k->queue[0]));
	enqueue(k, 0, lowest(first->mask));
	if (m & ~got)
		go_on(w, k, m & ~got);
}

static void open_barrier(Warp *w, Its *k, Barrier *b)
{
	Mask m = b->blocked;
	b->blocked = 0;
	if (!b->rejoin)
		b->members = 0;
	for (Mask x = b->rejoin ? 0 : m; x; x &= x - 1) {
		int lane = lowest(x);
		k->name[reconv_ins(w, split_of(w, lane)->pc)->offset][lane] = 0;
	}
	if (!b->rejoin)
		let_go(k, b, m);
	const Split *s = split_of(w, lowest(m));
	reconv_count_merge(w, s, s->pc + 1, m);
	go_on(w, k, m);
}

/* At a predicted point, lanes may go on when so many have come. */
static bool enough(const Warp *w, Mask m)
{
	int64_t n = reconv_param(w, ITS_THRESHOLD); /* only spec_reconv has predicted points, and the parameter */
	return n && lane_total(m) >= n;
}

/* Opens the barrier if those it waits for are there, or have yielded, or are in `others`. */
static bool try_open(Warp *w, Its *k, Barrier *b, Mask others)
{
	if (!b->blocked)
		return false;
	if (knob(w, ITS_YIELD_RELEASE))
		others |= k->yielded;
	if (b->members & ~b->blocked & ~others && !(b->rejoin && enough(w, b->blocked)))
		return false;
	open_barrier(w, k, b);
	return true;
}

static void try_all(Warp *w, Its *k, Mask lanes)
{
	for (int i = 0; i < k->nbarrier; i++)
		if (k->barrier[i].members & lanes || !lanes)
			try_open(w, k, &k->barrier[i], 0);
}

/* Nobody is ready: lanes wait for others at block barriers and warp-level operations, who may wait at convergence barriers
   for them. Where yielding counts, waiting does too. */
static void last_resort(Warp *w, Its *k)
{
	Mask waiting = 0;
	if (k->n || !*reconv_nsplit(w))
		return;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (reconv_splits(w)[i].state == SPLIT_BARRIER || reconv_splits(w)[i].state == SPLIT_WARPSYNC)
			waiting |= reconv_splits(w)[i].mask;
	for (int i = 0; i < k->nbarrier && !k->n && knob(w, ITS_YIELD_RELEASE); i++)
		try_open(w, k, &k->barrier[i], waiting);
	must(k->n || waiting);
}

static void time_out(Warp *w, Its *k)
{
	Cycle limit = (Cycle)knob(w, ITS_TIMEOUT);
	for (int i = 0; limit && i < k->nbarrier; i++)
		if (k->barrier[i].blocked && reconv_now(w) - k->barrier[i].since >= limit)
			open_barrier(w, k, &k->barrier[i]);
}

/* Groups that are ready at one pc become one. */
static void merge(Warp *w, Its *k)
{
	for (int a = 0; a < k->n; a++)
		for (int b = a + 1; b < k->n; b++) {
			Split *x = split_of(w, k->queue[a]), *y = split_of(w, k->queue[b]);
			if (x->pc != y->pc || x->released || y->released)
				continue;
			k->yielded &= ~(x->mask | y->mask);
			dequeue(k, k->queue[b]);
			if (y->state == SPLIT_RUN)
				x->state = SPLIT_RUN;
			x = join(w, x, y);
			k->queue[a] = (uint8_t)lowest(x->mask);
			reconv_count_merge(w, x, x->pc, x->mask);
			b--;
		}
}

/* What follows every event: the turn is somebody's. */
static void settle(Warp *w, Its *k)
{
	time_out(w, k);
	if (knob(w, ITS_MERGE))
		merge(w, k);
	last_resort(w, k);
	choose(w, k);
}

/* ---- events ---- */

void its_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Its *k = reconv_state(w);
	*k = (Its){ .barrier = k->barrier, .cap = k->cap, .n = 1, .queue = { (uint8_t)lowest(lanes) }, .began = reconv_now(w) };
	memset(k->name, 0, sizeof *k->name * ITS_REGS);
	*reconv_splits(w) = (Split){ .pc = pc, .mask = lanes, .line = NO_PC };
	*reconv_nsplit(w) = 1;
	enter(w, k, reconv_splits(w), true);
}

/* The order in which the paths run. */
static void sides(const Warp *w, const Path *p, int n, bool indexed, int *order)
{
	int64_t first = knob(w, ITS_FIRST);
	for (int a = 0; a < n; a++)
		order[a] = first == ITS_FALLTHROUGH && !indexed ? n - 1 - a : a;
	for (int a = 1; a < n && first >= ITS_LARGER; a++)
		for (int b = a; b > 0; b--) {
			Mask x = p[order[b - 1]].mask, y = p[order[b]].mask;
			if (first == ITS_LARGER ? lane_total(x) >= lane_total(y) : lowest(x) < lowest(y))
				break;
			int t = order[b];
			order[b] = order[b - 1];
			order[b - 1] = t;
		}
}

/* s's lanes part: the first path keeps the turn, unless it is to pass on. */
static void part(Warp *w, Split *s, const Path *p, int n, bool indexed, bool pass)
{
	Its *k = reconv_state(w);
	int order[64];
	sides(w, p, n, indexed, order);
	must(k->queue[0] == lowest(s->mask));
	dequeue(k, k->queue[0]);
	if (pass)
		park(s);
	int at = pass || knob(w, ITS_ORDER) != ITS_LIFO ? -1 : 1;
	for (int a = n - 1; a >= 0; a--) { /* s itself is the first path */
		const Path *q = &p[order[a]];
		Split *t = s;
		if (a) {
			t = part_off(w, s, q->mask);
			park(t);
		}
		t->pc = q->pc;
		enter(w, k, t, true);
	}
	enqueue(k, pass ? k->n : 0, lowest(s->mask));
	for (int a = 1; a < n; a++)
		enqueue(k, at < 0 ? k->n : at++, lowest(p[order[a]].mask));
	settle(w, k);
}

void its_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	part(w, s, p, n, i->kind == K_BRX, knob(w, ITS_SWITCH_BRANCH));
}

void its_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { part(w, s, p, n, true, false); }

void its_ret(Warp *w, Split *s, const Path *p, int n)
{
	Mask m = s->mask;
	part(w, s, p, n, true, false);
	((Its *)reconv_state(w))->in_block |= m; /* behind a call */
}

void its_reach(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	bool was_in = (k->in_block & s->mask) != 0;
	enter(w, k, s, true);
	if (s->state == SPLIT_RUN && k->n > 1) {
		Cycle turn = (Cycle)knob(w, ITS_TIMER);
		if ((was_in && knob(w, ITS_SWITCH_BRANCH)) || (turn && reconv_now(w) - k->began >= turn))
			rotate(w, k);
	}
	settle(w, k);
}

void its_exit(Warp *w, Split *s, Mask m)
{
	Its *k = reconv_state(w);
	dequeue(k, lowest(s->mask));
	s->mask &= ~m;
	k->yielded &= ~m;
	for (int i = 0; i < k->nbarrier; i++)
		let_go(k, &k->barrier[i], m);
	if (s->mask)
		enqueue(k, 0, lowest(s->mask));
	else
		reconv_close_gap(w, s);
	try_all(w, k, 0);
	settle(w, k);
}

static void stop(Warp *w, Its *k, Split *s, Mask m, int reg, bool rejoin)
{
	for (Mask x = m; x; x &= x - 1) {
		Barrier *b = named(k, k->name[reg][lowest(x)]);
		if (!b->blocked)
			b->since = reconv_now(w);
		b->blocked |= x & -x;
		b->rejoin = rejoin;
	}
	dequeue(k, lowest(s->mask));
	if (s->mask != m) { /* the others pass */
		Split *t = part_off(w, s, m);
		park(t);
		s->pc++;
		enter(w, k, s, false);
		enqueue(k, 0, lowest(s->mask));
	} else {
		park(s);
	}
	for (Mask x = m; x; x &= x - 1) {
		uint32_t name = k->name[reg][lowest(x)];
		if (name && named(k, name)->blocked & x & -x)
			try_open(w, k, named(k, name), 0);
	}
}

static void bsync(Warp *w, Its *k, Split *s, int reg, bool rejoin)
{
	Mask m = 0;
	for (Mask x = s->mask; x; x &= x - 1) {
		uint32_t *name = &k->name[reg][lowest(x)];
		if (!*name)
			continue;
		if (named(k, *name)->members & x & -x) {
			m |= x & -x;
		} else { /* it has opened without this lane */
			let_go(k, named(k, *name), x & -x);
			*name = 0;
		}
	}
	if (m) {
		stop(w, k, s, m, reg, rejoin);
		return;
	}
	s->pc++;
	enter(w, k, s, false);
}

/* The lanes take part in their barriers of that register no longer. */
static void leave(Warp *w, Its *k, Mask m, int reg)
{
	for (Mask x = m; x; x &= x - 1) {
		uint32_t *name = &k->name[reg][lowest(x)];
		if (*name) {
			Barrier *b = named(k, *name);
			*name = 0;
			let_go(k, b, x & -x);
			try_open(w, k, b, 0);
		}
	}
}

/* The barrier counts from the yield_after-th time on that the same lanes come to the same YIELD. */
static bool yields(Warp *w, Its *k, const Split *s)
{
	Group *g = &k->group[lowest(s->mask)];
	bool again = g->spins == s->mask && g->spin_pc == s->pc;
	g->nspin = again ? g->nspin + (g->nspin < ~0u) : 1;
	g->spins = s->mask;
	g->spin_pc = s->pc;
	return g->nspin >= (uint64_t)knob(w, ITS_YIELD_AFTER);
}

void its_special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	Its *k = reconv_state(w);
	int reg = (int)i->offset;
	Mask m = s->mask;
	uint32_t *row;
	switch (i->op) {
	case OP_BSYNC: case OP_BSYNCR:
		bsync(w, k, s, reg, i->op == OP_BSYNCR);
		settle(w, k);
		return;
	case OP_YIELD: {
		bool effect = yields(w, k, s);
		s->pc++;
		enter(w, k, s, false);
		if (effect) {
			k->yielded |= m;
			rotate(w, k);
			try_all(w, k, m);
		}
		settle(w, k);
		return;
	}
	case OP_BSSY: {
		leave(w, k, m, reg);
		uint32_t name = new_barrier(w, k, m);
		for (Mask x = m; x; x &= x - 1)
			k->name[reg][lowest(x)] = name;
		break;
	}
	case OP_BREAK:
		leave(w, k, m, reg);
		break;
	case OP_BMOVCLEAR:
		row = reconv_row(w, i->x.d);
		for (Mask x = m; x; x &= x - 1) {
			row[lowest(x)] = k->name[reg][lowest(x)];
			k->name[reg][lowest(x)] = 0;
		}
		reconv_delay(w, s, (Cycle)reconv_param(w, ITS_BMOV));
		break;
	case OP_BMOV:
		leave(w, k, m, reg);
		row = reconv_row(w, i->x.b);
		for (Mask x = m; x; x &= x - 1)
			k->name[reg][lowest(x)] = row[lowest(x)];
		reconv_delay(w, s, (Cycle)reconv_param(w, ITS_BMOV));
		break;
	default:
		bug("not an operation of convergence barriers");
	}
	s = split_of(w, lowest(m)); /* barriers that opened may have moved it */
	s->pc++;
	enter(w, k, s, false);
	settle(w, k);
}

void its_wait(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	dequeue(k, lowest(s->mask));
	settle(w, k);
}

void its_resume(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	if (k->n && k->queue[0] == lowest(s->mask)) /* it did not have to wait */
		return;
	park(s);
	enqueue(k, place(w, k), lowest(s->mask));
	choose(w, k);
}

/* Lanes that a warp-level operation has brought together are one group. */
void its_met(Warp *w, uint32_t pc, Mask m)
{
	Its *k = reconv_state(w);
	Split *first = NULL;
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		Split *s = &reconv_splits(w)[i];
		if (!(s->mask & m) || s->pc != pc)
			continue;
		if (!first) {
			first = s;
			continue;
		}
		bool run = s->state == SPLIT_RUN || first->state == SPLIT_RUN;
		dequeue(k, lowest(s->mask));
		dequeue(k, lowest(first->mask));
		first = join(w, first, s);
		enqueue(k, run ? 0 : place(w, k), lowest(first->mask));
		first->state = run ? SPLIT_RUN : SPLIT_PARKED;
		i--;
	}
	if (first)
		enter(w, k, first, false);
	settle(w, k);
}

/* Passes the turn on to a group that is not known to wait. */
void its_stall(Warp *w, Split *s, Stall why, Cycle until)
{
	Its *k = reconv_state(w);
	Cycle least = (Cycle)knob(w, ITS_SWITCH_STALL), now = reconv_now(w);
	bool sleeps = why == STALL_SLEEP && knob(w, ITS_SWITCH_SLEEP);
	bool waits = least && (why == STALL_MEMORY || why == STALL_DATA || why == STALL_FETCH) && until - now >= least;
	if (k->n < 2 || (!sleeps && !waits))
		return;
	k->group[k->queue[0]].stalled = until - now < 1000000 ? until : now + 32; /* not known yet: look again later */
	for (int i = 1; i < k->n; i++) {
		int lane = k->queue[i];
		const Split *t = split_of(w, lane);
		if (k->group[lane].stalled > now || t->ready > now + 1)
			continue;
		rotate(w, k);
		dequeue(k, lane);
		enqueue(k, 0, lane);
		choose(w, k);
		return;
	}
}

/* ---- for diagnoses ---- */

/* The queue may be as long as the warp has lanes. */
Cycle its_patience(const Config *c)
{
	const int64_t *p = c->model_param[c->model];
	int64_t policy = p[ITS_POLICY];
	return (Cycle)(c->warp_size * its_knob(ITS_TIMER, policy, p[ITS_TIMER]) + its_knob(ITS_TIMEOUT, policy, p[ITS_TIMEOUT]));
}

bool its_held(const Warp *warp, int lane, Held *h)
{
	Warp *w = (Warp *)warp;
	Its *k = reconv_state(w);
	const Split *s = split_of(w, lane);
	if (s->state != SPLIT_PARKED)
		return false;
	h->in = "the queue of groups that are ready";
	for (int i = 0; i < k->nbarrier; i++) {
		const Barrier *b = &k->barrier[i];
		if (b->blocked >> lane & 1)
			*h = (Held){ .pc = s->pc + 1, .in = "a convergence barrier", .until = s->pc, .others = b->members & ~b->blocked };
	}
	return true;
}

const ReconvModel reconv_its = {
	.name = "its",
	.help = "independent thread scheduling with convergence barriers: BSSY, BSYNC, BREAK, BMOV, YIELD",
	.source = "US patents 10067768 and 11442795; CUDA debugger API (CUDBGCbuWarpState); Control Flow Management in Modern GPUs (arXiv 2407.02944)",
	.params = params, .nparams = sizeof params / sizeof *params,
	.lower = its_lower,
	ITS_HOOKS,
};
