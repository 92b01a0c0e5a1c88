/* Deadlock and livelock: the proof that a launch can never end. What is reported then is made in sim/diagnose.c.
 *
 * When no memory word has changed, no lane has ended and no barrier has been released for limits.progress_cycles, every
 * lane is watched at its branches: Brent's cycle detection on (target, call depth, live registers). Lanes act on each other
 * through memory, barriers and warp-level operations. Lanes that exchange values have a state together, of all their
 * registers, where they exchange. So once all lanes that run have come back to an earlier state, with memory unchanged all
 * the while, nothing can ever change: proven. A lane that reads a clock proves nothing. A mechanism that lets lanes run which it
 * held, after time-outs or in turns, says how long that takes at most (ReconvModel.patience): so long each warp is watched that
 * has such lanes, and one that has moved since, but come to no branch, is still on its way. A turn ends in the span of time and
 * branches after the one in which it began, so n turns take n + 1 spans at most. Watching stops after a while and is taken up
 * again later, for longer, so that long computations are slowed down by a bounded share; and as one lane that computes is enough
 * to know that its warp is in no livelock, the others of the warp are watched only once one has come back to a state, for which
 * a watch may then last twice as long. */
#include "sim/diagnose.h"

enum {
	LEAST_WATCH = 10000,           /* several turns of every warp of a functional run */
	MOST_UNSEEN = 64               /* times in a row that no watched lane comes to a branch of its warp, before one is added */
};

static inline uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v ^ h >> 29) * 0x9e3779b97f4a7c15u; }

static bool is_pair(const Code *c, int name) { return name >= c->narrow && name < c->regs; }

/* One name of the scoreboard, of the lanes; a pair's first name stands for both. */
static void mix_name(const Warp *w, int name, Mask m, uint64_t *h)
{
	const Code *c = w->sm->gpu->cur;
	const uint32_t *row = w->lanes.base[0] + (size_t)name * (size_t)w->lanes.width;
	int l;
	if (name >= c->regs) {
		each_lane(m, l)
			h[l] = mix(h[l], w->lanes.pred[name - c->regs] >> l & 1);
	} else if (name < c->narrow) {
		each_lane(m, l)
			h[l] = mix(h[l], row[l]);
	} else {
		each_lane(m, l) {
			uint64_t v;
			memcpy(&v, row + 2 * l, sizeof v);
			h[l] = mix(h[l], v);
		}
	}
}

/* Every register of the lanes, their places and where they return to. */
static void hash_all(const Warp *w, uint32_t pc, Mask m, uint64_t *h)
{
	const Code *c = w->sm->gpu->cur;
	int l;
	each_lane(m, l)
		h[l] = mix(mix(1, pc), w->depth[l]);
	for (int name = 0; name < c->regs + c->preds; name += 1 + is_pair(c, name))
		mix_name(w, name, m, h);
	each_lane(m, l)
		for (uint32_t d = 0; d < w->depth[l]; d++)
			h[l] = mix(h[l], w->ret[(size_t)(d * 2) * (size_t)w->lanes.width + (size_t)l]);
}

/* Where lanes go and from which block, and all that lives there. Inside a call also what lives in the callers, which is not
   known: every register. */
static void hash_states(const Warp *w, const MIns *i, uint32_t pc, Mask m, uint64_t *h)
{
	const Code *c = w->sm->gpu->cur;
	const uint16_t *live = c->live[i->live];
	int l;
	each_lane(m, l)
		if (w->depth[l]) {
			hash_all(w, pc, m, h);
			return;
		}
	each_lane(m, l)
		h[l] = mix(mix(1, pc), i->live);
	for (int k = 0; k < c->nlive[i->live]; k += 1 + is_pair(c, live[k]))
		mix_name(w, live[k], m, h);
}

static void note_turn(Round *r, const MIns *i, uint32_t to)
{
	for (int k = 0; k < r->nturns; k++)
		if (r->turn[k].ins == i) {
			r->turn[k].both |= r->turn[k].to != to;
			return;
		}
	if (r->nturns < ROUND_TURNS)
		r->turn[r->nturns++] = (Turn){ i, to, false };
}

/* with: the lanes that have this state together; 0: the lane alone. What a lane does after an exchange does not follow from
   its own state, and after one with others than those of the saved state not from that. */
static void step(Watch *x, Mask with, uint64_t h)
{
	if (with && x->power && !x->with) {
		*x = (Watch){ .saved = h, .power = x->power, .with = with };
		return;
	}
	if (with && with != x->with)
		x->clock = true;
	if (x->power && h == x->saved && with == x->with) {
		x->cycling = !x->clock;
		x->clock = false;
		x->last = x->now;
		x->now = (Round){ 0 };
	} else if (++x->steps >= x->power) {
		*x = (Watch){ .saved = h, .power = x->power ? x->power * 2 : 1, .with = with };
	}
}

/* Of the lanes of m, which have come to a branch or exchange: those that are watched. */
static Mask watched_of(Warp *w, Mask m)
{
	if (!w->watch)
		w->watch = arena_new(&w->sm->arena, WarpWatch);
	WarpWatch *x = w->watch;
	Mask more = 0;
	int l;
	x->ran |= m;
	if (x->all)
		more = m & ~x->lanes;
	else if (m & x->lanes)
		x->unseen = 0;
	else if (!x->lanes || ++x->unseen > MOST_UNSEEN)
		more = m & -m;
	each_lane(more, l) {
		if (!x->lane[l])
			x->lane[l] = arena_new(&w->sm->arena, Watch);
		*x->lane[l] = (Watch){ .steps = x->steps, .power = x->steps };
		x->unseen = 0;
	}
	x->lanes |= more;
	return m & x->lanes;
}

/* Once one has come back: all lanes, from here on, so that those of one loop begin at one place. They may all come back in
   as many steps as this one did. */
static void all_of(WarpWatch *x)
{
	int l;
	if (x->all)
		return;
	each_lane(x->lanes, l)
		if (x->lane[l]->cycling) {
			x->all = true;
			x->steps = x->lane[l]->power;
		}
	if (x->all)
		x->lanes = 0;
}

static void watch(Warp *w, const MIns *i, Mask m, uint32_t to)
{
	uint64_t h[64];
	int l;
	m = watched_of(w, m);
	if (!m)
		return;
	hash_states(w, i, to, m, h);
	each_lane(m, l) {
		Watch *x = w->watch->lane[l];
		if (i->flags & MI_COND)
			note_turn(&x->now, i, to);
		step(x, 0, h[l]);
	}
	all_of(w->watch);
}

void livelock_exchange(Warp *w, uint32_t pc, Mask m)
{
	uint64_t h[64], all = mix(2, m);
	Mask lanes = watched_of(w, m);
	int l;
	if (!lanes)
		return;
	hash_all(w, pc, m, h);
	each_lane(m, l)
		all = mix(all, h[l]);
	each_lane(lanes, l)
		step(w->watch->lane[l], m, all);
	all_of(w->watch);
}

/* The warp comes to a branch. */
static void count_span(const Gpu *g, Warp *w)
{
	Spans *x = &w->spans;
	if (w->sm->now >= x->since + g->patience.time && ++x->branches >= g->patience.branches)
		*x = (Spans){ .n = x->n + 1, .since = w->sm->now };
}

void livelock_watch(Sm *sm, Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Part part[64];
	int nparts = reconv_parts(w, s, part);
	count_span(sm->gpu, w);
	for (int k = 0; k < n; k++)
		for (int q = 0; q < nparts; q++)
			watch(part[q].home, i, part[q].mask & p[k].mask, p[k].pc);
}

void livelock_read(Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr)
{
	int l, k;
	if (!w->watch || (space != SP_GLOBAL && space != SP_SHARED))
		return;
	each_lane(m & w->watch->lanes, l) {
		Round *r = &w->watch->lane[l]->now;
		for (k = 0; k < r->nreads && r->read[k].ins != i; k++)
			;
		if (k == ROUND_READS)
			continue;
		r->read[k] = (Read){ i, addr[l], space };
		r->nreads += k == r->nreads;
	}
}

void livelock_clock(Warp *w, Mask m)
{
	int l;
	if (w->watch)
		each_lane(m & w->watch->lanes, l)
			w->watch->lane[l]->clock = true;
}

void livelock_forget(Warp *w)
{
	if (w->watch) {
		w->watch->ran = w->watch->lanes = w->watch->steps = 0;
		w->watch->all = false;
	}
}

/* Where the lane is or goes on. */
static uint32_t place(const Warp *w, int lane)
{
	const ReconvModel *m = w->sm->gpu->model;
	const Split *s = homes_split(w, lane);
	Held h = { .pc = NO_PC };
	if (!s && m->held)
		m->held(w, lane, &h);
	return s ? s->pc : h.pc;
}

static void begin(Sm *sm, Warp *w)
{
	const Gpu *g = sm->gpu;
	int l;
	livelock_forget(w);
	if (!g->model->patience || !w->used)
		return;
	w->spans = (Spans){ .since = g->now + g->patience.first };
	if (!w->stood)
		w->stood = arena_array(&sm->arena, uint32_t, w->lanes.width);
	each_lane(w->live, l)
		w->stood[l] = place(w, l);
}

static Cycle last_progress(const Gpu *g)
{
	Cycle t = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->sm[i].last_progress > t)
			t = g->sm[i].last_progress;
	return t;
}

static void begin_all(Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			begin(&g->sm[i], &g->sm[i].warp[k]);
}

/* Lanes of the warp that have run since the watch began and wait for nobody else; cycling: those that do. */
static Mask watched(const Warp *w, Mask *cycling)
{
	int l;
	*cycling = 0;
	if (!w->watch)
		return 0;
	each_lane(w->live & w->watch->lanes, l)
		*cycling |= (Mask)w->watch->lane[l]->cycling << l;
	return w->live & w->watch->ran & ~homes_in(w, 1 << SPLIT_BARRIER | 1 << SPLIT_WARPSYNC);
}

Mask livelock_spinning(const Warp *w)
{
	Mask cycling, ran = watched(w, &cycling);
	return ran & cycling;
}

/* The mechanism would have let those run by now which it holds, if ever, and none has moved. */
static bool held_for_ever(const Warp *w, Mask ran)
{
	const Gpu *g = w->sm->gpu;
	Mask in_none = w->live & ~homes_in(w, ~0u), m = (homes_in(w, 1 << SPLIT_PARKED) | (g->patience.first ? in_none : 0)) & ~ran;
	int l;
	if (!m || !g->model->patience)
		return true;
	if (!w->stood || w->spans.n <= g->patience.turns)
		return false;
	each_lane(m, l)
		if (place(w, l) != w->stood[l])
			return false;
	return true;
}

/* Every lane that can run, or has run since the watch began, is cycling; n of them. */
static bool warp_cycles(const Warp *w, unsigned *n)
{
	Mask cycling, ran = watched(w, &cycling) | homes_in(w, 1 << SPLIT_RUN);
	if (w->alarm != NO_ALARM && !w->sm->gpu->model->patience)
		return false;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].state == SPLIT_RUN && w->split[k].released)
			return false;
	*n = lane_count(ran);
	return !(ran & ~cycling) && held_for_ever(w, ran);
}

static bool all_cycle(const Gpu *g, const Warp **who, uint64_t *lanes)
{
	*lanes = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			unsigned n;
			if (!w->used || w->ending)
				continue;
			if (!warp_cycles(w, &n))
				return false;
			if (n && !*lanes)
				*who = w;
			*lanes += n;
		}
	return *lanes > 0;
}

static Cycle first_length(const Gpu *g) { return (Cycle)g->config.progress_cycles; }

static bool some_watched_whole(const Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			if (g->sm[i].warp[k].watch && g->sm[i].warp[k].watch->all)
				return true;
	return false;
}

/* As far as time tells. */
static Cycle longest_wait(const Gpu *g) { return g->patience.first + (g->patience.turns + 1) * g->patience.time; }

void livelock_start(Gpu *g)
{
	g->watching = false;
	g->watch_since = 0;
	g->watch_length = first_length(g);
	g->patience = g->model->patience ? g->model->patience(&g->config, g->cur) : (Patience){ 0 };
	if (g->options.functional && g->model->alarm) /* it may be looked at once a turn of the warp only */
		g->patience.branches += FUNCTIONAL_TURN;
}

bool livelock_check(Gpu *g, Fault *fault)
{
	Cycle last = last_progress(g);
	const Warp *w = NULL;
	uint64_t lanes;
	if (!g->watching) {
		Cycle since = last > g->watch_since ? last : g->watch_since;
		if (last > g->watch_since)
			g->watch_length = first_length(g);
		if (g->now <= since + g->watch_length)
			return false;
		begin_all(g);
		g->watching = true;
		g->watch_since = g->now;
		return false;
	}
	Cycle most = g->watch_length + LEAST_WATCH + longest_wait(g), spent = g->now - g->watch_since;
	if (last >= g->watch_since || spent > 2 * most || (spent > most && !some_watched_whole(g))) {
		g->watch_length = last >= g->watch_since ? first_length(g) : g->watch_length * 2;
		g->watch_since = g->now;
		g->watching = false;
		return false;
	}
	Cycle least = g->config.progress_cycles < LEAST_WATCH ? (Cycle)g->config.progress_cycles : LEAST_WATCH;
	if (g->now < g->watch_since + least || !all_cycle(g, &w, &lanes))
		return false;
	livelock_report(g, w, lanes, fault);
	return true;
}
