/* The issue of two splits at once, for mechanisms that find a second one for the lanes that the first leaves
 * idle (ReconvModel.pairs). */
#include "sim/sm/attempt.h"

/* Issues another split, if one can, on lanes that the issue of instruction `first` has left idle. Both issues
   count as one scheduler-cycle. */
static void issue_partner(Sm *sm, Warp *w, const MIns *first, Mask lanes)
{
	Warp *of;
	Split *s;
	for (int n = 0; (s = sm->gpu->model->pairs.partner(w, lanes, n, &of)); n++) {
		const MIns *i;
		UnitCopy *unit;
		When t = examine_split(sm, of, s, &i, &unit,
			is_memory_ins(first) ? NULL : w->sched->unit[first->unit].copy);
		if (t.cycle > sm->now)
			continue;
		issue_instruction(sm, of, s, i, unit);
		reconv_count_own(w, of == w ? "pairs_of_a_warp" : "pairs_of_warps");
		if (of == w)
			return;
		warp_wake(of);
		if (of->ending)
			sm_end_warp(sm, of);
		return;
	}
}

/* The warp, which has one split, has issued. Where another warp may issue with it, it may do so as partner
   before it is tried again: then nobody has looked for what it waits for in between, and it must not be noted
   that it waits for something. */
static void sleep_after_first(Sm *sm, Warp *w)
{
	if (w->ending || !sm->gpu->model->pairs_of_warps)
		sleep_after_issue(sm, w);
	else
		sm_sleep_until(w, (When){ sm->now + 1, NO_PC, STALL_DATA });
}

/* As try_pair, for a warp that has one split (ReconvModel.pairs_need_choice). */
static bool try_first_of_pair(Sm *sm, Warp *w)
{
	const MIns *i = NULL;
	UnitCopy *unit;
	Split *s = w->split;
	Mask lanes = s->mask;
	When t = s->state == SPLIT_RUN ? examine_split(sm, w, s, &i, &unit, NULL)
		: (When){ NEVER, NO_PC, STALL_BARRIER };
	if (t.cycle <= sm->now) {
		issue_instruction(sm, w, s, i, unit);
		if (!sm->fault.kind)
			issue_partner(sm, w, i, lanes);
		if (!sm->fault.kind)
			sleep_after_first(sm, w);
		return true;
	}
	sleep_on(w, earlier_reason((When){ NEVER, NO_PC, STALL_BARRIER }, t));
	w->sched->wanted[w->place] = i ? i->unit + 1 : 0;
	return false;
}

/* As issue_from_warp, for mechanisms that let two splits issue at once. */
static bool try_pair(Sm *sm, Warp *w)
{
	When best = { NEVER, NO_PC, STALL_BARRIER };
	const ReconvModel *model = sm->gpu->model;
	bool issued = false;
	Split *s;
	for (int n = 0; !issued && (s = model->pairs.candidate(w, n)); n++) {
		const MIns *i;
		UnitCopy *unit;
		if (s->released) { /* the list may have changed: go through it from its beginning */
			splits_changed(w);
			split_released(sm, w, s);
			n = -1;
			continue;
		}
		Mask lanes = s->mask;
		When t = examine_split(sm, w, s, &i, &unit, NULL);
		if (t.cycle <= sm->now) {
			issue_instruction(sm, w, s, i, unit);
			issued = true;
			if (!sm->fault.kind)
				issue_partner(sm, w, i, lanes);
		}
		best = earlier_reason(best, t);
	}
	if (issued && sm->unasked_pairs && w->nsplit == 1 && !sm->fault.kind) {
		sleep_after_first(sm, w);
		return true;
	}
	if (issued)
		sm_sleep_until(w, (When){ sm->now + 1, NO_PC, STALL_DATA });
	else
		sleep_on(w, best);
	if (w->ending)
		sm_end_warp(sm, w);
	return issued;
}

bool issue_pair(Sm *sm, Warp *w)
{
	return sm->unasked_pairs && w->nsplit == 1 && !w->split->released ? try_first_of_pair(sm, w)
		: try_pair(sm, w);
}
