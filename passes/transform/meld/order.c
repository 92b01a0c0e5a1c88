/* What one arm waits for. Before melding, the lanes of an arm come to a subgraph whatever those of the other arm do; in a melded one they meet there, and
 * each side waits until the other has done what stands in front of it. So two subgraphs are not melded where one arm may wait, in front of its own, for
 * something that the other arm does in its own or behind it: spins on a flag, stands at a barrier. */
#include "passes/transform/meld/meld.h"

static int depth(const Meld *w, const Block *b)
{
	int loop = w->loops->of[b->id];
	return loop < 0 ? 0 : w->loops->loop[loop].depth;
}

/* In a function that is called there may be a loop. */
bool order_call_waits(const Meld *w, const Ins *i)
{
	Effects e = ins_effects(w->effects, i);
	return op_info[i->op].kind == K_CALL && e.ordered && e.reads;
}

/* In a loop lanes may wait for what others do, by what an ordered access reads. A reduction reads nothing. */
bool order_waits(const Meld *w, const Block *b, const Block *branch)
{
	bool ordered = false;
	for (int k = 0; k < b->ins.n && depth(w, b) > depth(w, branch) && !ordered; k++)
		ordered = ins_effects(w->effects, &b->ins.v[k]).ordered && !(b->ins.v[k].op == OP_RED && meld_may(w, &b->ins.v[k]));
	return ordered;
}

/* May others wait for it? Threads that end are waited for at barriers. */
static bool is_awaited(const Meld *w, const Ins *i)
{
	Effects e = ins_effects(w->effects, i);
	bool ends = i->op == OP_EXIT || (e.ends && !(op_info[i->op].flags & OPF_TERM));
	return ends || e.ordered || e.convergent || e.writes & ~(SPACE_BIT(SP_LOCAL));
}

void order_note(const Meld *w, Subgraph *list, int n, const Block *branch, bool more)
{
	bool waits = false, awaited = more;
	for (int k = 0; k < n; k++) {
		Subgraph *s = &list[k];
		s->waits_before = waits;
		for (int b = 0; b < s->n && !waits; b++) {
			waits |= order_waits(w, s->block[b], branch);
			for (int i = 0; i < s->block[b]->ins.n && !waits; i++)
				waits = ins_effects(w->effects, &s->block[b]->ins.v[i]).convergent || order_call_waits(w, &s->block[b]->ins.v[i]);
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
