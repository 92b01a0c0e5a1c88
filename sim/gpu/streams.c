/* Streams. A grid is free to begin when the host has called it and the grids before it in its stream have
 * ended. Its first blocks get their places launch.latency_cycles behind the call, but launch.dependent_cycles
 * behind that end at the earliest. Stream 0 is the default stream in
 * CUDA's older meaning: a grid in it waits for all grids called before, and all grids called after wait for
 * it. At most launch.resident_grids grids have begun and not ended; the grid that is free first comes first.
 *
 * Blocks get places on SMs in the order in which their grids began: no block of a grid gets one before all
 * blocks of earlier grids have theirs. So a grid runs beside another one as far as the earlier one leaves
 * room.
 *
 * All this happens at exact cycles: a window of the SMs ends where a grid begins, and is so short that when a
 * block or grid ends in it, what follows from that end happens after the window. */
#include "sim/gpu/streams.h"
#include "isa/races.h"
#include "sim/gpu/events.h"
#include "sim/gpu/order.h"
#include "sim/sm/sm.h"
#include "sim/stuck/stuck.h"

static Cycle latest(Cycle a, Cycle b) { return a > b ? a : b; }
static Cycle earlier_cycle(Cycle a, Cycle b) { return a < b ? a : b; }

/* Parameters of a launch have a place of PARAM_PLACE bytes; launches use the PARAM_PLACES places in turn. */
enum { PARAM_PLACE = 1 << 16, PARAM_PLACES = 1 << 16 };

uint64_t streams_parameters(Gpu *g) { return g->written++ % PARAM_PLACES * PARAM_PLACE; }

/* ---- when grids begin ---- */

/* The cycle from which grid k of the queue is free to begin: the host has called it, and all grids that it
   waits for have ended. NEVER: some of them have not ended yet. */
static Cycle grid_free_at(const Gpu *g, int k)
{
	const Grid *x = g->queue.v[k];
	if (!x->stream)
		return g->ended_grids < k ? NEVER : latest(x->called, g->last_gone);
	Cycle at = x->called;
	for (int i = 0; i < 2; i++)
		at = x->after[i] ? latest(at, x->after[i]->gone) : at;
	for (int i = 0; i < x->events.n; i++)
		at = latest(at, x->events.v[i]->gone);
	return at;
}

/* Finds, of the grids whose begin is not fixed yet, the one that is free first (Gpu.next_free, next_free_at).
   Must be called anew when a grid has ended or the begin of one has been fixed. */
static void find_free_grid(Gpu *g)
{
	g->next_free_at = NEVER;
	for (int k = g->first_waiting; k < g->queue.n && g->queue.v[k]->called < g->next_free_at; k++) {
		Cycle at = g->queue.v[k]->begin == NEVER ? grid_free_at(g, k) : NEVER;
		if (at < g->next_free_at) {
			g->next_free_at = at;
			g->next_free = g->queue.v[k];
		}
	}
}

/* Of the launch.resident_grids places for grids, the one that is free first. */
static Cycle *first_free_place(Gpu *g)
{
	Cycle *least = &g->place[0];
	for (int i = 1; i < g->config.launch_resident; i++)
		least = g->place[i] < *least ? &g->place[i] : least;
	return least;
}

/* From the end of what a grid waits for to its begin, at least: a part of what its call takes. */
static Cycle dependent_gap(const Gpu *g)
{
	return earlier_cycle((Cycle)g->config.launch_dependent, (Cycle)g->config.launch_latency);
}

/* Fixes the begin of each grid that is free by cycle `now`, as long as there are places for grids; then
   computes Gpu.next_grid. */
static void admit_grids(Gpu *g, Cycle now)
{
	for (find_free_grid(g); g->next_free_at <= now && *first_free_place(g) != NEVER; find_free_grid(g)) {
		Grid *x = g->next_free;
		x->place = first_free_place(g);
		x->begin = latest(x->called + (Cycle)g->config.launch_latency,
			latest(g->next_free_at, *x->place) + dependent_gap(g));
		*x->place = NEVER;
		vec_push(&g->coming, x);
		while (g->first_waiting < g->queue.n && g->queue.v[g->first_waiting]->begin != NEVER)
			g->first_waiting++;
	}
	/* a grid that is free already and has no begin waits for a place */
	g->next_grid = g->next_free_at > now ? g->next_free_at : NEVER;
	for (int i = 0; i < g->coming.n; i++)
		g->next_grid = earlier_cycle(g->next_grid, g->coming.v[i]->begin);
}

/* ---- where blocks go ---- */

/* The grid whose blocks get places now: the first that began and has blocks without a place; NULL: none. */
static Grid *grid_to_place(const Gpu *g)
{
	for (int i = 0; i < g->running.n; i++)
		if (g->running.v[i]->next_cta < g->running.v[i]->ctas)
			return g->running.v[i];
	return NULL;
}

Cycle streams_window(const Gpu *g, Cycle n)
{
	for (int i = 0; i < g->running.n; i++)
		if (g->running.v[i]->code->meeting)
			n = earlier_cycle(n, (Cycle)g->config.launch_grid_barrier);
	if (g->first_waiting < g->queue.n)
		n = earlier_cycle(n, dependent_gap(g) + 1);
	return grid_to_place(g) ? earlier_cycle(n, (Cycle)g->config.sm_block_launch) : n;
}

/* Puts the SM's number into the list, which is in ascending order. */
static void list_sm(IntVec *list, int sm)
{
	vec_push(list, sm);
	for (int i = list->n - 1; i > 0 && list->v[i - 1] > sm; i--) {
		list->v[i] = list->v[i - 1];
		list->v[i - 1] = sm;
	}
}

/* Makes the SM, if it has had no block since grids began to run. */
static Sm *make_sm(Gpu *g, int i)
{
	Sm *sm = &g->sm[i];
	if (!sm->gpu) {
		sm_create(g, sm, i);
		list_sm(&g->made, i);
	}
	return sm;
}

static void make_active(Gpu *g, Sm *sm)
{
	if (sm->active)
		return;
	sm->active = true;
	list_sm(&g->active, sm->id);
}

void streams_put_aside(Gpu *g)
{
	int n = 0;
	each_active_sm(g, sm) {
		sm->active = sm->resident || sm->arrival.n || sm->fault.kind || sm->lsu_n || sm->deferred.n;
		if (sm->active)
			g->active.v[n++] = sm->id;
	}
	g->active.n = n;
}

/* Adds an arrival to the SM's list, which is in the order of their cycles. */
static void announce(Sm *sm, Arrival a)
{
	make_active(sm->gpu, sm);
	vec_push(&sm->arrival, a);
	for (int i = sm->arrival.n - 1; i > sm->arrived && sm->arrival.v[i - 1].cycle > a.cycle; i--) {
		sm->arrival.v[i] = sm->arrival.v[i - 1];
		sm->arrival.v[i - 1] = a;
	}
}

/* Notes when the grid's block gets its place; the grid may have had enough blocks then. */
static void log_block(Grid *x, uint64_t block, Cycle when)
{
	const BlockLog *log = x->log;
	if (!log->begin)
		return;
	log->begin[block - log->first] = when;
	if (log->enough && log->enough(log->self, x->next_cta)) {
		x->left -= x->ctas - x->next_cta;
		x->ctas = x->next_cta;
	}
}

/* Makes the grid's next block resident on the SM in cycle `when`; in functional runs at once. */
static void announce_block(Gpu *g, Sm *sm, Grid *x, Cycle when)
{
	const BlockLog *log = x->log;
	if (log && log->stagger && x->next_cta - log->first < log->nstagger)
		when += log->stagger[x->next_cta - log->first];
	Arrival a = { when, x, x->next_cta++ };
	g->had_block[sm->id] = true;
	if (!x->share[sm->id])
		sm_share(sm, x);
	if (x->log)
		log_block(x, a.block, when);
	if (g->options.functional)
		sm_place(sm, &a);
	else
		announce(sm, a);
}

/* False: all blocks of the grid must be resident at once (Grid.together), and there is no room for all
   now. */
static bool fits_now(const Gpu *g, const Grid *x)
{
	uint64_t room = 0;
	const char *limit;
	for (int i = 0; i < g->config.sm_count && x->together; i++)
		room += (uint64_t)(g->sm[i].gpu ? sm_room(&g->sm[i], x) : sm_capacity(&g->config, x, &limit));
	return !x->together || room >= x->ctas;
}

/* Reserves room for the grid's next block. Where each block's work is noted, they run one after the other. */
static bool reserve(Gpu *g, int i, const Grid *x)
{
	if (x->log && x->log->done && (i || g->sm[0].resident))
		return false;
	return sm_reserve(make_sm(g, i), x);
}

/* Gives the SMs in turn one block each, as long as any of them has room; the blocks of one grid after those
   of another. */
static void place_blocks(Gpu *g, Cycle when)
{
	for (Grid *x; (x = grid_to_place(g)) && fits_now(g, x);) {
		for (bool placed = true; placed && x->next_cta < x->ctas;) {
			placed = false;
			for (int i = 0; i < g->config.sm_count && x->next_cta < x->ctas; i++)
				if (reserve(g, i, x)) {
					announce_block(g, &g->sm[i], x, when);
					placed = true;
				}
		}
		if (x->next_cta < x->ctas)
			return;
	}
}

/* A block has ended on the SM: the next blocks go there. As soon as the last block of a grid has got its
   place, blocks of the next grid may go to any SM. */
static void replace_block(Gpu *g, Sm *sm, Cycle ended)
{
	Cycle when = ended + (Cycle)g->config.sm_block_launch;
	for (Grid *x; (x = grid_to_place(g)) && !x->together && reserve(g, sm->id, x);) {
		announce_block(g, sm, x, when);
		if (x->next_cta == x->ctas)
			place_blocks(g, when);
	}
	Grid *next = grid_to_place(g);
	if (next && next->together)
		place_blocks(g, when);
}

/* ---- begin and end ---- */

/* Scheduler-cycles without a warp until cycle `when`. Every SM that has warps must have come to that
   cycle. */
static uint64_t empty_until(const Gpu *g, Cycle when)
{
	Cycle each = (Cycle)g->config.sched_count;
	uint64_t n = (uint64_t)(g->config.sm_count - g->made.n) * (when - g->begin) * each;
	each_made_sm(g, sm)
		n += sm->empty + (when - sm->now) * each;
	return n;
}

static void caches_begin(Gpu *g, Cycle begin)
{
	if (g->options.functional)
		return;
	if (g->config.launch_cold && !g->running.n)
		gpu_flush(g);
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->smmem[i])
			smmem_launch(g->smmem[i], begin);
}

void streams_come_to(Gpu *g, Cycle when)
{
	SmAdvance *advance = sm_advance(g);
	each_active_sm(g, sm) {
		sm->until = when;
		advance(sm, when);
	}
}

/* Ends the current stretch of cycles in which some grid was running, if there is one, and adds it to the
   totals. A grid may begin while accesses of the last one are still under way; then the stretch goes on, and
   is not closed between the two. */
static void close_stretch(Gpu *g)
{
	if (!g->busy_open)
		return;
	g->busy_open = false;
	g->busy += g->busy_until - g->busy_since;
	if (g->options.intervals)
		intervals_run(g->options.intervals, g->busy_since, g->busy_until,
			(uint64_t)(g->config.sched_count * g->config.sm_count));
	g->empty += empty_until(g, g->busy_until) - g->empty_since;
}

void streams_begin(Gpu *g, Grid *x)
{
	if (g->running.n)
		streams_come_to(g, x->begin);
	caches_begin(g, x->begin);
	x->alone = !g->running.n;
	x->empty = empty_until(g, x->begin);
	if (x->alone && !(g->busy_open && x->begin < g->busy_until)) {
		close_stretch(g);
		g->busy_open = true;
		g->busy_since = x->begin;
		g->empty_since = x->empty;
	}
	for (int i = 0; i < g->running.n; i++)
		g->running.v[i]->alone = false;
	x->begun = true;
	x->left = x->ctas - x->next_cta;
	x->share = arena_array(&x->arena, Share *, g->config.sm_count);
	x->tid = threads_in_warps(&x->arena, x->launch->block, x->warps_per_cta, warp_width(g));
	for (int i = 0; i < g->config.sm_count && g->options.trace; i++)
		sm_share(make_sm(g, i), x); /* a trace tells of all SMs */
	g->last_begin = x->begin;
	livelock_grid(g, x);
	events_begin(g, x);
	vec_push(&g->running, x);
	place_blocks(g, x->begin);
}

void streams_open(Gpu *g)
{
	g->place = arena_array(&g->arena, Cycle, g->config.launch_resident);
	g->first_waiting = g->ended_grids = 0;
	admit_grids(g, g->now);
}

void streams_advance(Gpu *g, Cycle now)
{
	for (int i = 0; i < g->coming.n;) {
		Grid *x = g->coming.v[i];
		if (x->begin > now) {
			i++;
			continue;
		}
		memmove(g->coming.v + i, g->coming.v + i + 1,
			sizeof *g->coming.v * (size_t)(--g->coming.n - i));
		streams_begin(g, x);
	}
	admit_grids(g, now);
}

static void grid_leaves(Gpu *g, Grid *x, Cycle end, Cycle gone)
{
	int i = 0;
	while (g->running.v[i] != x)
		i++;
	memmove(g->running.v + i, g->running.v + i + 1, sizeof *g->running.v * (size_t)(--g->running.n - i));
	x->end = end;
	x->gone = gone;
	g->last_gone = latest(g->last_gone, gone);
	g->busy_until = latest(g->busy_until, end);
	if (x->alone)
		x->empty = empty_until(g, end) - x->empty;
}

/* The last block of the grid has ended. The grid ends when all accesses that its warps have sent are done.
   But under a mechanism with ReconvModel.own_slots, which is a bound, its cycles count until its last lane
   has ended. */
static void end_grid(Gpu *g, Grid *x)
{
	Cycle gone = x->last;
	each_made_sm(g, sm)
		if (x->share[sm->id])
			gone = latest(gone, x->share[sm->id]->totals.quiet);
	grid_leaves(g, x, g->model->own_slots ? x->last : gone, gone);
	x->completed = true;
	vec_push(&g->finished, x);
	g->ended_grids++;
	if (x->place)
		*x->place = gone;
}

void streams_stop(Gpu *g, Cycle now)
{
	while (g->running.n)
		grid_leaves(g, g->running.v[0], now, now);
	close_stretch(g);
}

/* ---- barriers of whole grids ---- */

/* Opens the grid's barrier if all blocks that have threads left wait there: launch.grid_barrier_cycles, and
   more where several of them wait on one SM, after the last block came to wait, or ended. No SM has come to
   that cycle yet, since windows are shorter (streams_window). In functional runs the barrier opens at
   once. */
static void let_meet(Gpu *g, Grid *x)
{
	uint64_t waiting = 0, ended = 0, most = 1;
	Cycle last = 0;
	each_made_sm(g, sm) {
		const Share *h = x->share[sm->id];
		if (!h)
			continue;
		waiting += h->meeting.waiting;
		most = latest(most, h->meeting.waiting);
		ended += h->meeting.ended;
		last = latest(last, h->meeting.last);
	}
	if (!waiting || waiting + ended < x->ctas)
		return;
	if (x->launch->races)
		race_grid_barrier(x->launch->races);
	x->meetings++;
	x->opens = last + (Cycle)g->config.launch_grid_barrier +
		(most - 1) * (Cycle)g->config.launch_grid_barrier_block;
	if (g->options.intervals)
		intervals_at(g->options.intervals, x->opens)->grid_barriers++;
	each_made_sm(g, sm) {
		Share *h = x->share[sm->id];
		if (!h || !h->meeting.waiting)
			continue;
		h->meeting.waiting = 0;
		if (g->options.functional)
			barrier_grid_opens(sm, h);
		else
			announce(sm, (Arrival){ x->opens, x, GRID_OPENS });
	}
}

/* When the SM's next block ended of which the dispatcher has not heard; NEVER: there is none. */
static Cycle next_freed(const Sm *sm)
{
	return sm->heard < sm->freed.n ? sm->freed.v[sm->heard].cycle : NEVER;
}

static void block_ended(Gpu *g, Sm *sm, const Freed *f)
{
	sm_give_back(sm, f->grid);
	f->grid->last = f->cycle + 1;
	replace_block(g, sm, f->cycle);
	if (!--f->grid->left)
		end_grid(g, f->grid);
}

void streams_dispatch(Gpu *g)
{
	Order *o = g->order;
	each_made_sm(g, sm)
		order_add(o, sm->id, next_freed(sm));
	for (int i; (i = order_first(o)) >= 0;) {
		Sm *sm = &g->sm[i];
		block_ended(g, sm, &sm->freed.v[sm->heard++]);
		order_next(o, next_freed(sm));
	}
	each_made_sm(g, sm) {
		vec_clear(&sm->freed);
		sm->heard = 0;
	}
	for (int i = 0; i < g->running.n; i++)
		if (g->running.v[i]->code->meeting)
			let_meet(g, g->running.v[i]);
	if (!g->options.functional)
		admit_grids(g, g->now);
}
