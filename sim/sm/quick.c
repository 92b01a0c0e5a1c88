/* The issue of an instruction that only computes, or of a branch at which lanes stay together (MIns.quick),
 * by the one split of a warp that runs, where neither the mechanism nor the policy has a say (Sm.quick). It
 * does what issue_from_warp does, without the questions whose answers are known then. */
#include "sim/sm/attempt.h"

/* Returns a copy of the unit that can take an instruction now, the last of several; NULL: there is none. */
static inline UnitCopy *free_copy_quick(const Sm *sm, const UnitCopies *c)
{
	UnitCopy *x = c->copy + c->n - 1;
	while (x->free > sm->now)
		if (--x < c->copy)
			return NULL;
	return x;
}

/* Issues and executes an instruction that computes, unless the mechanism has to be told that lanes come to
   the next one; false: nothing has been done. */
static inline bool issue_computing(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Mask m = s->mask;
	if (must_reach(sm, w, i + 1, s->pc + 1))
		return false;
	if (i->guard >= 0)
		m &= split_holds(w, s, (uint32_t)i->guard, i->flags & MI_GUARD_NEG);
	count_issue(sm, w, s, i, m);
	if (m)
		i->x.fn(&i->x, &w->lanes, m);
	scoreboard_computed(sm, w, i, m, 0);
	s->wait = wait_until(sm->now + 1, STALL_DATA);
	s->pc++;
	return true;
}

/* As issue_computing, for a branch, unless lanes part there. */
static inline bool issue_branch(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Mask m = s->mask, taken = i->flags & MI_COND ? m & split_holds(w, s, i->x.a, i->x.neg) : m;
	if (!m || (taken && taken != m) || sm->all_branches || sm->gpu->watching)
		return false;
	uint32_t pc = s->pc, to = taken ? i->target : i->fall;
	if (must_reach(sm, w, &w->ins[to], to))
		return false;
	count_issue(sm, w, s, i, m);
	if (taken && i->branch >= 0)
		w->share->branch[i->branch].taken += lane_count(taken);
	s->pc = to;
	s->wait = to == pc + 1 ? wait_until(sm->now + 1, STALL_DATA)
		: wait_until(sm->now + 1 + (Cycle)sm->gpu->config.fetch_redirect, STALL_BRANCH);
	return true;
}

/* The warp cannot issue its instruction yet: it sleeps until its operands are there, or a copy of its unit
   may be free. */
static Try sleep_in_vain(Sm *sm, Sched *d, Warp *w, const Split *s, const MIns *i)
{
	if (all_there(w->next) > sm->now) {
		w->next = split_operands(sm, w, s, i, sm->now);
		if (all_there(w->next) > sm->now) {
			sleep_warp(d, w, when_there(w->next, s, sm->now));
			return TRY_ASLEEP;
		}
	}
	When t = { 0, s->pc, STALL_UNIT };
	if (arbiter_free_copy(sm, d, i->unit, &t.cycle))
		return TRY_NOT;
	sleep_warp(d, w, t);
	d->wanted[w->place] = i->unit + 1;
	return TRY_ASLEEP;
}

Try issue_quick(Sm *sm, Sched *d, Warp *w)
{
	const MIns *i = w->quick;
	if (!i)
		return TRY_NOT;
	Split *s = &w->split[w->last];
	if (s->wait.known > sm->now)
		return TRY_NOT;
	if (!is_line_fetched(sm, w, s, i)) {
		w->quick = NULL;
		sleep_warp(d, w, when_waited(s));
		return TRY_ASLEEP;
	}
	const UnitCopies *c = &d->unit[i->unit];
	UnitCopy *copy = all_there(w->next) <= sm->now ? free_copy_quick(sm, c) : NULL;
	if (!copy)
		return sleep_in_vain(sm, d, w, s, i);
	for (int room = sm->width; copy; copy = free_copy_quick(sm, c)) {
		bool computes = i->quick == QUICK_COMPUTES;
		if (!(computes ? issue_computing(sm, w, s, i) : issue_branch(sm, w, s, i)))
			break;
		take_unit(sm, d, c, copy);
		s->issued = sm->now;
		s->asked_pc = NO_PC;
		i = &w->ins[s->pc];
		w->next = split_operands(sm, w, s, i, sm->now);
		bool fetched = s->line == i->line;
		if (!--room || !computes || (fetched && all_there(w->next) > sm->now)) {
			w->quick = i->quick ? i : NULL;
			sleep_warp(d, w, when_after_issue(sm, s, i, w->next));
			return TRY_ISSUED;
		}
		if (!fetched || !i->quick)
			break;
		c = &d->unit[i->unit];
	}
	w->quick = NULL;
	if (s->issued != sm->now)
		return TRY_NOT;
	issue_second(sm, w, w->last, w->nsplit, s->mask, &w->ins[s->pc - 1]);
	sleep_after_issue(sm, w);
	return TRY_ISSUED;
}
