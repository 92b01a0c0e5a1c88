/* Copies blocks. */
#include "isa/edit.h"

static Opd renamed(Opd o, const int *reg)
{
	if (reg && o.kind == OPD_REG)
		o.id = reg[o.id];
	return o;
}

static int mapped(void *self, int reg) { return ((const int *)self)[reg]; }

static void clone_block(Edit *e, Block *d, const Block *s, Block *const *block, const int *reg)
{
	d->origin = s->origin;
	d->loc = s->loc;
	for (int k = 0; k < s->ins.n; k++) {
		Ins i = edit_copy(e, &s->ins.v[k]);
		if (reg && i.guard >= 0)
			i.guard = reg[i.guard];
		for (int o = 0; o < i.ndst + i.nsrc; o++)
			i.opd[o] = renamed(i.opd[o], reg);
		if (reg)
			i.mark = function_rename_marks(e->f, i.mark, mapped, (void *)(uintptr_t)reg);
		vec_push(&d->ins, i);
	}
	d->nsucc = s->nsucc;
	d->succ = arena_array(&e->m->arena, Block *, s->nsucc ? s->nsucc : 1);
	for (int k = 0; k < s->nsucc; k++)
		d->succ[k] = block[s->succ[k]->id] ? block[s->succ[k]->id] : s->succ[k];
	if (s->reconverge)
		d->reconverge = block[s->reconverge->id] ? block[s->reconverge->id] : s->reconverge;
}

/* The label without the tail and number that it may end with. So a copy of a copy is named like another copy
   of the first block, and names do not grow. */
static const char *without(Edit *e, const char *label, const char *tail)
{
	size_t n = strlen(label), end = strlen(tail);
	while (n && label[n - 1] >= '0' && label[n - 1] <= '9')
		n--;
	return n > end && !memcmp(label + n - end, tail, end) ? arena_strndup(&e->m->arena, label, n - end)
		: label;
}

void edit_clone(Edit *e, BlockSpot s, Block *const *list, int n, Block **block, const int *reg,
	const char *tail)
{
	for (int k = 0; k < n; k++)
		block[list[k]->id] = edit_block(e, s, without(e, list[k]->label, tail), tail);
	for (int k = 0; k < n; k++)
		clone_block(e, block[list[k]->id], list[k], block, reg);
	edit_touch_graph(e->f);
}
