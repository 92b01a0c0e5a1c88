/* Finds the two arms of a branch as rows of subgraphs with one entry and one exit. The places to which all
 * lanes of an arm come are the immediate post-dominators from its first block on. What lies between two of
 * them is a subgraph, unless lanes come back into it from behind the second place: then the subgraph goes on
 * to the next place. Definition 4 of the paper gives each region an exit block of its own: here the exit is
 * the block to which the edges out of the subgraph lead, which comes to the same. */
#include "passes/transform/meld/meld.h"

/* Collects the blocks that are reached from `entry` before s->exit, the entry first. Returns false when
   there are more than `room`, or when an edge leads to a new block: something here has been melded in
   this round. */
static bool collect_subgraph(Meld *w, Subgraph *s, Block *entry, int room)
{
	Vec(Block *) list = { 0 };
	bool old = true;
	w->seeing++;
	w->seen[entry->id] = w->seeing;
	vec_push(&list, entry);
	for (int at = 0; at < list.n && list.n <= room; at++)
		for (int k = 0; k < list.v[at]->nsucc; k++) {
			Block *to = list.v[at]->succ[k];
			old &= to->id < w->c->n;
			if (to == s->exit || !old || w->seen[to->id] == w->seeing)
				continue;
			w->seen[to->id] = w->seeing;
			vec_push(&list, to);
		}
	s->n = list.n;
	s->block = arena_array(&w->a, Block *, list.n);
	memcpy(s->block, list.v, sizeof *list.v * (size_t)list.n);
	vec_free(&list);
	return old && s->n <= room;
}

/* Do all edges into the subgraph that was collected last either come from inside it, or lead to its entry
   from the branch or from the subgraph before it? If not, *other is a block from which another edge comes;
   NULL when the subgraph contains the branch or the function's first block. */
static bool is_closed_subgraph(const Meld *w, const Subgraph *s, const Subgraph *before, const Block *branch,
	const Block **other)
{
	*other = NULL;
	for (int k = 0; k < s->n; k++) {
		const Block *b = s->block[k];
		if (b == branch || b->id == 0)
			return false;
		for (int p = 0; p < w->c->npred[b->id]; p++) {
			const Block *from = w->c->pred[b->id][p];
			bool inside = w->seen[from->id] == w->seeing,
				in = k == 0 && !before && from == branch;
			for (int j = 0; k == 0 && before && j < before->n && !in; j++)
				in = before->block[j] == from;
			if (!inside && !in) {
				*other = from;
				return false;
			}
		}
	}
	return true;
}

/* ---- what cannot be melded ---- */

static const char *bad_instruction(const Meld *w, const Ins *i)
{
	Effects e = ins_effects(w->effects, i);
	if (e.convergent)
		return "depends on which threads execute it together";
	return i->op == OP_BRX ? "is an indexed branch" : NULL;
}

static void judge_subgraph(Meld *w, Subgraph *s, const Block *branch)
{
	for (int k = 0; k < s->n && !s->obstacle; k++) {
		const Block *b = s->block[k];
		WaitPlace wait;
		if (bs_has(w->named, b->id))
			s->obstacle = arena_printf(&w->a, "%s is a reconvergence point that the source asks "
				"for, or the target of a block that cannot be reached", b->label);
		else if (waits_in(w->waits, b->id, branch->id, &wait))
			s->obstacle = waits_text(&w->a, &wait);
		for (int i = 0; i < b->ins.n && !s->obstacle; i++) {
			const char *why = bad_instruction(w, &b->ins.v[i]);
			if (why)
				s->obstacle = arena_printf(&w->a, "%s in %s %s", op_info[b->ins.v[i].op].name,
					b->label, why);
		}
	}
}

/* ---- arms ---- */

/* Returns the number of the next block behind `exit` to which all lanes come, those from `exit` and those
   from `other`; c->n or less than 0: there is none. */
static int exit_behind(const Meld *w, int exit, const Block *other)
{
	int both = dom_common(w->pdom, exit, other->id);
	return both == exit ? w->pdom->idom[exit] : both;
}

typedef enum { FOUND, TOO_LARGE, NOT_ALONE } SubgraphFound;

/* Finds the subgraph that begins with b. A subgraph without an exit contains all blocks to which b leads, so
   that an edge into it from elsewhere comes from a block that b does not dominate. */
static SubgraphFound find_subgraph(Meld *w, const MeldRegion *r, Block *b, const Subgraph *before, int room,
	Subgraph *s)
{
	for (int next = w->pdom->idom[b->id];;) {
		bool ends = next < 0 || next >= w->c->n;
		const Block *other;
		*s = (Subgraph){ .exit = ends ? NULL : w->f->block.v[next] };
		if (!collect_subgraph(w, s, b, room))
			return TOO_LARGE;
		if (is_closed_subgraph(w, s, before, r->e, &other))
			return FOUND;
		if (!other || s->exit == r->exit || !dom_dominates(w->dom, b->id, other->id))
			return NOT_ALONE;
		next = exit_behind(w, next, other);
	}
}

static void find_arm(Meld *w, MeldRegion *r, Arm *arm, Block *first)
{
	Vec(Subgraph) list = { 0 };
	int left = w->most;
	for (Block *b = first; b && b != r->exit && left > 0;) {
		Subgraph s;
		SubgraphFound found = find_subgraph(w, r, b, list.n ? &vec_last(&list) : NULL, left, &s);
		if (found == NOT_ALONE) {
			arm->stop = arena_printf(&w->a, s.exit ? "other threads come to what begins with %s, "
				"too" : "from %s on, some threads end before they meet those of the other "
				"arm", b->label);
			break;
		}
		if (found == TOO_LARGE)
			s.obstacle = arena_printf(&w->a, "what begins with %s has more blocks than blocks=%d "
				"allows", b->label, w->most);
		else
			judge_subgraph(w, &s, r->e);
		vec_push(&list, s);
		left = found == TOO_LARGE ? 0 : left - s.n;
		b = s.exit;
	}
	order_note(w, list.v, list.n, r->e, left == 0 || arm->stop != NULL);
	arm->n = list.n;
	arm->sub = arena_array(&w->a, Subgraph, list.n + 1);
	if (list.n)
		memcpy(arm->sub, list.v, sizeof *list.v * (size_t)list.n);
	vec_free(&list);
}

void path_find(Meld *w, MeldRegion *r)
{
	const Opd *c = ins_src(block_term(r->e), 0);
	r->condition = c->id;
	for (int s = 0; s < 2; s++)
		find_arm(w, r, &r->arm[s], r->e->succ[c->neg ? 1 - s : s]);
}
