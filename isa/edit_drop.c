/* Removes blocks that cannot be reached, and bodies of functions. */
#include "isa/edit.h"

/* Adds to `keep`, which has the roots, every block to which they lead; does not recurse. */
static void reach_from_roots(const Function *f, BitSet keep)
{
	Vec(int) todo = { 0 };
	bs_each(keep, b)
		vec_push(&todo, b);
	while (todo.n) {
		const Block *b = f->block.v[vec_pop(&todo)];
		for (int k = 0; k < b->nsucc; k++)
			if (!bs_has(keep, b->succ[k]->id)) {
				bs_add(keep, b->succ[k]->id);
				vec_push(&todo, b->succ[k]->id);
			}
	}
	vec_free(&todo);
}

bool edit_drop_unreached(Function *f, BitSet roots)
{
	Arena a = { 0 };
	int n = 0, all = f->block.n;
	function_number(f);
	BitSet keep = bs_new(&a, all);
	bs_copy(keep, roots);
	reach_from_roots(f, keep);
	for (int b = 0; b < all; b++) {
		Block *x = f->block.v[b];
		if (x->reconverge && !bs_has(keep, x->reconverge->id))
			x->reconverge = NULL;
		if (bs_has(keep, b))
			f->block.v[n++] = x;
		else
			vec_free(&x->ins);
	}
	f->block.n = n;
	arena_free(&a);
	if (n == all)
		return false;
	function_number(f);
	edit_touch_graph(f);
	return true;
}

BitSet edit_named(Arena *a, const Function *f)
{
	BitSet s = bs_new(a, f->block.n);
	for (int k = 0; k < f->block.n; k++)
		if (f->block.v[k]->reconverge)
			bs_add(s, f->block.v[k]->reconverge->id);
	return s;
}

bool edit_drop_dead(Edit *e)
{
	Arena a = { 0 };
	edit_settle(e);
	BitSet roots = edit_named(&a, e->f);
	bs_add(roots, 0);
	bool any = edit_drop_unreached(e->f, roots);
	arena_free(&a);
	return any;
}

/* Gives the registers that `list` names new numbers from n on, each register once, and writes these to
   `list`. moved[r] is one more than the new number of register r, or 0 if it has none yet. Returns the next
   free number. */
static int keep_registers(const Function *f, Reg *kept, int *moved, int n, int *list, int count)
{
	for (int k = 0; k < count; k++) {
		int r = list[k];
		if (!moved[r]) {
			kept[n] = f->reg.v[r];
			moved[r] = ++n;
		}
		list[k] = moved[r] - 1;
	}
	return n;
}

void edit_drop_body(Function *f)
{
	size_t all = (size_t)f->reg.n + 1;
	Reg *kept = xcalloc(all, sizeof *kept);
	int *moved = xcalloc(all, sizeof *moved);
	must(f->kind == FN_DEVICE);
	for (int k = 0; k < f->block.n; k++)
		vec_free(&f->block.v[k]->ins);
	int n = keep_registers(f, kept, moved, 0, f->arg.v, f->arg.n);
	n = keep_registers(f, kept, moved, n, f->ret.v, f->ret.n);
	if (n)
		memcpy(f->reg.v, kept, (size_t)n * sizeof *kept);
	f->reg.n = n;
	f->block.n = f->source.n = f->mark.n = f->lanes.n = 0;
	f->declared_only = true;
	free(kept);
	free(moved);
	edit_touch_graph(f);
}
