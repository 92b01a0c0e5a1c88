/* Independent thread scheduling with convergence barriers (Volta and later).
 *
 * Every thread has a pc; lanes with one pc that came there together are a group, a split of the core's. One
 * group of a warp has the turn, the others that are ready are parked. A barrier is a set of lanes that wait
 * for each other: BSSY makes a barrier of the lanes that run and names it in a barrier register, at BSYNC
 * lanes wait until all lanes of the barrier wait there, BREAK and EXIT take lanes out of it, YIELD passes the
 * turn on and, in patent US10067768, lets barriers open without the lanes that yield. Threads name their
 * barriers in registers of their own, B0 to B15, so that groups that are apart can use the same number; BMOV
 * saves and restores these registers. place.c decides where the operations go.
 *
 * Counted: depth = groups that are ready, the running one included; merges = barriers that opened, for
 * whatever reason; no pushes and pops. */
#include "sim/reconv/its/run.h"

static const ConfigKey params[] = { ITS_KEYS };

const OwnOp its_own[ITS_OPS] = {
	[OWN_BSSY] = { "bssy", "-", UNIT_CTL, false, "the lanes that run take part in a barrier that a names "
		"from now on" },
	[OWN_BSYNC] = { "bsync", "-", UNIT_CTL, false,
		"wait until every lane that takes part in barrier a is there; pass if not taking part" },
	[OWN_BSYNCR] = { "bsync.rejoin", "-", UNIT_CTL, false,
		"as bsync, and take part again: a point where lanes are predicted to meet" },
	[OWN_BREAK] = { "break", "-", UNIT_CTL, false, "take part in barrier a no longer" },
	[OWN_BMOVCLEAR] = { "bmov.clear", "-", UNIT_CTL, false,
		"d = barrier register a, which names none afterwards" },
	[OWN_BMOV] = { "bmov", "--", UNIT_CTL, false, "barrier register a = b" },
	[OWN_YIELD] = { "yield", "", UNIT_CTL, false, "let other lanes of the warp run" },
};

/* The value of a parameter that means "as the policy says": where the parameter is a number, and where it is
   a choice; the other choices then count from CHOICE_OF_POLICY + 1. */
enum { NUMBER_OF_POLICY = -1, CHOICE_OF_POLICY = 0 };
/* Assumptions for the policy its_fair: how often in a row the same lanes have to come to a YIELD before it
   takes effect; the cycles after which a turn in a loop passes on. Assumption for the policy hanoi: how often
   they come to one before any other lanes run. */
enum { FAIR_YIELD_AFTER = 8, FAIR_TIMER = 10000, HANOI_PATIENCE = 100 };
/* A wait of NO_KNOWN_END cycles or more has no known end; a group that waits so may get the turn again after
   LOOK_AGAIN cycles. */
enum { NO_KNOWN_END = 1000000, LOOK_AGAIN = 32 };

int64_t its_knob(ItsParam p, int64_t policy, int64_t set)
{
	static const int64_t preset[ITS_POLICIES][ITS_MERGE + 1] = {
		[ITS_FAIR] = {
			[ITS_FIRST] = ITS_FALLTHROUGH, [ITS_ORDER] = ITS_FIFO, [ITS_YIELD] = ITS_YIELD_SPIN,
			[ITS_YIELD_RELEASE] = ITS_ON,
			[ITS_YIELD_AFTER] = FAIR_YIELD_AFTER, [ITS_SWITCH_SLEEP] = ITS_ON,
			[ITS_TIMER] = FAIR_TIMER,
		},
		[ITS_VOLTA_LIFO] = {
			[ITS_FIRST] = ITS_FALLTHROUGH, [ITS_ORDER] = ITS_LIFO, [ITS_YIELD] = ITS_YIELD_SPIN,
			[ITS_YIELD_RELEASE] = ITS_ON,
			[ITS_YIELD_AFTER] = 1, [ITS_SWITCH_SLEEP] = ITS_ON,
		},
		[ITS_HANOI] = {
			[ITS_FIRST] = ITS_LARGER, [ITS_ORDER] = ITS_LIFO, [ITS_YIELD] = ITS_YIELD_SPIN,
			[ITS_YIELD_AFTER] = 1, [ITS_YIELD_TO] = ITS_TO_SIBLING,
			[ITS_YIELD_PATIENCE] = HANOI_PATIENCE, [ITS_LATE_POINTS] = ITS_ON,
		},
	};
	bool number = p == ITS_YIELD_AFTER || p == ITS_YIELD_PATIENCE || p == ITS_SWITCH_STALL ||
		p == ITS_TIMER || p == ITS_TIMEOUT;
	if (set == (number ? NUMBER_OF_POLICY : CHOICE_OF_POLICY))
		return preset[policy][p];
	return number ? set : set - CHOICE_OF_POLICY - 1;
}

size_t its_state_size(const Config *c) { return sizeof(Its); }
size_t its_sm_state_size(const Config *c) { return sizeof(ItsShared); }
int its_depth(const Warp *w) { return ((Its *)reconv_state((Warp *)w))->n; }

/* To be called after every event: gives some group the turn, if one is ready. */
static void settle_turn(Warp *w, Its *k)
{
	if (k->value[ITS_TIMEOUT])
		its_time_out(w, k);
	if (k->value[ITS_MERGE])
		its_merge(w, k);
	if (!k->n)
		its_last_resort(w, k);
	its_choose(w, k);
}

/* Returns the values of all parameters, which are the same for all warps. */
static const int64_t *bind_parameters(Warp *w)
{
	ItsShared *x = reconv_sm_state(w);
	const Config *c = reconv_config(w);
	const int64_t *set = c->model_param[c->model];
	/* only spec_reconv has the parameter ITS_THRESHOLD; the others never look at its value */
	for (int p = 0; p <= ITS_THRESHOLD && !x->bound; p++)
		x->value[p] = p >= ITS_FIRST && p <= ITS_MERGE
			? its_knob((ItsParam)p, set[ITS_POLICY], set[p])
			: set[p];
	x->bound = true;
	return x->value;
}

void its_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Its *k = reconv_state(w);
	ItsGroup *group = k->group;
	if (group)
		memset(group, 0, sizeof *group * (size_t)reconv_config(w)->warp_size);
	*k = (Its){ .value = bind_parameters(w), .barrier = k->barrier, .cap = k->cap, .group = group,
		.turn = lanes, .began = reconv_now(w) };
	for (int r = 0; r < ITS_REGS; r++)
		k->first[r] = -1;
	splits_launch(w, lanes, pc);
	its_enqueue(k, 0, reconv_splits(w));
	its_enter(w, k, reconv_splits(w), true);
}

/* ---- lanes part ---- */

static int larger_first(Mask m) { return -(int)lane_count(m); }

/* Puts the indices of the paths into the order in which the paths are to run. */
static void order_sides(const Its *k, const Path *p, int n, bool indexed, int *order)
{
	int64_t first = k->value[ITS_FIRST];
	for (int a = 0; a < n; a++)
		order[a] = first == ITS_FALLTHROUGH && !indexed ? n - 1 - a : a;
	if (first == ITS_LARGER || first == ITS_LANE0)
		paths_sort(p, n, order, first == ITS_LARGER ? larger_first : lowest_lane);
}

/* The lanes of s part on n paths. The first path that is to run keeps the turn; pass: the turn goes to
   another group, if one is ready. */
static void part_its_group(Warp *w, Split *s, const Path *p, int n, bool indexed, bool pass)
{
	Its *k = reconv_state(w);
	int order[64];
	order_sides(k, p, n, indexed, order);
	must(k->queue[0] == lowest_lane(s->mask));
	its_dequeue(k, s);
	ItsGroup was = *its_past(w, k, lowest_lane(s->mask));
	for (int a = n - 1; a > 0; a--) {
		Split *t = splits_part(w, s, p[order[a]].mask);
		t->pc = p[order[a]].pc;
		split_park(t);
		its_enter(w, k, t, true);
		*its_past(w, k, lowest_lane(t->mask)) = was;
	}
	*its_past(w, k, lowest_lane(s->mask)) = was;
	k->turn = s->mask;
	s->pc = p[order[0]].pc;
	if (pass)
		split_park(s);
	its_enter(w, k, s, true);
	its_enqueue(k, pass ? k->n : 0, s);
	/* next: the other paths stand right behind s in the queue; else last */
	bool next = !pass && k->value[ITS_ORDER] == ITS_LIFO;
	for (int a = 1; a < n; a++)
		its_enqueue(k, next ? a : k->n, its_split(w, lowest_lane(p[order[a]].mask)));
	settle_turn(w, k);
}

void its_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	const Its *k = reconv_state(w);
	part_its_group(w, s, p, n, i->kind == K_BRX, k->value[ITS_SWITCH_BRANCH]);
}

void its_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	part_its_group(w, s, p, n, true, false);
}

void its_ret(Warp *w, Split *s, const Path *p, int n)
{
	Mask m = s->mask;
	part_its_group(w, s, p, n, true, false);
	((Its *)reconv_state(w))->in_block |= m; /* a call stands in a block of the module */
}

/* ---- lanes come somewhere ---- */

void its_reach(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	bool was_in = (k->in_block & s->mask) != 0;
	its_enter(w, k, s, true);
	if (s->state == SPLIT_RUN && k->n > 1) {
		Cycle turn = (Cycle)k->value[ITS_TIMER];
		if ((was_in && k->value[ITS_SWITCH_BRANCH]) || (turn && reconv_now(w) - k->began >= turn))
			its_rotate(w, k);
	}
	settle_turn(w, k);
}

void its_exit(Warp *w, Split *s, Mask m)
{
	Its *k = reconv_state(w);
	its_dequeue(k, s);
	k->yielded &= ~m;
	reconv_close_gap(w, s);
	its_ended(w, k, m);
	settle_turn(w, k);
}

/* The group keeps its turn. The queue knows a group by its lowest lane, so that is now the lowest lane
   left. */
void its_some_exit(Warp *w, Split *s, Mask m)
{
	Its *k = reconv_state(w);
	int old = lowest_lane(s->mask);
	must(k->queue[0] == old);
	its_dequeue(k, s);
	reconv_shed(w, s, m);
	*its_past(w, k, lowest_lane(s->mask)) = *its_past(w, k, old);
	k->turn = s->mask;
	k->yielded &= ~m;
	its_enqueue(k, 0, s);
	its_enter(w, k, s, false);
	its_ended(w, k, m);
	settle_turn(w, k);
}

/* Counts how often the same lanes have come to the same YIELD in a row. */
static uint32_t yields_in_a_row(Warp *w, Its *k, const Split *s)
{
	ItsGroup *g = its_past(w, k, lowest_lane(s->mask));
	bool again = g->spins == s->mask && g->spin_pc == s->pc;
	g->nspin = again ? g->nspin + (g->nspin < ~0u) : 1;
	g->spins = s->mask;
	g->spin_pc = s->pc;
	return g->nspin;
}

/* The group yields, where the turn goes to siblings alone. Groups are siblings if they are to meet at the
   barrier that was made last; the one parked last is next. Without a sibling the group goes on. Lanes that
   come here so often that they may wait for another group than that let any run. */
static void yield_to_sibling(Warp *w, Its *k, Split *s, uint32_t times)
{
	int64_t patience = k->value[ITS_YIELD_PATIENCE];
	Mask m = s->mask;
	if (patience && times >= patience) {
		k->yielded |= m;
		its_rotate(w, k);
		its_yielded(w, k, m, true);
	} else if (k->n > 1 && !((m | its_split(w, k->queue[1])->mask) & ~its_newest_members(w, k))) {
		split_park(s);
		its_dequeue(k, s);
		its_enqueue(k, 1, s);
	}
}

static void group_yields(Warp *w, Its *k, Split *s)
{
	Mask m = s->mask;
	uint32_t times = yields_in_a_row(w, k, s);
	s->pc++;
	its_enter(w, k, s, false);
	if (times < k->value[ITS_YIELD_AFTER])
		return;
	if (k->value[ITS_YIELD_TO] == ITS_TO_SIBLING) {
		yield_to_sibling(w, k, s, times);
		return;
	}
	k->yielded |= m;
	its_rotate(w, k);
	its_yielded(w, k, m, k->value[ITS_YIELD_RELEASE]);
}

/* Executes an operation at which lanes do not wait. */
static void straight(Warp *w, Its *k, const MIns *i, Mask m)
{
	int reg = (int)i->offset;
	Cycle cost = i->own == OWN_BMOVCLEAR || i->own == OWN_BMOV ? (Cycle)k->value[ITS_BMOV] : 0;
	switch (i->own) {
	case OWN_BSSY: its_bssy(w, k, m, reg); break;
	case OWN_BREAK: its_break(w, k, m, reg); break;
	case OWN_BMOVCLEAR: its_save(k, m, reg, reconv_row(w, i->x.d)); break;
	case OWN_BMOV: its_restore(w, k, m, reg, reconv_row(w, i->x.b)); break;
	default: bug("not an operation of convergence barriers");
	}
	Split *s = its_split(w, lowest_lane(m)); /* barriers that opened may have moved the split */
	reconv_delay(w, s, cost);
	s->pc++;
	its_enter(w, k, s, false);
}

void its_special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	Its *k = reconv_state(w);
	switch (i->own) {
	case OWN_BSYNC: case OWN_BSYNCR: its_bsync(w, k, s, (int)i->offset, i->own == OWN_BSYNCR); break;
	case OWN_YIELD: group_yields(w, k, s); break;
	default: straight(w, k, i, s->mask);
	}
	settle_turn(w, k);
}

/* ---- lanes wait ---- */

void its_wait(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	its_dequeue(k, s);
	settle_turn(w, k);
}

void its_resume(Warp *w, Split *s)
{
	Its *k = reconv_state(w);
	if (k->n && k->queue[0] == lowest_lane(s->mask)) /* s did not have to wait, and still has the turn */
		return;
	split_park(s);
	its_enqueue(k, its_ready_place(k), s);
	its_choose(w, k);
}

/* Makes one group of lanes that a warp-level operation or a block barrier has brought together. */
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
		its_dequeue(k, s);
		its_dequeue(k, first);
		first = its_join(w, first, s);
		its_enqueue(k, run ? 0 : its_ready_place(k), first);
		first->state = run ? SPLIT_RUN : SPLIT_PARKED;
		i--;
	}
	if (first)
		its_enter(w, k, first, false);
	settle_turn(w, k);
}

bool its_passes_on_sleep_only(const Config *c)
{
	const int64_t *p = c->model_param[c->model];
	return !its_knob(ITS_SWITCH_STALL, p[ITS_POLICY], p[ITS_SWITCH_STALL]);
}

bool its_stall(Warp *w, Split *s, Stall why, Cycle until)
{
	Its *k = reconv_state(w);
	if (k->n < 2)
		return false;
	Cycle least = (Cycle)k->value[ITS_SWITCH_STALL], now = reconv_now(w);
	bool sleeps = why == STALL_SLEEP && k->value[ITS_SWITCH_SLEEP];
	/* whoever has got the turn keeps it until the front end has followed: else two groups could take it
	   from each other for ever */
	bool follows = now <= k->began + (Cycle)reconv_config(w)->fetch_redirect +
		(Cycle)k->value[ITS_SWITCH];
	bool waits = least && !follows && (why == STALL_MEMORY || why == STALL_DATA || why == STALL_FETCH) &&
		until - now >= least;
	if (!sleeps && !waits)
		return false;
	its_past(w, k, k->queue[0])->stalled = until - now < NO_KNOWN_END ? until : now + LOOK_AGAIN;
	its_pass_on(w, k);
	return true;
}

/* ---- for diagnoses and pictures ---- */

static void show_barrier(const Warp *w, const Its *k, int i, Rows *rows)
{
	const ConvBarrier *b = &k->barrier[i];
	TraceRow r = trace_row(ROW_BARRIER, b->blocked ? its_split((Warp *)w, lowest_lane(b->blocked))->pc
		: NO_PC, b->members);
	r.n = (uint32_t)i + 1;
	r.other = b->blocked;
	r.flags = reconv_flag(b->rejoin, FLAG_REJOINS);
	reconv_show(rows, &r);
	if (b->holders == b->members)
		return;
	r = trace_row(ROW_HOLDERS, NO_PC, b->holders);
	r.n = (uint32_t)i + 1;
	reconv_show(rows, &r);
}

static void show_register(const Warp *w, const Its *k, int reg, Rows *rows)
{
	for (Mask left = reconv_live(w); left;) {
		Mask same;
		TraceRow r = trace_row(ROW_REGISTER, NO_PC, 0);
		r.n = (uint32_t)reg;
		r.m = its_name(k, left, reg, &same);
		r.mask = same;
		left &= ~same;
		if (r.m)
			reconv_show(rows, &r);
	}
}

void its_show(const Warp *w, Rows *rows)
{
	const Its *k = reconv_state((Warp *)w);
	for (int i = 0; i < k->n; i++) {
		const Split *s = its_split((Warp *)w, k->queue[i]);
		TraceRow r = trace_row(ROW_TURN, NO_PC, s->mask);
		r.split = (uint16_t)(s - reconv_splits((Warp *)w));
		r.other = k->yielded & s->mask;
		reconv_show(rows, &r);
	}
	for (int i = 0; i < k->nbarrier; i++)
		if (k->barrier[i].holders)
			show_barrier(w, k, i, rows);
	for (int reg = 0; reg < k->used; reg++)
		show_register(w, k, reg, rows);
}

/* The queue has no more groups than the warp has lanes. A turn passes on at the first loop head after its
   time, or where YIELD takes effect: that is after `yield_after` or `yield_patience` turns of a loop, each of
   which executes each branch once at most. */
Patience its_patience(const Config *c, const Code *code)
{
	const int64_t *p = c->model_param[c->model];
	int64_t policy = p[ITS_POLICY];
	bool yields = its_knob(ITS_YIELD, policy, p[ITS_YIELD]) != ITS_YIELD_NONE;
	int64_t after = its_knob(ITS_YIELD_AFTER, policy, p[ITS_YIELD_AFTER]);
	int64_t most = its_knob(ITS_YIELD_PATIENCE, policy, p[ITS_YIELD_PATIENCE]);
	int64_t rounds = !yields ? 1 : after > most ? after : most;
	return (Patience){ .first = (Cycle)its_knob(ITS_TIMEOUT, policy, p[ITS_TIMEOUT]),
		.time = (Cycle)its_knob(ITS_TIMER, policy, p[ITS_TIMER]),
		.turns = (uint64_t)c->warp_size, .branches =
		most_branches(code) * (uint64_t)(rounds > 0 ? rounds : 1) };
}

bool its_held(const Warp *warp, int lane, Held *h)
{
	Warp *w = (Warp *)warp;
	Its *k = reconv_state(w);
	const Split *s = its_split(w, lane);
	if (s->state != SPLIT_PARKED)
		return false;
	h->in = "the queue of groups that are ready";
	for (int i = 0; i < k->nbarrier; i++) {
		const ConvBarrier *b = &k->barrier[i];
		if (b->blocked >> lane & 1)
			*h = (Held){ .pc = s->pc + 1, .in = "a convergence barrier", .until = s->pc,
				.others = b->members & ~b->blocked };
	}
	return true;
}

/* The turn passes on at the branch and where the first side waits, for the others of the barrier; one BSSY,
   and a BSYNC on each side. */
PartingCost its_parting(const Config *c)
{
	const int64_t *p = c->model_param[c->model];
	return (PartingCost){ 2 * (c->fetch_redirect + p[ITS_SWITCH]) + p[ITS_RELEASE], 3 };
}

const ReconvModel reconv_its = {
	.name = "its",
	.help = "independent thread scheduling with convergence barriers: BSSY, BSYNC, BREAK, BMOV, YIELD",
	.spills = SPILLS_NOTHING,
	.source = "US patents 10067768 and 11442795; CUDA debugger API (CUDBGCbuWarpState); Control Flow "
	"Management in Modern GPUs (arXiv 2407.02944)",
	.params = params, .nparams = sizeof params / sizeof *params,
	.fair = "timer=300,barrier_timeout=300",
	.lower = its_lower,
	ITS_HOOKS,
};
