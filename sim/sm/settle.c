/* The end of a window: what has come from beyond the SM is put into the scoreboards, and warps that wait for
   it are told. */
#include "sim/sm/operands.h"

/* When the split will be ready, as far as its data go, as seen in the window's last cycle. What else keeps it
   back then may have gone before they come. A split that waits for an event is to be looked at when that
   comes. No other one is: a look too many may change whose turn it is. */
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

/* Something has come for the warp, or it is known when: it sleeps no longer than that. Why it sleeps stays as
   it was seen. */
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
		if (t.cycle < sm->now) /* nothing that came has kept it back */
			continue;
		if (model->times.known && t.why == STALL_MEMORY && wait_over(&s->wait, sm->now - 1))
			model->times.known(w, s);
		first = t.cycle < first ? t.cycle : first;
	}
	if (w->alarm < first && !w->ending)
		first = w->alarm;
	Sched *d = w->sched;
	if (first < d->wake[w->place])
		d->wake[w->place] = first;
	if (first < d->sleep)
		d->sleep = first;
}

/* Splits hear of the events that have been told. The sets that are left begin a new list. */
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
	/* came: of a part of a generic instruction, whose registers may have to wait for the others */
	Cycle known = 0, came = 0, ready = 0;
	Mask hits = 0;
	bool whole = true;
	for (int k = 0; k < sm->deferred.n; k++) {
		Deferred *d = &sm->deferred.v[k];
		Warp *w = d->warp;
		/* a print's lanes know when they go on */
		if (d->data_only || (d->ins && d->ins->kind == K_PRINT))
			continue;
		if (d->ticket) {
			hits = d->ticket->hit_lanes;
			known = d->ticket->hits;
			came = ready = smmem_resolve(sm->mem, d->ticket);
			whole = whole_ready(sm, d->ticket, &ready);
			vec_push(&sm->tickets, d->ticket);
		}
		if (d->ins) {
			w->outstanding -= comes_back(d->ins);
			if (tracing(sm) && comes_back(d->ins)) {
				tracer_return(sm, w, d->ins, d->lanes & ~hits, d->cycle, came);
				tracer_return(sm, w, d->ins, d->lanes & hits, d->cycle, known);
			}
			if (d->ins->nwr && whole)
				scoreboard_write(sm, w, d->ins, d->lanes, ready, true);
			if (hits & d->lanes)
				scoreboard_write(sm, w, d->ins, hits & d->lanes, known, true);
			if (comes_back(d->ins) && ready > w->drain)
				w->drain = ready;
		} else {
			events_tell(&sm->awaited, d->event, ready > d->cycle ? ready : d->cycle + 1);
		}
	}
	if (sm->awaited.member.n)
		hear_all(sm);
	if (sm->lsu_free >= PENDING)
		sm->lsu_free = smmem_retry(sm->mem, sm->until);
	for (int k = 0; k < sm->deferred.n; k++)
		if (!sm->deferred.v[k].data_only && (!sm->deferred.v[k].ins ||
			sm->deferred.v[k].ins->kind != K_PRINT))
			tell_warp(sm, sm->deferred.v[k].warp);
	for (int k = 0; k < sm->nwarps && sm->gpu->model->regroups && sm->deferred.n; k++)
		tell_warp(sm, &sm->warp[k]); /* any may carry lanes whose home has its data now */
	vec_clear(&sm->deferred);
	vec_clear(&sm->data);
	vec_clear(&sm->origins);
}
