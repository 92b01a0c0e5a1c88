/* How remarks name branches and the ends of blocks. */
#include "passes/transform/meld/meld.h"
#include "lib/strbuf.h"

/* Has this pass put the branch in? */
static bool made_by_melding(const Meld *w, const Block *b) { return block_term(b)->origin == w->r->origin; }

/* Names a branch by the blocks of the source whose branches it stands for: "A and B". A branch that is none
   of the source, or that is one of several copies, is also named by the block at whose end it stands. */
const char *say_branch(const Meld *w, const Block *b)
{
	Arena *a = &w->r->m->arena;
	const char *text = NULL;
	bool alone = true;
	for (int k = block_term(b)->mark; k; k = w->f->mark.v[k].next) {
		const Mark *x = &w->f->mark.v[k];
		if (x->kind != MARK_DECIDES || x->value.kind != OPD_NONE)
			continue;
		alone &= !text && !x->lanes && !strcmp(w->f->source.v[x->source], b->label);
		text = text ? arena_printf(a, "%s and %s", text, w->f->source.v[x->source])
			: w->f->source.v[x->source];
	}
	if (!text)
		return arena_printf(a, "%s%s", b->label, made_by_melding(w, b) ? ", which melding made,"
			: "");
	return alone ? text : arena_printf(a, "%s, at the end of %s,", text, b->label);
}

/* Says how a block ends: "exit", "a branch of 2 ways". */
const char *say_end(Meld *w, const Block *b)
{
	const Ins *t = block_term(b);
	if (t->op == OP_BRA && b->nsucc == 1)
		return "a jump";
	if (t->op != OP_BRA && t->op != OP_BRX)
		return op_info[t->op].name;
	return arena_printf(&w->a, "%s of %d ways", t->op == OP_BRX ? "an indexed branch" : "a branch",
		b->nsucc);
}

/* Do both arms consist of nothing but jumps? */
bool say_empty(const MeldRegion *r)
{
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < r->arm[s].n; k++)
			for (int b = 0; b < r->arm[s].sub[k].n; b++)
				if (r->arm[s].sub[k].block[b]->ins.n > 1 ||
					!block_jumps(r->arm[s].sub[k].block[b]))
					return false;
	return true;
}

/* Writes a remark for each block that is given the form of a region (replication). */
void say_forms(Meld *w, const Stretch *s, Loc loc, const char *branch)
{
	for (const BlockPair *p = s->pair.v; p < s->pair.v + s->pair.n; p++)
		for (int side = 0; side < 2; side++)
			if (p->b[side] && p->b[1 - side] && p->takes[side] != OWN_BRANCH)
				pass_remark(w->r, loc, "the branch of %s: %s is given the form of the region "
					"around %s, with which it becomes one", branch, p->b[side]->label,
					p->b[1 - side]->label);
}
