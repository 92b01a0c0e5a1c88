/* When operands are there that become ready lane by lane, and those of splits whose lanes have several homes.
   are_ready is the fast answer for other splits. */
#include "sim/sm/operands.h"

/* Adds the operands of lanes m to o. A register that is ready in all lanes before `now` is left out: it keeps
   nobody waiting. */
static inline void add_lanes_operands(Operands *o, const Sm *sm, const Warp *w, Mask m, const MIns *i)
{
	int l;
	for (int k = 0; k < i->nchk; k++) {
		const Needed *n = &i->sb[k];
		if (!w->mixed[n->name])
			add_operand_ready(o, sm, n, w->ready[n->name]);
		else if (needed_ready(sm, n, w->ready[n->name]) >= (int64_t)sm->now)
			each_lane(m, l)
				add_operand_ready(o, sm, n, w->lane_ready[n->name * w->lanes.width + l]);
	}
}

When when_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i,
	Cycle at)
{
	Operands o = { 0, 0 };
	if (!sm->lane_scoreboard) {
		o = warp_operands(sm, w, i);
	} else if (!s->parts) {
		add_lanes_operands(&o, sm, w, s->mask, i);
	} else {
		each_part(s, p)
			add_lanes_operands(&o, sm, p->home, p->mask, i);
	}
	return when_there(o, s, at);
}
