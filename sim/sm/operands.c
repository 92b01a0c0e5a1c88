/* When operands are there that become ready lane by lane, and those of splits whose lanes have several homes.
   are_ready is the fast answer for other splits. */
#include "sim/sm/operands.h"

/* Adds what lanes m have of the register or predicate, whose lanes have entries of their own. */
static inline void add_mixed_operand(Operands *o, const Sm *sm, const Warp *w, Mask m, const Needed *n,
	Cycle at)
{
	each_entry_apart(w, n->name, x)
		if (x->lanes & m && entry_cycle(x->entry) > at)
			add_operand_ready(o, sm, n, x->entry);
}

/* Adds the operands of lanes m to o. What is there by cycle `at`, in all lanes or in one, is left out: it
   keeps nobody waiting then. */
static inline void add_lanes_operands(Operands *o, const Sm *sm, const Warp *w, Mask m, const MIns *i,
	Cycle at)
{
	for (int k = 0; k < i->nchk; k++) {
		const Needed *n = &i->sb[k];
		Cycle entry = w->ready[n->name];
		if (entry_cycle(entry) <= at)
			continue;
		if (w->mixed[n->name])
			add_mixed_operand(o, sm, w, m, n, at);
		else
			add_operand_ready(o, sm, n, entry);
	}
}

Operands operands_of_lanes(const Sm *sm, const Warp *w, Mask m, const MIns *i, Cycle at)
{
	Operands o = { 0, 0 };
	add_lanes_operands(&o, sm, w, m, i, at);
	return o;
}

Operands operands_of_homes(const Sm *sm, const Split *s, const MIns *i, Cycle at)
{
	Operands o = { 0, 0 };
	each_part(s, p)
		add_lanes_operands(&o, sm, p->home, p->mask, i, at);
	return o;
}

/* As split_operands, whatever homes the split's lanes have. */
static Operands find_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	return s->parts ? operands_of_homes(sm, s, i, at) : split_operands(sm, w, s, i, at);
}

When when_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	return when_there(find_operands(sm, w, s, i, at), s, at);
}

/* A lane's entries are written by its own issues, and once more when it is known when data come. So what
   has been found for the lanes of a split that has not issued since stays true, unless something was not
   known. */
When when_operands_now(const Sm *sm, const Warp *w, Split *s, const MIns *i)
{
	if (!sm->lane_scoreboard)
		return when_there(warp_operands(sm, w, i, sm->now), s, sm->now);
	if (s->asked_pc != s->pc || s->asked_lanes != s->mask || all_there(s->operands) >= PENDING ||
		sm->try_all) {
		s->operands = find_operands(sm, w, s, i, sm->now);
		s->asked_pc = s->pc;
		s->asked_lanes = s->mask;
	}
	return when_there(s->operands, s, sm->now);
}
