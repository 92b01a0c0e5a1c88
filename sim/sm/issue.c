/* From a warp that a scheduler tries to the results of its instruction, from top to bottom: issue_from_warp
 * looks for a split, in the mechanism's order; examine_split (attempt.h) says whether its instruction can
 * issue now, or when it may and what keeps it back; issue_instruction executes it (sim/exec/) and writes when
 * its results are there. */
#include "sim/sm/attempt.h"

static void ring_alarm(Sm *, Warp *);
static bool try_single(Sm *, Warp *);
static bool try_runner(Sm *, Warp *, int k);
static int only_runner(Warp *);
static bool may_try_runner(const Sm *, const Warp *);
static bool try_splits(Sm *, Warp *, When *best, const MIns **wants);
static bool list_changes(Sm *, Warp *, Split *, When *best);
static bool try_split(Sm *, Warp *, Split *, const MIns **, When *best);
static void wake_for_alarm(Warp *);

/* Issues the next instruction of a split of the warp, if one can issue in this cycle. False: none can, and
   the warp sleeps until one may. */
bool issue_from_warp(Sm *sm, Warp *w)
{
	if (sm->unasked_pairs && !w->ending)
		return issue_pair(sm, w);
	if (w->ending) {
		sm_end_warp(sm, w);
		return false;
	}
	if (sm->single && w->nsplit == 1) {
		if (!w->split[0].released)
			return try_single(sm, w);
	} else if (sm->unasked_among_parked && only_runner(w) >= 0 && may_try_runner(sm, w)) {
		return try_runner(sm, w, w->runner);
	}
	if (w->alarm <= sm->now)
		ring_alarm(sm, w);
	if (sm->gpu->model->pairs.partner)
		return issue_pair(sm, w);
	When best = { NEVER, NO_PC, STALL_BARRIER };
	const MIns *wants = NULL;
	bool issued = try_splits(sm, w, &best, &wants);
	if (issued && sm->fault.kind)
		return true;
	if (issued) {
		sleep_after_issue(sm, w);
	} else {
		sleep_on(w, best);
		if (wants && w->alarm == NO_ALARM && !sm->try_all)
			w->sched->wanted[w->place] = wants->unit + 1;
	}
	if (w->ending && !issued)
		sm_end_warp(sm, w);
	wake_for_alarm(w);
	return issued;
}

/* Calls the mechanism, which has asked to be called in this cycle. */
static void ring_alarm(Sm *sm, Warp *w)
{
	w->alarm = NO_ALARM;
	splits_changed(w);
	sm->gpu->model->times.alarm(w);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
	if (sm->knows_meeting)
		w->meets_at = sm->gpu->model->meets_at(w);
}

/* ---- which split ---- */

/* Issues the instruction of the k-th split, which alone may run, if it can be issued now, and lets the warp
   sleep. Else *t says when it may be, and *i is as examine_split says. */
static inline bool issue_or_say_when(Sm *sm, Warp *w, int k, const MIns **i, When *t)
{
	Split *s = &w->split[k];
	UnitCopy *unit;
	Mask lanes = s->mask;
	int n = w->nsplit;
	*t = examine_split(sm, w, s, i, &unit, NULL);
	if (t->cycle > sm->now)
		return false;
	issue_instruction(sm, w, s, *i, unit);
	if (sm->fault.kind)
		return true;
	w->last = k;
	if (sm->width > 1)
		issue_second(sm, w, k, n, lanes, *i);
	sleep_after_issue(sm, w);
	return true;
}

/* As issue_from_warp, for a warp that has one split, among which the mechanism has nothing to choose. */
static inline bool try_single(Sm *sm, Warp *w)
{
	const MIns *i = NULL;
	When t;
	if (issue_or_say_when(sm, w, 0, &i, &t))
		return true;
	if (t.cycle == NEVER && t.why != STALL_GRID)
		t = (When){ NEVER, w->split[0].pc, STALL_BARRIER };
	sm_sleep_until(w, t);
	w->sched->wanted[w->place] = i ? i->unit + 1 : 0;
	return false;
}

/* As issue_from_warp, for a warp of which all splits but the k-th are parked (Sm.unasked_among_parked), if
   may_try_runner. */
static inline bool try_runner(Sm *sm, Warp *w, int k)
{
	const MIns *i = NULL;
	When t;
	if (issue_or_say_when(sm, w, k, &i, &t)) {
		wake_for_alarm(w);
		return true;
	}
	sleep_on(w, earlier_reason((When){ NEVER, NO_PC, STALL_BARRIER }, t));
	w->sched->wanted[w->place] = i && w->alarm == NO_ALARM ? i->unit + 1 : 0;
	wake_for_alarm(w);
	return false;
}

static int first_split(const Warp *w)
{
	if (w->nsplit < 2 || w->take_turns == TURNS_LIST)
		return 0;
	return (w->last + (w->take_turns == TURNS_ROTATE)) % w->nsplit;
}

/* May the warp's runner be tried without a search? Not if its barrier has opened, or the mechanism is to be
   told that it sleeps, or of its alarm. */
static inline bool may_try_runner(const Sm *sm, const Warp *w)
{
	const Split *s = &w->split[w->runner];
	return !s->released && w->alarm > sm->now &&
		!(sm->gpu->model->times.stall && s->wait.why == STALL_SLEEP);
}

/* Returns the index of the warp's split that alone is not parked; negative: there are none or several. A
   split whose barrier has opened is not parked. */
static inline int only_runner(Warp *w)
{
	if (w->runner != RUNNER_UNKNOWN)
		return w->runner;
	w->runner = RUNNER_NONE;
	for (int k = 0; k < w->nsplit; k++) {
		const Split *s = &w->split[k];
		if (s->state == SPLIT_PARKED && !s->released)
			continue;
		if (w->runner >= 0)
			return w->runner = RUNNER_NONE;
		w->runner = k;
	}
	return w->runner;
}

/* Tries the splits in the mechanism's order. *wants: where one split alone may run, and nothing but the unit
   keeps it back, its instruction. */
static inline bool try_splits(Sm *sm, Warp *w, When *best, const MIns **wants)
{
	bool issued = false;
	int running = 0;
	int first = first_split(w);
	int only = first || sm->gpu->model->regroups || sm->try_all ? -1 : only_runner(w);
	for (int x = only >= 0 ? only : 0; x < w->nsplit;) {
		int k = first + x < w->nsplit ? first + x : first + x - w->nsplit, n = w->nsplit;
		Split *s = &w->split[k];
		const MIns *i = NULL;
		if (s->released || s->parts) {
			running++;     /* *best may ask for the next cycle, whatever keeps this one back */
			if ((s->released || homes_scatters(&w->ins[s->pc])) && list_changes(sm, w, s, best)) {
				x = first = 0; /* go through the new list from its beginning */
				only = -1;
				continue;
			}
		}
		if (s->state == SPLIT_PARKED) {
			x++;
			continue;
		}
		Mask lanes = s->mask;
		running += s->state == SPLIT_RUN;
		if (!try_split(sm, w, s, &i, best)) {
			*wants = i;
			if (only >= 0 && w->runner == only) /* else the mechanism has given the turn away */
				break;
			x++;
			continue;
		}
		issued = true;
		if (sm->fault.kind)
			break;
		w->last = k;
		if (sm->width > 1)
			issue_second(sm, w, k, n, lanes, i);
		break;
	}
	if (running != 1)
		*wants = NULL;
	return issued;
}

/* Prepares the split: if its barrier has opened, it goes on behind the barrier; if its lanes have several
   homes and must issue apart (homes_scatter), it is replaced by a split for each home. True: the warp's list
   of splits has changed. */
static bool list_changes(Sm *sm, Warp *w, Split *s, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	int n = w->nsplit;
	splits_changed(w);
	if (s->released) {
		split_released(sm, w, s);
		/* a split that this search has passed already may have its turn now */
		if (model->sync.wait || model->regroups)
			*best = (When){ sm->now + 1, NO_PC, STALL_DIVERGENCE };
	}
	if (w->nsplit == n && s->parts && homes_scatter(sm, w, s)) {
		/* the new splits may be in warps that have been tried in this cycle already */
		*best = (When){ sm->now + 1, NO_PC, STALL_DIVERGENCE };
		return true;
	}
	return w->nsplit != n;
}

/* Issues the split's instruction if it can be issued now. Else combines *best with when it may be and why it
   cannot yet (earlier_reason), and *i is as examine_split says. */
static inline bool try_split(Sm *sm, Warp *w, Split *s, const MIns **i, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	UnitCopy *unit = NULL;
	When t = examine_split(sm, w, s, i, &unit, NULL);
	if (t.cycle <= sm->now) {
		issue_instruction(sm, w, s, *i, unit);
		return true;
	}
	if (s->state == SPLIT_RUN && model->times.stall) {
		if (model->times.stall(w, s, t.why, t.why == STALL_MEMORY || wait_awaits(&s->wait, sm->now)
			? PENDING : t.cycle)) {
			*i = NULL;
			splits_changed(w);
		}
		if (s->state != SPLIT_RUN) /* the mechanism has given the turn to another split */
			t.cycle = sm->now + 1;
		/* the mechanism has given this split the turn anew, and it waits for that */
		else if (!wait_over(&s->wait, sm->now))
			t = when_waited(s);
	}
	*best = earlier_reason(*best, t);
	return false;
}

/* ---- can it issue? ---- */

bool fetch_line(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	const Config *c = &sm->gpu->config;
	MemTicket *t = sm_ticket(sm);
	*t = (MemTicket){ 0 };
	s->line = i->line;
	if (smmem_fetch(sm->mem, sm->now, (code_of(w)->first_line + i->line) * (uint64_t)c->fetch_line,
		&w->share->totals, t)) {
		sm_wait(sm, w, s, t, STALL_FETCH);
		return false;
	}
	vec_push(&sm->tickets, t);
	return true;
}

/* ---- the issue ---- */

/* Writes into the scoreboards that lanes m have the results, which are computed. n: number of parts of the
   split; 0 means that all its lanes belong to this warp. */
static inline void write_computed(Sm *sm, Warp *w, const Part *part, int n, const MIns *i, Mask m,
	Cycle late)
{
	if (!n)
		scoreboard_computed(sm, w, i, m, late);
	for (int k = 0; k < n; k++)
		scoreboard_computed(sm, part[k].home, i, part[k].mask & m, late);
}

/* Writes into the scoreboards that it is not known yet when lanes m have what they load. */
static inline void write_pending(Sm *sm, Warp *w, const Part *part, int n, const MIns *i, Mask m)
{
	if (!n)
		scoreboard_loaded(sm, w, i, m, PENDING, 0);
	for (int k = 0; k < n; k++)
		scoreboard_loaded(sm, part[k].home, i, part[k].mask & m, PENDING, 0);
}

/* To be called after the split has issued the instruction at pc, if it does not stand behind that now. If it
   goes on where it stands, the front end has to follow: the split waits fetch.redirect_cycles longer, for the
   reason STALL_BRANCH, unless it had to wait for something longer than one cycle anyway. */
static void redirect_front_end(const Sm *sm, Split *s, uint32_t pc)
{
	SplitWait *x = &s->wait;
	Cycle n = (Cycle)sm->gpu->config.fetch_redirect;
	bool to_itself = s->pc == pc && s->state == SPLIT_RUN && !s->released;
	if (s->pc == pc && !to_itself)
		return;
	x->known += n;
	if (x->known <= sm->now + 1 + n)
		x->why = STALL_BRANCH;
}

void issue_instruction(Sm *sm, Warp *w, Split *s, const MIns *i, UnitCopy *unit)
{
	Cycle now = sm->now;
	Issue is;                      /* memory instructions fill all of it, others only `executing` */
	bool memory = is_memory_ins(i);
	uint32_t pc = s->pc;
	Mask lanes = s->mask;
	int nsplit = w->nsplit;
	Part part[64];
	/* read before the issue, in which the mechanism may take the split apart */
	int nparts = s->parts ? reconv_parts(w, s, part) : 0;
	is.now = now;
	is.late = 0;
	s->wait = wait_until(now + 1, STALL_DATA); /* what the next instruction waits for is not known yet */
	s->issued = now;
	s->asked_pc = NO_PC;
	w->exact = false;
	w->next.computed = NEVER;
	w->changed |= CHANGED_PCS;
	w->quick = NULL;
	if (!may_be_followed(i)) { /* only such instructions, and places of the mechanism, change splits */
		w->runner = RUNNER_UNKNOWN;
		w->changed |= CHANGED_SPLITS;
	}
	exec_issue(sm, w, s, &is);
	if (unit)
		take_unit(sm, w->sched, &w->sched->unit[i->unit], unit);
	if (!memory)
		write_computed(sm, w, part, nparts, i, is.executing, is.late);
	else if (is.pending)
		write_pending(sm, w, part, nparts, i, is.pending);
	else if (!sm->lane_scoreboard)
		write_loaded(sm, w, i, is.executing, is.ready, is.level);
	/* A redirect is added only if this split is still there. Another one may have its place in the list:
	   a new split, whose wait the mechanism has set, or a split that was there before and that the lanes
	   have joined. */
	if (s->pc != pc + 1 && w->nsplit >= nsplit && w->nsplit && s->issued == now &&
		(w->nsplit == 1 || s->mask & lanes) && !w->exact && !wait_awaits(&s->wait, now))
		redirect_front_end(sm, s, pc);
}

bool issue_second(Sm *sm, Warp *w, int k, int n, Mask lanes, const MIns *first)
{
	Split *s = &w->split[k];
	const MIns *i;
	UnitCopy *unit;
	if (!may_be_followed(first))
		return false;
	if (w->nsplit < n || (n > 1 && !(s->mask & lanes)) || s->state != SPLIT_RUN ||
		wait_end(&s->wait) != sm->now + 1 || s->parts)
		return false;
	i = &w->ins[s->pc];
	/* what examine_split would answer for most splits, found faster */
	if (s->line == i->line && sm->unasked && w->nsplit == 1) {
		if (all_there(next_operands(sm, w, s, i)) > sm->now)
			return false;
	} else if (s->line == i->line && !sm->lane_scoreboard &&
		all_there(warp_operands(sm, w, i, sm->now)) > sm->now)
		return false;
	s->wait.known = sm->now;
	When t = examine_split(sm, w, s, &i, &unit, NULL);
	if (t.cycle <= sm->now) {
		issue_instruction(sm, w, s, i, unit);
		return true;
	}
	if (s->wait.known <= sm->now)
		s->wait.known = sm->now + 1;
	return false;
}

/* ---- when the warp is tried again ---- */

void sm_sleep_until(Warp *w, When t)
{
	sleep_warp(w->sched, w, t);
}

/* After an issue: decides when the warp is tried again. With several splits that are not parked, or one that
   does not run, that is the next cycle; with one that runs, when its wait ends. If that is the next cycle,
   but nobody asks then why the warp waits (neither the mechanism nor the policy: Sm.unasked), and the line of
   its next instruction has been fetched, the warp sleeps on until the operands are there. It does not where
   the next cycle is beyond the window, whose end may tell of operands that are there at once. Other warps may
   issue in the next cycle, so that this one is looked at later: so the reason for its wait must stay the
   same, too. */
void sleep_after_issue(Sm *sm, Warp *w)
{
	bool among_parked = sm->unasked_among_parked && w->nsplit > 1 && w->runner >= 0;
	const Split *s = &w->split[among_parked ? w->runner : 0];
	if (w->ending) {
		sm_end_warp(sm, w);
		return;
	}
	if ((w->nsplit != 1 && !among_parked) || s->state != SPLIT_RUN || s->released) {
		sm_sleep_until(w, (When){ sm->now + 1, NO_PC, STALL_DATA });
		return;
	}
	When t = when_waited(s);
	const MIns *i = &w->ins[s->pc];
	bool quick = sm->quick && i->quick && w->alarm == NO_ALARM && !s->parts && w->last == s - w->split;
	if (sm->unasked && (s->line == i->line || quick) && !s->wait.events &&
		!(s->parts && homes_scatters(i))) {
		t = when_after_issue(sm, s, i, next_operands(sm, w, s, i));
		if (quick)
			w->quick = i;
	}
	sm_sleep_until(w, t);
}

/* The warp sleeps no longer than until the mechanism's alarm. */
static inline void wake_for_alarm(Warp *w)
{
	if (w->alarm < w->sched->wake[w->place] && !w->ending)
		w->sched->wake[w->place] = w->alarm;
}

void sm_end_warp(Sm *sm, Warp *w)
{
	if (w->outstanding || w->queued) {
		sm_sleep_until(w, (When){ PENDING, NO_PC, STALL_DRAIN });
	} else if (w->drain > sm->now) {
		sm_sleep_until(w, (When){ w->drain, NO_PC, STALL_DRAIN });
	} else {
		w->ended = true;
		sm->nended++;
	}
}
