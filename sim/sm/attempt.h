/* What is asked of a split before it issues, and what is done with its warp if it cannot: shared by what
 * looks for one split of a warp (issue.c) and for two (pairs.c). */
#ifndef GSIM_SM_ATTEMPT_H
#define GSIM_SM_ATTEMPT_H
#include "sim/sm/operands.h"

/* issue.c */
/* Asks for the line of the split's instruction; false: the split waits until it is there. */
bool fetch_line(Sm *, Warp *, Split *, const MIns *);
/* Issues and executes the split's instruction. unit: the copy of a functional unit that it takes; NULL: it
   takes none. */
void issue_instruction(Sm *, Warp *, Split *, const MIns *, UnitCopy *unit);
/* pairs.c */
/* as issue_from_warp, for mechanisms that let two splits issue at once */
bool issue_pair(Sm *, Warp *);

static inline bool is_line_fetched(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	return s->line == i->line || !sm->gpu->config.fetch_bytes || fetch_line(sm, w, s, i);
}

/* Can the split issue now? If so, the result's cycle is now, and *ins and *unit are what it issues and on
   which copy. Else the result is when it may, as far as that is known, and why not yet; *ins is what it would
   issue if nothing but the unit keeps it back, and else stays as it was. shared: the copies of
   the unit of an issue of this cycle on other lanes, of which this one uses the same, or NULL. */
static inline When examine_split(Sm *sm, Warp *w, Split *s, const MIns **ins, UnitCopy **unit,
	const UnitCopy *shared)
{
	if (s->state != SPLIT_RUN)
		return not_running(s);
	if (!wait_over(&s->wait, sm->now))
		return when_waited(s);
	const MIns *i = &w->ins[s->pc];
	if (!is_line_fetched(sm, w, s, i))
		return when_waited(s);
	if (all_there(w->next) > sm->now && (all_surely_there(w, i) > sm->now || s->parts)) {
		When t = when_operands_now(sm, w, s, i);
		if (t.cycle > sm->now)
			return t;
	}
	if (is_held_by_queue(w, s, i)) /* the warp is woken when its access has been made */
		return (When){ PENDING, s->pc, STALL_MEMPIPE };
	*unit = NULL;
	*ins = i;
	if (!shared || w->sched->unit[i->unit].copy != shared) {
		Cycle when = 0;
		*unit = arbiter_free_copy(sm, w->sched, i->unit, &when);
		if (!*unit)
			return (When){ when, s->pc, is_memory_ins(i) ? STALL_MEMPIPE : STALL_UNIT };
	}
	return (When){ sm->now, s->pc, 0 };
}

/* Lets a warp sleep that has not issued. The instruction that is noted as the one it cannot issue stays the
   same for as long as the reason does, however often the warp is looked at. */
static inline void sleep_on(Warp *w, When t)
{
	uint32_t pc = w->waits_at == NO_PC || w->sched->wake_why[w->place] != t.why ? t.pc : w->waits_at;
	sm_sleep_until(w, t);
	w->waits_at = pc;
}
#endif
