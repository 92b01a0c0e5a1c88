/* Livelock: the proof that a launch can never end. sim/stuck/diagnose.c makes the report of it.
 *
 * Progress is a change of a memory word, the end of a lane, or the arrival at or release from a block
 * barrier. After limits.progress_cycles without any, every lane is watched at its branches: Brent's cycle
 * detection is applied to the lane's state. Once all lanes that run have come back to an earlier state,
 * without any progress in between, nothing can ever change, and the livelock is proven. Progress ends the
 * watch; another one begins later.
 *
 * What a lane does next follows from its state and from what is constant without progress:
 *   place      The state has where the branch goes and which branch it was, the call depth and the addresses
 *              to return to; local frames follow from these.
 *   registers  The state has the carry flag and those registers and predicates that live behind the branch
 *              and decide where a lane goes, and what it does to memory, in the loop around the branch
 *              (sim/code/decides.c); inside a call it has all registers, since it is not known what lives in
 *              the callers. States with a load on its way to one of these registers are not compared.
 *   memory     A store or atomic operation of any thread that changes a word of global, shared or local
 *              memory is progress; parameters and constants never change.
 *   barriers   Arrivals and releases are progress; so are ends of lanes.
 *   others     Other lanes act on this one through memory, barriers and warp-level operations only. Lanes
 *              that exchange values in a warp-level operation have a joint state there, of all their
 *              registers; activemask is such an exchange.
 *   clocks     A lane that reads a clock proves nothing.
 *   mechanism  The mechanism may delay a lane, but cannot change what the lane does. If it may let lanes run
 *              which it has held, after time-outs or in turns, it says how long that takes at most
 *              (StuckHooks.patience). A warp with lanes that are held is watched for that long, and proves
 *              nothing if one of these lanes has gone to another place since the watch began. A turn that
 *              begins in one span of time and branches ends in the next, so n turns take n + 1 spans at most.
 * States are compared word by word.
 *
 * A watch ends after a while, and a longer one begins later, so that long computations are slowed down by a
 * bounded share. One lane that does not come back to a state is enough to know that its warp is in no
 * livelock: so one lane of a warp is watched first, and all of them only when this lane has come back. Then
 * the watch may last twice as long. */
#include "sim/stuck/watch.h"

enum {
	/* cycles that a watch takes at least, or limits.progress_cycles if that is less: enough for several
	   turns of every warp of a functional run */
	LEAST_WATCH = 10000
};

/* The pc at which the lane is, or at which it goes on when the mechanism lets it run again; NO_PC:
   unknown. */
static uint32_t lane_place(const Warp *w, int lane)
{
	const ReconvModel *m = w->sm->gpu->model;
	const Split *s = homes_split(w, lane);
	Held h = { .pc = NO_PC };
	if (!s && m->stuck.held)
		m->stuck.held(w, lane, &h);
	return s ? s->pc : h.pc;
}

static void begin_watch(Sm *sm, Warp *w)
{
	const Gpu *g = sm->gpu;
	int l;
	livelock_forget(w);
	if (!g->model->stuck.patience || !w->used)
		return;
	w->spans = (Spans){ .since = g->now + w->share->grid->patience.first };
	if (!w->stood)
		w->stood = arena_array(&sm->arena, uint32_t, w->lanes.width);
	each_lane(w->live, l)
		w->stood[l] = lane_place(w, l);
}

static Cycle last_progress(const Gpu *g)
{
	Cycle t = g->last_begin;
	each_made_sm(g, sm)
		t = sm->last_progress > t ? sm->last_progress : t;
	return t;
}

static void begin_watches(Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			begin_watch(&g->sm[i], &g->sm[i].warp[k]);
}

/* Lanes of the warp that have run since the watch began and wait at no barrier or warp-level operation.
   *cycling: lanes that have come back to a state. */
static Mask lanes_that_run(const Warp *w, Mask *cycling)
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
	Mask cycling, ran = lanes_that_run(w, &cycling);
	return ran & cycling;
}

/* True if the lanes that the mechanism holds stay where they are for ever: it has had the time in which it
   would let them run if it ever did (Patience), and none of them has gone to another place. */
static bool held_for_ever(const Warp *w, Mask ran)
{
	const Patience *p = &w->share->grid->patience;
	Mask in_none = w->live & ~homes_in(w, ~0u), m =
		(homes_in(w, 1 << SPLIT_PARKED) | (p->first ? in_none : 0)) & ~ran;
	int l;
	if (!m || !w->sm->gpu->model->stuck.patience)
		return true;
	if (!w->stood || w->spans.n <= p->turns)
		return false;
	each_lane(m, l)
		if (lane_place(w, l) != w->stood[l])
			return false;
	return true;
}

/* Every lane that can run, or has run since the watch began, comes back to the same state again and again.
   *n: how many lanes. */
static bool warp_cycles(const Warp *w, unsigned *n)
{
	Mask cycling, ran = lanes_that_run(w, &cycling) | homes_in(w, 1 << SPLIT_RUN);
	if (w->alarm != NO_ALARM && !w->sm->gpu->model->stuck.patience)
		return false;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].state == SPLIT_RUN && w->split[k].released)
			return false;
	*n = lane_count(ran);
	return !(ran & ~cycling) && held_for_ever(w, ran);
}

/* True if the barrier of some grid is still to open; its threads may change memory after that. */
static bool some_go_on(const Gpu *g)
{
	for (int i = 0; i < g->running.n && !g->options.functional; i++)
		if (g->running.v[i]->meetings && g->running.v[i]->opens >= g->now)
			return true;
	return false;
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

/* The most cycles for which the mechanism may hold lanes of a grid that runs. The branches that Patience
   counts besides are left out. */
static Cycle longest_wait(const Gpu *g)
{
	Cycle longest = 0;
	for (int i = 0; i < g->running.n; i++) {
		const Patience *p = &g->running.v[i]->patience;
		Cycle n = p->first + (p->turns + 1) * p->time;
		longest = n > longest ? n : longest;
	}
	return longest;
}

void livelock_start(Gpu *g)
{
	g->watching = false;
	g->watch_since = g->begin;
	g->watch_length = first_length(g);
}

void livelock_grid(const Gpu *g, Grid *grid)
{
	grid->patience = g->model->stuck.patience ? g->model->stuck.patience(&g->config, grid->code)
		: (Patience){ 0 };
	/* a functional run looks for a time-out of the mechanism only once in each turn of the warp */
	if (g->options.functional && g->model->times.alarm)
		grid->patience.branches += (uint64_t)g->options.turn;
}

bool livelock_check(Gpu *g, Fault *fault, Grid **grid)
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
		begin_watches(g);
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
	Cycle least = g->config.progress_cycles < LEAST_WATCH ? (Cycle)g->config.progress_cycles
		: LEAST_WATCH;
	/* a grid that is still to begin may change memory */
	if (g->now < g->watch_since + least || g->next_grid != NEVER || some_go_on(g) ||
		!all_cycle(g, &w, &lanes))
		return false;
	*grid = w->share->grid;
	livelock_report(g, w, lanes, fault);
	return true;
}
