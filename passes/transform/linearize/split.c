/* Option split-loads: a block is cut in front of an instruction that would wait for what the block has
 * loaded, so that other units can come in between (section 5.1 of the paper: B6.1 and B6.2). Where no unit
 * has come in between in the end, the two parts become one block again. */
#include "passes/transform/linearize/linearize.h"
#include "passes/analyses.h"

/* Returns the number of the first instruction that would wait for a load of the block, and longer than a
   guard takes; -1: there is none. */
static int first_wait(Lin *l, const Block *b, int64_t guard)
{
	bool far = false;
	clock_reset(l->clock);
	for (int k = 0; k < b->ins.n; k++) {
		Span s = clock_ins(l->clock, &b->ins.v[k], NULL);
		if (far && clock_wait(l->clock, &s) > guard)
			return k;
		clock_add(l->clock, &s);
		far |= is_far(l, &b->ins.v[k], guard);
	}
	return -1;
}

void split_loads(Lin *l)
{
	Function *f = l->run->f;
	int64_t guard = guard_time(l);
	const Graph *flow = cfg_flow_graph(&l->arena, analysis_cfg(l->run->an));
	int n = f->block.n;
	for (int i = 0; i < n; i++) {
		Block *b = f->block.v[i];
		/* a loop without end begins here, and analyses give this block an edge to the exit: it stays
		   whole */
		bool endless = b->nsucc && list_has(&flow->succ[i], n);
		for (int k; !endless && (k = first_wait(l, b, guard)) >= 0;) {
			b = edit_split_block(&l->edit, b, k, "_use");
			vec_push(&l->cut, b);
		}
	}
	edit_settle(&l->edit);
}

int join_loads(Lin *l)
{
	Function *f = l->run->f;
	int apart = l->cut.n, *from = arena_array(&l->arena, int, f->block.n);
	Block **before = arena_array(&l->arena, Block *, f->block.n);
	for (int i = 0; i < f->block.n; i++)
		for (int k = 0; k < f->block.v[i]->nsucc; k++) {
			from[f->block.v[i]->succ[k]->id]++;
			before[f->block.v[i]->succ[k]->id] = f->block.v[i];
		}
	for (int i = l->cut.n; i-- > 0;) { /* the last one first, so that `before` stays right */
		Block *b = l->cut.v[i], *p = before[b->id];
		b->origin = l->edit.origin;
		if (from[b->id] != 1 || !block_jumps(p))
			continue;
		edit_merge(&l->edit, p, b);
		edit_drop(&l->edit, b);
		apart--;
	}
	edit_settle(&l->edit);
	return apart;
}
