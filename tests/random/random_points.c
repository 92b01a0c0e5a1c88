/* Random reconvergence points: !reconverge on some branches, wherever the verifier allows one. A point that
 * post-dominates its branch moves the meeting there, any other is a prediction, of which speculative
 * reconvergence makes use.
 *
 * Operations that need lanes together bound the choice. Lanes that left the branch must not come to such an
 * operation before they come to the point: they may go there in parts, or wait at the point for others, which
 * wait at the operation. */
#include "tests/random/random_gen.h"

enum { TRIES = 4, NEAR = 6 };

static bool needs_others(const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		const OpInfo *o = &op_info[b->ins.v[k].op];
		if (o->flags & OPF_CONV && o->kind != K_CALL)
			return true;
	}
	return false;
}

/* Whether threads can come from the branch to an operation that needs others, other than by way of the
   point. */
static bool comes_together(const Function *f, const Block *branch, const Block *point)
{
	Arena tmp = { 0 };
	bool *seen = arena_array(&tmp, bool, f->block.n), found = false;
	Block **stack = arena_array(&tmp, Block *, f->block.n + 1);
	const Block *b = branch;
	int n = 0;
	seen[point->id] = true;
	do {
		for (int k = 0; k < b->nsucc; k++)
			if (!seen[b->succ[k]->id]) {
				seen[b->succ[k]->id] = true;
				stack[n++] = b->succ[k];
			}
		b = n ? stack[--n] : NULL;
		found |= b && needs_others(b);
	} while (b && !found);
	arena_free(&tmp);
	return found;
}

/* Any block of the function, or one that stands near the branch. */
static Block *point_for(Gen *g, const Function *f, int branch)
{
	int n = f->block.n, from = 0, to = n;
	if (chance(g, 60)) {
		from = branch < NEAR ? 0 : branch - NEAR;
		to = branch + NEAR < n ? branch + NEAR + 1 : n;
	}
	return f->block.v[from + (int)rnd(g, (uint32_t)(to - from))];
}

static void ask(Gen *g, Function *f, int branch)
{
	Block *b = f->block.v[branch];
	for (int k = 0; k < TRIES && !b->reconverge; k++) {
		Block *point = point_for(g, f, branch);
		if (!comes_together(f, b, point))
			b->reconverge = point;
	}
	if (b->reconverge)
		used(g, RF_POINT);
}

void reconvergence_points(Gen *g)
{
	int percent = 5 + (int)rnd(g, 40);
	for (int k = 0; k < g->m->func.n; k++) {
		Function *f = g->m->func.v[k];
		function_number(f);
		for (int b = 0; b < f->block.n; b++) {
			const Ins *t = block_term(f->block.v[b]);
			if ((t->op == OP_BRX || (t->op == OP_BRA && t->nsrc)) && chance(g, percent))
				ask(g, f, b);
		}
	}
}
