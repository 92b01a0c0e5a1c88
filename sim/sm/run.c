/* Advances one SM through a window of cycles. Each cycle, every scheduler issues from the first warp in its
 * policy's order that can (policies.c, issue.c); when none can anywhere, time jumps to the first cycle at
 * which one may. Every scheduler-cycle is counted as an issue or as one reason (idle.c): of those that keep
 * back its warps, the one nearest to an issue.
 *
 * Nothing here shall depend on where a window ends. What comes from beyond the SM is PENDING until the end of
 * the window tells when it comes (settle.c), never before it; so no reason, and no decision, may ask how far
 * off such an event is. */
#include "sim/sm/internal.h"

enum { HOST_LINE = 64 };               /* bytes of a line of the host's caches, or less */

static Cycle next_arrival(const Sm *sm)
{
	return sm->arrived < sm->arrival.n ? sm->arrival.v[sm->arrived].cycle : NEVER;
}

static void retire_ended(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++)
		if (sm->warp[k].used && sm->warp[k].ended) {
			sm->warp[k].ended = false;
			warp_retire(sm, &sm->warp[k]);
		}
	sm->nended = 0;
}

/* Runs one cycle. Returns the cycle in which the next issue may be; after an issue, now + 1. When
   issue_from_warp wakes warps without an issue, because it lets splits go on behind a barrier or scatters
   them, it asks for the next cycle, too: so a scheduler that this cycle has passed already is not
   forgotten. */
static Cycle run_cycle(Sm *sm, int64_t n)
{
	Cycle next = NEVER;
	for (int64_t k = 0; k < n; k++) {
		Sched *d = &sm->sched[sm->turn[k]];
		if (d->sleep <= sm->now) {
			if (sm->pick(sm, d)) {
				sm->issued++;
				d->of = sm->warp[d->last].share;
				d->of->totals.issued++;
				next = sm->now + 1;
				d->sleep = 0;
				d->why = STALL_COUNT;
				continue;
			}
			idle_fall_asleep(sm, d);
		}
		++*d->idle;
		next = d->sleep < next ? d->sleep : next;
	}
	if (sm->unfair)
		arbiter_give_way(sm, (int)n);
	if (sm->nended) {
		retire_ended(sm);
		for (int64_t k = 0; k < n; k++)
			sm->sched[k].sleep = 0;
		return sm->now + 1;
	}
	return next > sm->now ? next : sm->now + 1;
}

/* Lets the time until then pass, in which the SM has no block. */
static void pass_empty(Sm *sm, Cycle until)
{
	sm->empty += (until - sm->now) * (Cycle)sm->gpu->config.sched_count;
	sm->now = until;
}

static void begin_arrival(Sm *sm, const Arrival *a)
{
	if (a->block == GRID_OPENS)
		barrier_grid_opens(sm, a->grid->share[sm->id]);
	else
		sm_place(sm, a);
}

/* Asks the host's cache for what the core reads of the warp first. */
static inline void prefetch_warp(const Warp *w)
{
	for (const char *p = (const char *)w, *end = (const char *)(w + 1); p < end; p += HOST_LINE)
		__builtin_prefetch(p);
}

/* The same for what the warp points to. */
static inline void prefetch_parts(const Warp *w)
{
	const char *split = (const char *)w->split, *state = w->state;
	__builtin_prefetch(split);
	__builtin_prefetch(split + HOST_LINE);
	__builtin_prefetch(state);
	__builtin_prefetch(state + HOST_LINE);
	__builtin_prefetch(w->group);
	__builtin_prefetch(w->ready);
	__builtin_prefetch(w->partings);
}

void sm_prefetch(const Sm *sm, Cycle to)
{
	for (int pass = 0; pass < 2 && sm->resident; pass++)
		for (int64_t k = 0; k < sm->gpu->config.sched_count; k++) {
			const Sched *d = &sm->sched[k];
			for (int i = 0; i < d->n; i++) {
				const Warp *w = &sm->warp[d->order[i]];
				if (d->wake[i] < to && !pass)
					prefetch_warp(w);
				else if (d->wake[i] < to)
					prefetch_parts(w);
			}
		}
}

void sm_run(Sm *sm, Cycle to)
{
	int64_t n = sm->gpu->config.sched_count;
	bool traced = tracing(sm);
	while (sm->now < to && !sm->fault.kind && (sm->resident || next_arrival(sm) != NEVER)) {
		if (!sm->resident && next_arrival(sm) > sm->now) {
			Cycle next = next_arrival(sm);
			pass_empty(sm, next < to ? next : to);
			continue;
		}
		while (next_arrival(sm) <= sm->now)
			begin_arrival(sm, &sm->arrival.v[sm->arrived++]);
		if (lsu_next(sm) <= sm->now)
			lsu_serve(sm);
		Cycle next = run_cycle(sm, n);
		if (traced)
			tracer_cycle(sm);
		if (next > lsu_next(sm))
			next = lsu_next(sm);
		if (next > next_arrival(sm))
			next = next_arrival(sm);
		if (next > to)
			next = to;
		if (next > sm->now + 1)
			for (int64_t k = 0; k < n; k++)
				*sm->sched[k].idle += next - sm->now - 1;
		sm->now = next;
	}
	if (sm->arrived == sm->arrival.n)
		sm->arrived = sm->arrival.n = 0;
}

Cycle sm_next(const Sm *sm)
{
	Cycle least = next_arrival(sm) < lsu_next(sm) ? next_arrival(sm) : lsu_next(sm);
	if (!sm->resident || sm->fault.kind)
		return sm->fault.kind ? NEVER : least;
	for (int64_t i = 0; i < sm->gpu->config.sched_count; i++) {
		const Sched *d = &sm->sched[i];
		if (d->sleep > sm->now && d->sleep < least)
			least = d->sleep;
		for (int k = 0; k < d->n && d->sleep <= sm->now; k++)
			if (d->wake[k] < least)
				least = d->wake[k];
	}
	return least < sm->now ? sm->now : least;
}
