/* Whether lanes of one arm wait for the other arm. Before melding, the lanes of an arm come to a subgraph
 * whatever those of the other arm do; in a melded one they meet there, and each side waits until the other
 * has done what stands in front of it. So two subgraphs are not melded where one arm may wait, in front of
 * its own, for something that the other arm does in its own or behind it: when it spins on a flag, for
 * example, or stands at a barrier. */
#include "passes/transform/meld/meld.h"

/* May other threads wait for what the instruction does? Those at a barrier also wait until a thread has
   ended. */
static bool is_awaited(const Meld *w, const Ins *i)
{
	Effects e = ins_effects(w->effects, i);
	bool ends = i->op == OP_EXIT || (e.ends && !(op_info[i->op].flags & OPF_TERM));
	return ends || e.convergent || waits_for(&e);
}

void order_note(const Meld *w, Subgraph *list, int n, const Block *branch, bool more)
{
	bool waits = false, awaited = more;
	for (int k = 0; k < n; k++) {
		Subgraph *s = &list[k];
		s->waits_before = waits;
		for (int b = 0; b < s->n && !waits; b++) {
			waits |= waits_in(w->waits, s->block[b]->id, branch->id, &(WaitPlace){ 0 });
			for (int i = 0; i < s->block[b]->ins.n && !waits; i++)
				waits = ins_effects(w->effects, &s->block[b]->ins.v[i]).convergent;
		}
	}
	for (int k = n; k-- > 0;) {
		Subgraph *s = &list[k];
		for (int b = 0; b < s->n && !awaited; b++)
			for (int i = 0; i < s->block[b]->ins.n && !awaited; i++)
				awaited = is_awaited(w, &s->block[b]->ins.v[i]);
		s->awaited_from = awaited;
	}
}

bool order_allows(const Subgraph *a, const Subgraph *b)
{
	return !(a->waits_before && b->awaited_from) && !(b->waits_before && a->awaited_from);
}
