/* The canonical order of a function's blocks. It follows from the control-flow graph alone: from the entry,
 * and from which way of a branch is the first one. Where blocks stand in the text, what they are called, and
 * blocks that nothing leads to, change nothing. All that lowering and mechanisms do afterwards goes by this
 * order, so that it is the same, too.
 *
 * The order is a reverse post-order in which each loop stands in one piece. Where it leaves a choice, the
 * block comes next to which lanes are likelier to go: rather round a loop than out of it, and rather on than
 * to an end of the thread; where both ways are as likely, the one for which the condition does not hold,
 * which is the one that compilers put next. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"
#include <stdlib.h>

/* One way out of a block, and how likely lanes are to take it: least likely first. */
typedef struct Way { Block *to; bool aborts, ends; int left, k; } Way;

static int by_likelihood(const void *x, const void *y)
{
	const Way *a = x, *b = y;
	if (a->aborts != b->aborts)
		return b->aborts - a->aborts;
	if (a->left != b->left)
		return b->left - a->left;
	if (a->ends != b->ends)
		return b->ends - a->ends;
	return a->k - b->k;
}

/* What likelihoods are estimated by. */
typedef struct Odds { const Cfg *cfg; const Loops *loops; } Odds;

/* How many loops a thread leaves on the way from b to s. */
static int count_left(const Odds *o, const Block *b, const Block *s)
{
	int n = 0;
	for (int l = o->loops->of[b->id]; l >= 0 && !loop_has(o->cfg, &o->loops->loop[l], s->id);
		l = o->loops->loop[l].parent)
		n++;
	return n;
}

/* Lists the ways out of a block, the least likely first. o NULL: only the branch itself is known. */
static Way *list_ways(Arena *a, const Odds *o, const Block *b)
{
	Way *way = arena_array(a, Way, b->nsucc + 1);
	bool indexed = block_term(b)->op == OP_BRX;
	for (int k = 0; k < b->nsucc; k++) {
		Block *s = b->succ[k];
		/* targets of an indexed branch stand in the order of its table */
		way[k] = (Way){ .to = s, .k = indexed ? b->nsucc - k : k };
		if (!o)
			continue;
		way[k].aborts = bs_has(o->cfg->fatal, s->id);
		way[k].left = count_left(o, b, s);
		way[k].ends = !s->nsucc;
	}
	qsort(way, (size_t)b->nsucc, sizeof *way, by_likelihood);
	return way;
}

/* Writes the blocks that the entry reaches, in a reverse post-order in which the likeliest successor of a
   block comes first, and returns their number. */
static int order_by_likelihood(Arena *a, const Odds *o, const Function *f, Block **order)
{
	int all = f->block.n, top = 0, at = all;
	Way **way = arena_array(a, Way *, all);
	int *next = arena_array(a, int, all);
	Block **stack = arena_array(a, Block *, all);
	stack[top++] = f->block.v[0];
	way[0] = list_ways(a, o, f->block.v[0]);
	while (top) {
		Block *b = stack[top - 1];
		if (next[b->id] == b->nsucc) {
			order[--at] = b;
			top--;
			continue;
		}
		Block *s = way[b->id][next[b->id]++].to;
		if (way[s->id])
			continue;
		way[s->id] = list_ways(a, o, s);
		stack[top++] = s;
	}
	memmove(order, order + at, sizeof *order * (size_t)(all - at));
	return all - at;
}

void lower_canonical(LowerFn *l)
{
	Function *f = l->f;
	l->text = arena_array(l->arena, Block *, f->block.n);
	l->ntext = f->block.n;
	memcpy(l->text, f->block.v, sizeof *l->text * (size_t)f->block.n);
	if (l->config->code_layout == LAYOUT_SOURCE)
		return;
	Arena tmp = { 0 };
	Block **order = arena_array(&tmp, Block *, f->block.n);
	BitSet roots = bs_new(&tmp, f->block.n);
	bs_add(roots, 0);
	edit_drop_unreached(f, roots);
	function_number(f);
	/* first an order from which the nest of loops comes out the same for any text; then, by that nest,
	   the likelier ways first */
	int n = order_by_likelihood(&tmp, NULL, f, order);
	edit_order(&l->edit, order, n);
	const Cfg *c = cfg_build(&tmp, f);
	n = order_by_likelihood(&tmp, &(Odds){ c, loops_build(&tmp, c) }, f, order);
	edit_order(&l->edit, order, n);
	c = cfg_build(&tmp, f);
	edit_order(&l->edit, c->rpo, c->nreach);
	function_number(f);
	arena_free(&tmp);
}
