/* Cleans up after a round of melding: blocks that have been melded are removed, edges skip blocks that only
 * jump, and a new block is merged with the one before or behind it where no other edge comes in between, so
 * that the next round or pass sees one block there. Nothing else of the function is touched. */
#include "passes/transform/meld/meld.h"

typedef struct Tidy { Meld *w; BitSet made, named, gone; int *npred; } Tidy;

/* Is the block a jump without marks and nothing else, and is it new or in front of a new block? */
static bool only_jumps(const Tidy *t, const Block *b)
{
	return b->ins.n == 1 && block_jumps(b) && !b->ins.v[0].mark && b->succ[0] != b &&
		!bs_has(t->named, b->id) &&
		(bs_has(t->made, b->id) || bs_has(t->made, b->succ[0]->id));
}

/* Makes the block's edges skip blocks that only jump. A branch whose targets are the same then becomes a jump
   itself. */
static bool skip_jumps(Tidy *t, Block *b)
{
	bool changed = false;
	for (int e = 0; e < b->nsucc; e++)
		for (int left = t->w->made.n; only_jumps(t, b->succ[e]) && left; left--) {
			edit_retarget(&t->w->e, b, b->succ[e], b->succ[e]->succ[0]);
			changed = true;
		}
	if (b->nsucc == 2 && block_term(b)->op == OP_BRA && b->succ[0] == b->succ[1] &&
		(changed || bs_has(t->made, b->id))) {
		edit_fold(&t->w->e, b, b->succ[0]);
		changed = true;
	}
	return changed;
}

static void skip_all(Tidy *t)
{
	Function *f = t->w->f;
	bool changed = true;
	for (int left = f->block.n; changed && left; left--) {
		changed = false;
		for (int k = 0; k < f->block.n; k++)
			changed |= skip_jumps(t, f->block.v[k]);
	}
}

/* Removes the block if it only jumps and no edge leads to it any more, and then likewise the one behind
   it. */
static void leave_out(Tidy *t, Block *b)
{
	while (b->id && !t->npred[b->id] && !bs_has(t->gone, b->id) && only_jumps(t, b)) {
		bs_add(t->gone, b->id);
		b = b->succ[0];
		t->npred[b->id]--;
	}
}

static void join_melded(Tidy *t)
{
	Function *f = t->w->f;
	for (int k = 0; k < f->block.n; k++)
		for (int e = 0; e < f->block.v[k]->nsucc; e++)
			t->npred[f->block.v[k]->succ[e]->id]++;
	for (int k = 0; k < f->block.n; k++)
		leave_out(t, f->block.v[k]);
	for (int k = 0; k < f->block.n; k++) {
		Block *b = f->block.v[k];
		while (!bs_has(t->gone, k) && block_jumps(b)) {
			Block *s = b->succ[0];
			if (s->id == 0 || t->npred[s->id] != 1 || bs_has(t->named, s->id) ||
				(!bs_has(t->made, k) && !bs_has(t->made, s->id)))
				break;
			edit_merge(&t->w->e, b, s);
			bs_add(t->gone, s->id);
			if (bs_has(t->made, s->id))
				bs_add(t->made, k);
		}
	}
}

static void drop_gone(Meld *w, BitSet gone)
{
	bs_each(gone, k)
		edit_drop(&w->e, w->f->block.v[k]);
	edit_settle(&w->e);
}

void meld_tidy(Meld *w, BitSet gone)
{
	Arena a = { 0 };
	drop_gone(w, gone);
	Function *f = w->f;
	int n = f->block.n;
	Tidy t = { w, bs_new(&a, n), edit_named(&a, f), bs_new(&a, n), arena_array(&a, int, n) };
	for (int k = 0; k < w->made.n; k++)
		bs_add(t.made, w->made.v[k]->id);
	skip_all(&t);
	join_melded(&t);
	drop_gone(w, t.gone);
	arena_free(&a);
}
