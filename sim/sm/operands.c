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

When when_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i,
	Cycle at)
{
	Operands o = { 0, 0 };
	if (!s->parts)
		return when_there(split_operands(sm, w, s, i, at), s, at);
	each_part(s, p)
		add_lanes_operands(&o, sm, p->home, p->mask, i, at);
	return when_there(o, s, at);
}
