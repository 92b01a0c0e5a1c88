/* Runs the machine. In timed runs SMs run side by side for a window of cycles; then what each did becomes
   known to all. In functional runs the SMs take turns. */
#include "sim/machine/levels.h"
#include "sim/machine/scoreboard.h"
#include "sim/gpu/run.h"
#include "lib/interrupt.h"
#include "sim/gpu/events.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/order.h"
#include "sim/gpu/pool.h"
#include "sim/gpu/sampled.h"
#include "sim/gpu/streams.h"
#include "sim/sm/sm.h"
#include "sim/stuck/stuck.h"

enum {
	CHECK_CYCLES = 1024,           /* cycles between two checks for faults and livelocks */
	MANY_SMS = 12                  /* so many SMs may have more than a cache of the host's holds */
};

/* Finds the fault with the earliest cycle on any SM. False: there is none. */
static bool first_fault(Gpu *g, Failure *out)
{
	const Sm *first = NULL;
	each_made_sm(g, sm)
		if (sm->fault.kind && (!first || sm->fault_cycle < first->fault_cycle))
			first = sm;
	if (first)
		*out = (Failure){ first->fault, first->fault_grid };
	return first != NULL;
}

/* ---- windows ---- */

/* The cycle of the SM's next deferred access that has lanes, from index Sm.applied on, or NEVER; Sm.applied
   becomes its index. */
static Cycle next_access(Sm *sm)
{
	while (sm->applied < sm->deferred.n && !sm->deferred.v[sm->applied].mask)
		sm->applied++;
	return sm->applied < sm->deferred.n ? sm->deferred.v[sm->applied].cycle : NEVER;
}

void window_apply(Gpu *g)
{
	Order *o = g->order;
	each_active_sm(g, sm) {
		sm->applied = 0;
		order_add(o, sm->id, next_access(sm));
	}
	for (int i; (i = order_first(o)) >= 0;) {
		Sm *sm = &g->sm[i];
		deferred_apply(sm, &sm->deferred.v[sm->applied++]);
		order_next(o, next_access(sm));
	}
}

static bool gpu_interrupted(const Gpu *g) { return is_interrupted(g->options.interrupted); }

static uint64_t issued_by_all(const Gpu *g)
{
	uint64_t n = 0;
	each_made_sm(g, sm)
		n += sm->issues;
	return n;
}

/* The cycle at which a grid has run for limits.max_cycles; NEVER: there is no such limit. Of all grids that
   run, the one that began first reaches its limit first. */
static Cycle last_cycle(const Gpu *g)
{
	return g->config.max_cycles && g->running.n ? g->running.v[0]->begin + (Cycle)g->config.max_cycles
		: NEVER;
}

static void too_long(const Gpu *g, Failure *out)
{
	out->grid = g->running.v[0];
	fault_text(&out->fault, FAULT_LIMIT, "kernel %s has run for limits.max_cycles = %lld cycles",
		out->grid->launch->kernel->name, (long long)g->config.max_cycles);
}

/* Checks the machine as a whole for too long runs, faults and livelock, when every SM has come to cycle `now`
   and the next event is in cycle `start`. True: the run ends here, and `out` says why. */
static bool check_machine(Gpu *g, Cycle now, Cycle start, Failure *out)
{
	Cycle last = last_cycle(g);
	if (start >= last) {
		streams_come_to(g, last);
		if (!first_fault(g, out))
			too_long(g, out);
		return true;
	}
	if (now <= g->looked)
		return false;
	streams_come_to(g, now);
	g->now = g->looked = now;
	return first_fault(g, out) || livelock_check(g, &out->fault, &out->grid);
}

/* The first cycle in which an SM has something to do or a grid is called or begins; PENDING or more: there is
   none, so nothing can happen any more. */
static Cycle next_gpu_event(const Gpu *g)
{
	Cycle first = g->next_grid;
	each_active_sm(g, sm) {
		Cycle t = sm_next(sm);
		first = t < first ? t : first;
	}
	return first;
}

static Cycle last_check(const Gpu *g, Cycle now) { return now - (now - g->begin) % CHECK_CYCLES; }
static Cycle next_check(const Gpu *g, Cycle now) { return last_check(g, now) + CHECK_CYCLES; }

/* The end of the window that begins at `start`. The window is too short for what an SM does in it to reach
   another SM, and it does not lead past the begin of a grid, the next check or the last cycle allowed. */
static Cycle window_end(const Gpu *g, Cycle start)
{
	Cycle stop = next_check(g, start), last = last_cycle(g), end = start + streams_window(g, g->window);
	stop = g->next_grid < stop ? g->next_grid : stop;
	stop = last < stop ? last : stop;
	return end < stop ? end : stop;
}

/* Collects what the SMs have counted in intervals that have ended. */
static void collect_samples(Gpu *g)
{
	if (g->options.intervals)
		each_made_sm(g, sm)
			sm_give_samples(sm, g->options.intervals);
}

void window_serve(Gpu *g)
{
	int n = 0;
	each_active_sm(g, sm)
		g->draining[n++] = sm->mem;
	mem_serve(g->mem, g->draining, n);
}

void window_advance(Gpu *g, Sm *sm, Cycle until)
{
	sm->until = until;
	if (g->active.n >= MANY_SMS)
		sm_prefetch(sm, until);
	sm_advance(g)(sm, until);
	mem_send(g->mem, sm->mem);
}

void window_settle(Gpu *g, Sm *sm)
{
	mem_receive(g->mem, sm->mem);
	sm_settle(sm);
}

/* Makes what each SM did in the window known to the trace and the streams. */
static void exchange_window(Gpu *g)
{
	for (int i = 0; i < g->running.n; i++)
		events_flush(g, g->running.v[i], g->now);
	collect_samples(g);
	streams_dispatch(g);
	streams_put_aside(g);
}

static void close_finished(Gpu *);

static bool timed_run(Gpu *g, Failure *out)
{
	bool ok = false;
	Cycle last = g->begin;         /* the cycle in which the window before began */
	streams_open(g);
	for (uint64_t round = 0; !gpu_interrupted(g); round++) {
		if (!streams_left(g)) {
			ok = !first_fault(g, out);
			break;
		}
		Cycle start = next_gpu_event(g);
		if (start >= PENDING) {
			streams_come_to(g, next_check(g, last));
			if (!first_fault(g, out))
				deadlock_report(g, &out->fault, &out->grid);
			break;
		}
		if (check_machine(g, last_check(g, start), start, out))
			break;
		if (start >= g->next_grid)
			streams_advance(g, start);
		last = start;
		g->now = window_end(g, start);
		pool_run(g->pool, g->now);
		exchange_window(g);
		close_finished(g);
		if (g->options.progress && (round & 1023) == 0)
			g->options.progress(g->options.self, g->now, issued_by_all(g));
	}
	pool_launch_ends(g->pool);
	return ok;
}

/* Gives each warp of the SM a turn. *moved becomes true unless no warp can go on. False: the run has now
   issued all that it may. */
static bool functional_turn(Gpu *g, Sm *sm, bool *moved)
{
	uint64_t before = sm->issues, *left = g->options.issues_left;
	*moved |= functional_round(sm);
	uint64_t n = sm->issues - before;
	if (!left)
		return true;
	*left -= n < *left ? n : *left;
	return *left > 0;
}

static bool functional_run(Gpu *g, Grid *x, Failure *out)
{
	const Function *kernel = x->launch->kernel;
	out->grid = x;
	streams_begin(g, x);
	for (uint64_t round = 0;; round++) {
		if (x->log)
			sampled_note_block(g, x);
		streams_dispatch(g);
		bool moved = false, resident = false, within = true;
		each_made_sm(g, sm)
			if (sm->resident) {
				resident = true;
				within = within && functional_turn(g, sm, &moved);
			}
		events_flush(g, x, NEVER);
		if (!resident)
			return true;
		each_made_sm(g, sm)
			g->now = sm->now > g->now ? sm->now : g->now;
		if (first_fault(g, out) || livelock_check(g, &out->fault, &out->grid) || gpu_interrupted(g))
			return false;
		if (!within) {
			fault_text(&out->fault, FAULT_LIMIT, "kernel %s has issued as many instructions as "
				"it may", kernel->name);
			return false;
		}
		if (!moved) {
			deadlock_report(g, &out->fault, &out->grid);
			return false;
		}
		if (g->config.max_cycles && g->now - g->begin > (Cycle)g->config.max_cycles) {
			fault_text(&out->fault, FAULT_LIMIT, "kernel %s has issued limits.max_cycles = %lld "
				"instructions", kernel->name, (long long)g->config.max_cycles);
			return false;
		}
		if (g->options.progress && (round & 15) == 0)
			g->options.progress(g->options.self, g->now, g->now);
	}
}

static void measure_grid(Gpu *g, Grid *x)
{
	events_end(g, x);
	each_made_sm(g, sm)
		levels_count(sm);
	gpu_gather(g, x, g->out);
	if (g->options.intervals)
		each_made_sm(g, sm)
			sm_sample_grid(sm, x);
}

static void free_share(Sm *sm, Share *x)
{
	levels_forget(sm, x);
	share_free(x);
}

static void free_grid(const Gpu *g, Grid *x)
{
	each_made_sm(g, sm)
		if (x->share[sm->id])
			free_share(sm, x->share[sm->id]);
	arena_free(&x->arena);
	x->share = NULL;
}

/* Measures the grids that have ended, then frees them. All are measured before the first is freed: when a run
   has failed, warps of all grids are still there. */
static void close_finished(Gpu *g)
{
	for (int i = 0; i < g->finished.n; i++)
		measure_grid(g, g->finished.v[i]);
	for (int i = 0; i < g->finished.n; i++)
		free_grid(g, g->finished.v[i]);
	if (g->finished.n)
		collect_samples(g);
	vec_clear(&g->finished);
}

static void open_machine(Gpu *g, Cycle begin)
{
	g->begin = g->now = g->looked = begin;
	g->next_grid = NEVER;
	if (g->mem)
		mem_sample(g->mem, g->options.intervals);
	g->latencies = latencies_build(&g->arena, &g->config);
	g->last_begin = begin;
	g->writes = 0;
	livelock_start(g);
}

/* Stops the machine; ok: all grids have ended. Grids that still run are measured up to now. */
static void close_machine(Gpu *g, bool ok)
{
	Cycle end = g->begin;
	each_made_sm(g, sm)
		end = sm->now > end ? sm->now : end;
	if (g->options.functional)
		g->ended = end;
	for (int i = 0; i < g->running.n; i++)
		vec_push(&g->finished, g->running.v[i]);
	streams_stop(g, end);
	close_finished(g);
	if (g->options.intervals)
		each_made_sm(g, sm)
			sm_sample_end(sm);
	collect_samples(g);
	each_made_sm(g, sm)
		if (ok)
			sm_rest(sm);
		else
			sm_destroy(sm);
	vec_clear(&g->made);
	vec_clear(&g->active);
	arena_free(&g->arena);
}

/* Functional runs: one grid after the other, in the order of the host's calls. */
bool run_functional(Gpu *g, Failure *out)
{
	bool ok = true;
	for (int i = 0; ok && i < g->queue.n; i++) {
		g->queue.v[i]->begin = g->ended;
		open_machine(g, g->ended);
		ok = functional_run(g, g->queue.v[i], out);
		close_machine(g, ok);
	}
	return ok;
}

bool run_timed(Gpu *g, Failure *out)
{
	open_machine(g, g->queue.v[0]->called + (Cycle)g->config.launch_latency);
	bool ok = timed_run(g, out);
	close_machine(g, ok);
	g->ended = g->last_gone;
	g->host = g->host > g->ended ? g->host : g->ended;
	return ok;
}
