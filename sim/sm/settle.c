/* The end of a window: what has come from beyond the SM is put into the scoreboards, and warps that wait for
   it are told. */
#include "sim/machine/levels.h"
#include "sim/sm/operands.h"

/* When the split will be ready as far as its data are concerned, as seen in the window's last cycle: other
   causes that keep it back in that cycle may be gone before its data come. A split that waits for an event is
   to be looked at when the event comes. No other split is: to look at one once too often may change whose
   turn it is. */
static When when_data_known(const Sm *sm, const Warp *w, const Split *s)
{
	const MIns *i = &w->ins[s->pc];
	When t = when_waited(s);
	if (wait_awaits(&s->wait, sm->now - 1))
		return t;
	When data = sm->gpu->model->own_slots ? lanes_operands(sm, w, s, i)
		: when_operands(sm, w, s, i, sm->now - 1);
	return data.cycle > t.cycle || t.cycle < sm->now ? data : t;
}

/* Something has come for the warp, or it is known now when it comes: the warp sleeps no longer than until
   that cycle. The reason noted for its sleep stays as it was. */
static void tell_warp(Sm *sm, Warp *w)
{
	const ReconvModel *model = sm->gpu->model;
	Cycle first = w->ending && !w->outstanding && !w->queued ? w->drain : NEVER;
	if (!w->used || (w->nsplit == 1 && w->sched->wake[w->place] < PENDING && w->alarm == NO_ALARM &&
		!model->times.known))
		return;
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (s->state != SPLIT_RUN)
			continue;
		When t = when_data_known(sm, w, s);
		/* the split could have issued within the window: what has come now did not keep it back */
		if (t.cycle < sm->now)
			continue;
		if (model->times.known && t.why == STALL_MEMORY && wait_over(&s->wait, sm->now - 1))
			model->times.known(w, s);
		first = t.cycle < first ? t.cycle : first;
	}
	if (w->alarm < first && !w->ending)
		first = w->alarm;
	Sched *d = w->sched;
	if (first < d->wake[w->place]) {
		d->wake[w->place] = first;
		d->wanted[w->place] = 0;
	}
	if (first < d->sleep)
		d->sleep = first;
}

/* Takes the events that have been told out of the splits' waits. Sets of events that are left begin a new
   list. */
static void hear_all(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++)
		for (int x = 0; sm->warp[k].used && x < sm->warp[k].nsplit; x++)
			wait_hear(&sm->awaited, &sm->renewed, &sm->warp[k].split[x].wait);
	Events old = sm->awaited;
	sm->awaited = sm->renewed;
	vec_clear(&old.member);
	sm->renewed = old;
}

void sm_settle(Sm *sm)
{
	/* came: when the data of a part of a generic instruction are there; its registers may have to wait
	   for the other parts */
	Cycle known = 0, came = 0, ready = 0;
	uint8_t level = 0;
	Mask hits = 0;
	bool whole = true;
	for (int k = 0; k < sm->deferred.n; k++) {
		Deferred *d = &sm->deferred.v[k];
		Warp *w = d->warp;
		/* the lanes of a print wait for a cycle that is known already (exec_print) */
		if (d->data_only || (d->ins && d->ins->kind == K_PRINT))
			continue;
		if (d->ticket) {
			hits = d->ticket->hit_lanes;
			known = d->ticket->hits;
			came = ready = smmem_resolve(sm->mem, d->ticket);
			level = d->ticket->level;
			whole = whole_ready(sm, d->ticket, &ready, &level);
			vec_push(&sm->tickets, d->ticket);
		}
		if (d->ins) {
			w->outstanding -= comes_back(d->ins);
			if (tracing(sm) && comes_back(d->ins)) {
				tracer_return(sm, w, d->ins, d->lanes & ~hits, d->cycle, came);
				tracer_return(sm, w, d->ins, d->lanes & hits, d->cycle, known);
			}
			if (d->ins->nwr && whole)
				scoreboard_loaded(sm, w, d->ins, d->lanes, ready, level);
			if (hits & d->lanes)
				scoreboard_loaded(sm, w, d->ins, hits & d->lanes, known, LEVEL_L1);
			if (comes_back(d->ins) && ready > w->drain)
				w->drain = ready;
		} else {
			events_tell(&sm->awaited, d->event, ready > d->cycle ? ready : d->cycle + 1);
		}
	}
	levels_settle(sm);
	if (sm->awaited.member.n)
		hear_all(sm);
	if (sm->lsu_free >= PENDING)
		sm->lsu_free = smmem_retry(sm->mem, sm->until);
	for (int k = 0; k < sm->deferred.n; k++)
		if (!sm->deferred.v[k].data_only && (!sm->deferred.v[k].ins ||
			sm->deferred.v[k].ins->kind != K_PRINT))
			tell_warp(sm, sm->deferred.v[k].warp);
	for (int k = 0; k < sm->nwarps && sm->gpu->model->regroups && sm->deferred.n; k++)
		tell_warp(sm, &sm->warp[k]); /* any warp may carry lanes whose home has its data now */
	vec_clear(&sm->deferred);
	vec_clear(&sm->data);
	vec_clear(&sm->origins);
}
