/* What a kernel does last: atomic operations whose result nobody wants or reads, in all of its threads or in
   some, so that warps end behind them. */
#include "tests/random/random_gen.h"

static void some_first(Gen *g)
{
	Block *here = block(g), *rest = block(g);
	branch_if(g, condition(g), here, rest);
	open_block(g, here);
	accumulate(g);
	emit(g, op(g, "exit", 0, 0));
	open_block(g, rest);
}

void last_accesses(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	g->state = g->last;
	g->chosen = g->p->nchoices;
	if (has(g, RF_LAST)) {
		bool some = rnd(g, 2) && !g->end;
		if (some)
			some_first(g);
		for (int n = (int)rnd(g, 3) + !some; n > 0; n--)
			accumulate(g);
		used(g, RF_LAST | RF_ATOMIC);
	}
	g->state = state;
	g->chosen = chosen;
}
